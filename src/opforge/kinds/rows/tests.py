"""Renders the tests of a project's ops with rows."""

from __future__ import annotations

from typing import TYPE_CHECKING

from opforge.frozen import dataclass
from opforge.ir.rows import whole_dims
from opforge.render.torch.cases import CasesForm, case_imports, vector_case
from opforge.render.torch.signature import signature_of
from opforge.render.torch.torch_files import form_of_tests
from opforge.spec.axes import LAST

if TYPE_CHECKING:
    from collections.abc import Sequence

    from opforge.fileset import File
    from opforge.kinds.rows.rows_kernel import RowsKernel
    from opforge.program import Program


@dataclass(frozen=True)
class RowsTest:
    """Context of ``code/torch/tests/test_rows.py``. Flags say that at least one op of the project has a property."""

    differentiable: bool
    optional: bool
    axes: bool


def test_files(program: Program, kernels: Sequence[RowsKernel]) -> tuple[File, ...]:
    """The table of the ops, and the tests that use it."""
    soc = program.spec.project.soc[0]
    signatures = [signature_of(program, kernel) for kernel in kernels]
    cases = tuple(
        vector_case(signature, kernel.vector, soc, _reduced(kernel))
        for signature, kernel in zip(signatures, kernels, strict=True)
    )
    rows = RowsTest(
        differentiable=any(case.differentiable for case in cases),
        optional=any(case.optional for case in cases),
        axes=any(case.axis for case in cases),
    )
    table = CasesForm(case_imports(signatures, "op_case", ["OpCase"]), "ROWS", cases)
    return (
        form_of_tests("op_cases.py", table, rename="row_cases.py"),
        form_of_tests("test_rows.py", rows),
    )


def _reduced(kernel: RowsKernel) -> tuple[str, ...]:
    """The dimensions of a row by name, if it is not the last one alone."""
    axes, whole = kernel.expression.axes, whole_dims(kernel.op)
    if axes == LAST:
        return ()
    named = [dim for place, dim in enumerate(whole) if dim != "..." and axes.has(place - len(whole))]
    return (*(("...",) if axes.alike and "..." in whole else ()), *named)
