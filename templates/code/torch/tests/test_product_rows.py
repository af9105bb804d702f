"""Rows of matrix products on the NPU against the golden reference in float64 on the CPU: results and gradients.

Every dtype; sizes around the tiles of the products, rows longer than a tile; empty operands and results.
"""

from __future__ import annotations

import pytest
from opforge.testing.checks import product_gradients as gradients
from opforge.testing.checks import product_results as results
from opforge.testing.checks.product_case import ProductCase{% if inputs %}, product_inputs{% endif %}

from opforge.testing.checks.tested_operator import identify

from product_row_cases import PRODUCT_COMBINATIONS, PRODUCT_ROWS

EVERY = pytest.mark.parametrize(("op", "column"), PRODUCT_COMBINATIONS, ids=identify)
EVERY_OP = pytest.mark.parametrize("op", PRODUCT_ROWS, ids=identify)
LEADING = [(), (1,), (3, 5), (2, 1, 3), (2, 0, 3), (2, 1, 2, 1, 3, 1, 5)]


@EVERY
def test_terms(op: ProductCase, column: int) -> None:
    results.check_sizes(op, column, [((5,), 33, terms) for terms in (0, 1, 15, 16, 17, 257)])


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
    results.check_sizes(op, column, [((2 * rows + 3,), 2 * columns + 5, 67), ((1009,), 257, 127)])


@EVERY_OP
def test_long_rows(op: ProductCase) -> None:
    if op.symbols[1] == op.symbols[2]:
        pytest.skip("its weight is square: it would be too large")
    results.check_sizes(op, 0, [((7,), 8197, 3), ((2,), 40009, 3), ((2,), 40009, 0)])


@EVERY
def test_nothing_to_write(op: ProductCase, column: int) -> None:
    results.check_sizes(op, column, [((0,), 33, 17), ((0,), 0, 0)])


@pytest.mark.parametrize("rows", LEADING, ids=str)
@pytest.mark.parametrize(("op", "column"), [c for c in PRODUCT_COMBINATIONS if c[0].folds], ids=identify)
def test_leading_dimensions(op: ProductCase, column: int, rows: tuple[int, ...]) -> None:
    results.check_sizes(op, column, [(rows, 19, 33)])


@EVERY
def test_views(op: ProductCase, column: int) -> None:
    results.check_product_views(op, column)
{% if optional %}


@pytest.mark.parametrize(("op", "column"), [c for c in PRODUCT_COMBINATIONS if c[0].optional], ids=identify)
def test_without_what_is_optional(op: ProductCase, column: int) -> None:
    for sizes in (((5,), 33, 17), ((2 * op.tile[0] + 3,), op.tile[1] + 1, 67), ((4,), 7, 0)):
        results.check_product(op, op.without_optional(product_inputs(op, column, sizes)))
{% endif %}


@EVERY
def test_infinities_and_nan_stay_in_their_rows(op: ProductCase, column: int) -> None:
    results.check_rows_apart(op, column)
{% if differentiable %}


SIZES = [((5,), 7, 3), ((33,), 19, 65), ((130,), 129, 17), ((0,), 3, 5), ((3,), 0, 5)]
FOLDED = [((), 7, 3), ((2, 3, 5), 19, 17), ((2, 0), 5, 3)]
DIFFERENTIABLE = [op for op in PRODUCT_ROWS if op.differentiable]
EVERY_GRADIENT = pytest.mark.parametrize("op", DIFFERENTIABLE, ids=identify)


@pytest.mark.parametrize(("op", "column"), [c for c in PRODUCT_COMBINATIONS if c[0].differentiable], ids=identify)
def test_gradients(op: ProductCase, column: int) -> None:
    for sizes in [*SIZES, *(FOLDED if op.folds else [])]:
        gradients.check_product_gradients(op, product_inputs(op, column, sizes))


@EVERY_GRADIENT
def test_formulas_against_differences(op: ProductCase) -> None:
    for sizes in [((3,), 4, 5), ((1,), 2, 1), *([((), 3, 2), ((2, 1, 2), 3, 2)] if op.folds else [])]:
        gradients.check_product_formulas(op, sizes)


@EVERY_GRADIENT
def test_only_what_is_needed_is_computed(op: ProductCase) -> None:
    gradients.check_what_products_need(op)


@EVERY_GRADIENT
def test_gradients_through_views(op: ProductCase) -> None:
    gradients.check_gradients_through_views(op)
{% endif %}
{% if fixed %}


@pytest.mark.parametrize("op", [op for op in PRODUCT_ROWS if not op.differentiable], ids=identify)
def test_no_derivative(op: ProductCase) -> None:
    gradients.check_no_product_derivative(op)
{% endif %}
