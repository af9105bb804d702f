"""Renders the tests of a project's ops with matrix products."""

from __future__ import annotations

from typing import TYPE_CHECKING

from opforge.kinds.expression_kernel import ExpressionKernel
from opforge.kinds.products.cases import ProductCasesForm, product_case
from opforge.render.forms import NoSlots
from opforge.render.torch.cases import vector_case
from opforge.render.torch.signature import signature_of
from opforge.render.torch.torch_files import form_of_tests

if TYPE_CHECKING:
    from collections.abc import Sequence

    from opforge.fileset import File
    from opforge.kinds.products.product_kernel import ProductKernel
    from opforge.program import Program

_TESTS = (
    "test_products.py",
    "test_products_backward.py",
    "test_products_registration.py",
    "test_products_bad_input.py",
)


def test_files(program: Program, kernels: Sequence[ProductKernel]) -> tuple[File, ...]:
    """The table of the ops and their gradients' kernels, and the tests that run over it."""
    soc = program.spec.project.soc[0]
    cases = tuple(product_case(signature_of(program, kernel), kernel.plan) for kernel in kernels)
    gradients = (program.gradient(kernel) for kernel in kernels)
    inner = tuple(
        vector_case(signature_of(program, gradient), gradient.vector, soc)
        for gradient in gradients
        if isinstance(gradient, ExpressionKernel)
    )
    form = ProductCasesForm(cases, inner)
    return (form_of_tests("product_cases.py", form), *(form_of_tests(name, NoSlots()) for name in _TESTS))
