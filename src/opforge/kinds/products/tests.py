"""Renders the tests of a project's ops with matrix products."""

from __future__ import annotations

from typing import TYPE_CHECKING

from opforge.frozen import dataclass
from opforge.kinds.expression_kernel import ExpressionKernel
from opforge.kinds.products.cases import ProductCasesForm, product_case
from opforge.render.torch.cases import case_imports, vector_case
from opforge.render.torch.signature import signature_of
from opforge.render.torch.torch_files import form_of_tests

if TYPE_CHECKING:
    from collections.abc import Sequence

    from opforge.fileset import File
    from opforge.kinds.products.product_kernel import ProductKernel
    from opforge.program import Program


@dataclass(frozen=True)
class ProductsTest:
    """Context of ``code/torch/tests/test_products.py``. ``kernels``: the project has kernels of derivatives.

    ``shared``: cores may share the sums of a product of at least one op.
    """

    optional: bool
    kernels: bool
    shared: bool


@dataclass(frozen=True)
class ProductGradientsTest:
    """Context of ``code/torch/tests/test_products_backward.py``. ``fixed``: at least one op has no derivative."""

    differentiable: bool
    optional: bool
    fixed: bool
    kernels: bool


def test_files(program: Program, kernels: Sequence[ProductKernel]) -> tuple[File, ...]:
    """The table of the ops and their gradients' kernels, and the tests that use it."""
    soc = program.spec.project.soc[0]
    signatures = [signature_of(program, kernel) for kernel in kernels]
    cases = tuple(product_case(signature, kernel.shape) for signature, kernel in zip(signatures, kernels, strict=True))
    gradients = (program.gradient(kernel) for kernel in kernels)
    inner = tuple(
        vector_case(signature_of(program, gradient), gradient.vector, soc)
        for gradient in gradients
        if isinstance(gradient, ExpressionKernel)
    )
    names = ["GradientKernel", "ProductCase"] if inner else ["ProductCase"]
    table = ProductCasesForm(case_imports(signatures, "product_case", names), "PRODUCTS", cases, inner)
    shared = any(not kernel.op.batch_invariant for kernel in kernels)
    results = ProductsTest(optional=any(case.optional for case in cases), kernels=bool(inner), shared=shared)
    backward = ProductGradientsTest(
        differentiable=any(case.differentiable for case in cases),
        optional=any(case.differentiable and case.optional for case in cases),
        fixed=any(not case.differentiable for case in cases),
        kernels=bool(inner),
    )
    return (
        form_of_tests("product_cases.py", table),
        form_of_tests("test_products.py", results),
        form_of_tests("test_products_backward.py", backward),
    )
