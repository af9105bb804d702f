"""Renders the tests of a project's ops with rows of matrix products."""

from __future__ import annotations

from typing import TYPE_CHECKING

from opforge.frozen import dataclass
from opforge.kinds.products.cases import ProductCasesForm, product_case
from opforge.render.torch.cases import case_imports
from opforge.render.torch.signature import signature_of
from opforge.render.torch.torch_files import form_of_tests

if TYPE_CHECKING:
    from collections.abc import Sequence

    from opforge.fileset import File
    from opforge.kinds.product_rows.product_rows_kernel import ProductRowsKernel
    from opforge.program import Program


@dataclass(frozen=True)
class ProductRowsTest:
    """Context of ``code/torch/tests/test_product_rows.py``. Flags say that at least one op has a property.

    ``inputs``: a test makes inputs itself. ``fixed``: an op has no derivative.
    """

    inputs: bool
    differentiable: bool
    optional: bool
    fixed: bool


def test_files(program: Program, kernels: Sequence[ProductRowsKernel]) -> tuple[File, ...]:
    """The table of the ops, and the tests that use it."""
    signatures = [signature_of(program, kernel) for kernel in kernels]
    cases = tuple(product_case(signature, kernel.shape) for signature, kernel in zip(signatures, kernels, strict=True))
    optional, differentiable = any(case.optional for case in cases), any(case.differentiable for case in cases)
    table = ProductCasesForm(case_imports(signatures, "product_case", ["ProductCase"]), "PRODUCT_ROWS", cases, ())
    context = ProductRowsTest(
        inputs=optional or differentiable,
        differentiable=differentiable,
        optional=optional,
        fixed=any(not case.differentiable for case in cases),
    )
    return (
        form_of_tests("product_cases.py", table, rename="product_row_cases.py"),
        form_of_tests("test_product_rows.py", context),
    )
