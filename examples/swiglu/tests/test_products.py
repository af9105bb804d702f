"""Matrix products and their epilogues on the NPU against the golden reference in float64 on the CPU.

Every dtype; sizes around the tiles of the kernel and around the cube's blocks of 16; empty operands and results.
"""

from __future__ import annotations

import pytest
from opforge.testing.checks import product_results as results
from opforge.testing.checks.product_case import GradientKernel, ProductCase
from opforge.testing.checks.tested_operator import identify

from product_cases import GRADIENT_KERNELS, PRODUCT_COMBINATIONS, PRODUCTS

EVERY = pytest.mark.parametrize(("op", "column"), PRODUCT_COMBINATIONS, ids=identify)
EVERY_OP = pytest.mark.parametrize("op", PRODUCTS, ids=identify)
LEADING = [(), (1,), (3, 5), (2, 1, 3), (2, 0, 3), (2, 1, 2, 1, 3, 1, 5)]


@EVERY
def test_terms(op: ProductCase, column: int) -> None:
    results.check_sizes(op, column, [((5,), 33, terms) for terms in (0, 1, 15, 16, 17, 63, 127, 257)])


@EVERY
def test_rows_and_columns(op: ProductCase, column: int) -> None:
    rows, columns = op.tile
    results.check_sizes(op, column, [((m,), 19, 17) for m in (1, 2, 31, rows - 1, rows, rows + 1)])
    several = (1, 2, 15, 16, 17, columns - 1, columns, columns + 1)
    results.check_sizes(op, column, [((3,), n, 17) for n in several])


@EVERY
def test_dimensions(op: ProductCase, column: int) -> None:
    results.check_sizes(op, column, op.varied)


@EVERY
def test_many_tiles(op: ProductCase, column: int) -> None:
    rows, columns = op.tile
    tall, wide = ((8 * rows + 1,), 7, 33), ((2,), 8 * columns + 1, 33)
    results.check_sizes(op, column, [((2 * rows + 3,), 2 * columns + 5, 67), tall, wide, ((1009,), 257, 127)])


@EVERY_OP
def test_several_tiles_on_each_core(op: ProductCase) -> None:
    # At least 145 tiles, five or more in a row: too many for 40 or 48 cores at once. Each core therefore continues with
    # other rows and reuses each of its tile slots.
    rows, columns = op.tile
    results.check_sizes(op, 0, [((28 * rows + 5,), 4 * columns + 3, 19)])


@EVERY
def test_nothing_to_write(op: ProductCase, column: int) -> None:
    results.check_sizes(op, column, [((0,), 33, 17), ((5,), 0, 17), ((0,), 0, 0)])


@pytest.mark.parametrize("rows", LEADING, ids=str)
@pytest.mark.parametrize(("op", "column"), [c for c in PRODUCT_COMBINATIONS if c[0].folds], ids=identify)
def test_leading_dimensions(op: ProductCase, column: int, rows: tuple[int, ...]) -> None:
    results.check_sizes(op, column, [(rows, 19, 33)])


@EVERY_OP
def test_an_inner_axis_beyond_16_bits(op: ProductCase) -> None:
    if op.symbols[1] == op.symbols[2]:
        pytest.skip("its weight is square: 65537 of each would be too many")
    results.check_sizes(op, 0, [((2,), 3, 65537), ((2,), 65537, 3)])


@EVERY
def test_views(op: ProductCase, column: int) -> None:
    results.check_product_views(op, column)


@EVERY
def test_infinities_and_nan_stay_in_their_rows(op: ProductCase, column: int) -> None:
    results.check_rows_apart(op, column)


@pytest.mark.parametrize("kernel", GRADIENT_KERNELS, ids=identify)
def test_kernels_of_derivatives(kernel: GradientKernel) -> None:
    results.check_gradient_kernel(kernel)
    results.check_kernel_registration(kernel)
