"""Renders the tests of a project's elementwise ops."""

from __future__ import annotations

from typing import TYPE_CHECKING

from opforge.render.forms import NoSlots
from opforge.render.torch.cases import CasesForm, vector_case
from opforge.render.torch.signature import signature_of
from opforge.render.torch.torch_files import form_of_tests

if TYPE_CHECKING:
    from collections.abc import Sequence

    from opforge.fileset import File
    from opforge.kinds.expression_kernel import ExpressionKernel
    from opforge.program import Program

_TESTS = ("test_forward.py", "test_backward.py", "test_registration.py", "test_bad_input.py")


def test_files(program: Program, kernels: Sequence[ExpressionKernel]) -> tuple[File, ...]:
    """The table of the ops and the tests that run over it."""
    soc = program.spec.project.soc[0]
    cases = tuple(vector_case(signature_of(program, kernel), kernel.vector, soc) for kernel in kernels)
    return (form_of_tests("op_cases.py", CasesForm(cases)), *(form_of_tests(name, NoSlots()) for name in _TESTS))
