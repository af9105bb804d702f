"""Gradients of operators with matrix products: on the NPU against the golden's in float64, and against differences."""

from __future__ import annotations

import pytest
from opforge.testing.checks import product_gradients as gradients
from opforge.testing.checks.product_case import GradientKernel, ProductCase, product_inputs
from opforge.testing.checks.tested_operator import identify

from product_cases import GRADIENT_KERNELS, PRODUCT_COMBINATIONS, PRODUCTS

SIZES = [((5,), 7, 3), ((33,), 19, 65), ((130,), 129, 17), ((4,), 3, 0), ((0,), 3, 5), ((3,), 0, 5)]
FOLDED = [((), 7, 3), ((2, 3, 5), 19, 17), ((2, 0), 5, 3)]
DIFFERENTIABLE = [op for op in PRODUCTS if op.differentiable]
EVERY = pytest.mark.parametrize("op", DIFFERENTIABLE, ids=identify)


@pytest.mark.parametrize(("op", "column"), [c for c in PRODUCT_COMBINATIONS if c[0].differentiable], ids=identify)
def test_gradients(op: ProductCase, column: int) -> None:
    for sizes in [*SIZES, *(FOLDED if op.folds else [])]:
        gradients.check_product_gradients(op, product_inputs(op, column, sizes))


@EVERY
def test_formulas_against_differences(op: ProductCase) -> None:
    for sizes in [((3,), 4, 5), ((1,), 2, 1), *([((), 3, 2), ((2, 1, 2), 3, 2)] if op.folds else [])]:
        gradients.check_product_formulas(op, sizes)


@EVERY
def test_only_what_is_needed_is_computed(op: ProductCase) -> None:
    gradients.check_what_products_need(op)


@EVERY
def test_gradients_through_views(op: ProductCase) -> None:
    gradients.check_gradients_through_views(op)


@pytest.mark.parametrize("device", ["npu", "cpu"])
@pytest.mark.parametrize("kernel", GRADIENT_KERNELS, ids=identify)
def test_no_second_derivative(kernel: GradientKernel, device: str) -> None:
    gradients.check_no_second_derivative(kernel, device)
