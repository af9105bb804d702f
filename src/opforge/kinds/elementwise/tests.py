"""Renders the tests of a project's elementwise ops."""

from __future__ import annotations

from typing import TYPE_CHECKING

from opforge.frozen import dataclass
from opforge.render.torch.cases import CasesForm, case_imports, vector_case
from opforge.render.torch.signature import signature_of
from opforge.render.torch.torch_files import form_of_tests

if TYPE_CHECKING:
    from collections.abc import Sequence

    from opforge.fileset import File
    from opforge.kinds.expression_kernel import ExpressionKernel
    from opforge.program import Program


@dataclass(frozen=True)
class ResultsTest:
    """Context of ``code/torch/tests/test_forward.py``. Flags say that at least one op of the project has a property."""

    symbols: bool
    optional: bool
    written: bool


@dataclass(frozen=True)
class GradientsTest:
    """Context of ``code/torch/tests/test_backward.py``. ``fixed``: at least one op has no derivative."""

    differentiable: bool
    optional: bool
    fixed: bool
    written: bool


def test_files(program: Program, kernels: Sequence[ExpressionKernel]) -> tuple[File, ...]:
    """The table of the ops, and the tests that use it."""
    soc = program.spec.project.soc[0]
    signatures = [signature_of(program, kernel) for kernel in kernels]
    cases = tuple(
        vector_case(signature, kernel.vector, soc) for signature, kernel in zip(signatures, kernels, strict=True)
    )
    results = ResultsTest(
        symbols=any(
            not dim.isdigit() and dim != "..." for kernel in kernels for t in kernel.op.inputs for dim in t.dims
        ),
        optional=any(case.optional for case in cases),
        written=any(case.written for case in cases),
    )
    gradients = GradientsTest(
        differentiable=any(case.differentiable for case in cases),
        optional=any(case.differentiable and case.optional for case in cases),
        fixed=any(not case.differentiable and not case.written for case in cases),
        written=any(case.written for case in cases),
    )
    return (
        form_of_tests("op_cases.py", CasesForm(case_imports(signatures, "op_case", ["OpCase"]), "OPS", cases)),
        form_of_tests("test_forward.py", results),
        form_of_tests("test_backward.py", gradients),
    )
