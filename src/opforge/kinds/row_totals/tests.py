"""Renders the tests of a project's ops that reduce the values of all rows."""

from __future__ import annotations

from typing import TYPE_CHECKING

from opforge.frozen import dataclass
from opforge.ir.rows import whole_dims
from opforge.render.torch.cases import CasesForm, case_imports, vector_case
from opforge.render.torch.signature import signature_of
from opforge.render.torch.torch_files import form_of_tests

if TYPE_CHECKING:
    from collections.abc import Sequence

    from opforge.fileset import File
    from opforge.kinds.row_totals.row_totals_kernel import RowTotalsKernel
    from opforge.program import Program


@dataclass(frozen=True)
class RowTotalsTest:
    """Context of ``code/torch/tests/test_row_totals.py``. Flags say that at least one op has a property."""

    differentiable: bool
    optional: bool


def test_files(program: Program, kernels: Sequence[RowTotalsKernel]) -> tuple[File, ...]:
    """The table of the ops, and the tests that use it."""
    soc = program.spec.project.soc[0]
    signatures = [signature_of(program, kernel) for kernel in kernels]
    cases = tuple(
        vector_case(signature, kernel.vector, soc, whole_dims(kernel.op))
        for signature, kernel in zip(signatures, kernels, strict=True)
    )
    context = RowTotalsTest(any(case.differentiable for case in cases), any(case.optional for case in cases))
    table = CasesForm(case_imports(signatures, "op_case", ["OpCase"]), "ROW_TOTALS", cases)
    return (
        form_of_tests("op_cases.py", table, rename="row_total_cases.py"),
        form_of_tests("test_row_totals.py", context),
    )
