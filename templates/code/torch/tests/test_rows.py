"""Rows on the NPU against the golden reference on the CPU: every dtype, lengths at the borders of tiles, gradients."""

from __future__ import annotations

import pytest
{% if differentiable %}
from opforge.testing.checks import elementwise_gradients as gradients
{% endif %}
from opforge.testing.checks import elementwise_results as results
from opforge.testing.checks import row_results
from opforge.testing.checks.op_case import OpCase{% if differentiable %}, random_inputs{% endif %}

from opforge.testing.checks.tested_operator import identify

from row_cases import COMBINATIONS, ROWS

EVERY = pytest.mark.parametrize(("op", "column"), COMBINATIONS, ids=identify)


@EVERY
def test_lengths(op: OpCase, column: int) -> None:
    row_results.check_lengths(op, column)


@EVERY
def test_dimensions(op: OpCase, column: int) -> None:
    row_results.check_dimensions(op, column)
{% if optional %}


@pytest.mark.parametrize(("op", "column"), [c for c in COMBINATIONS if c[0].optional], ids=identify)
def test_without_what_is_optional(op: OpCase, column: int) -> None:
    results.check_without_optional(op, column)
{% endif %}

{% if axes %}

OVER_AXES = pytest.mark.parametrize(("op", "column"), [c for c in COMBINATIONS if c[0].axis], ids=identify)


@OVER_AXES
def test_every_dimension(op: OpCase, column: int) -> None:
    row_results.check_axes(op, column)
{% if differentiable %}


@OVER_AXES
def test_gradients_over_every_dimension(op: OpCase, column: int) -> None:
    if op.differentiable:
        row_results.check_gradients_over_axes(op, column)
{% endif %}
{% endif %}


@EVERY
def test_a_row_does_not_depend_on_its_batch(op: OpCase, column: int) -> None:
    row_results.check_batch_invariance(op, column)


@EVERY
def test_views_are_read_where_they_are(op: OpCase, column: int) -> None:
    results.check_views(op, column)
{% if differentiable %}

DIFFERENTIABLE = [op for op in ROWS if op.differentiable]


@pytest.mark.parametrize("leading", [(), (0,), (1009,), (4, 1, 7)], ids=str)
@pytest.mark.parametrize(("op", "column"), [c for c in COMBINATIONS if c[0].differentiable], ids=identify)
def test_gradients(op: OpCase, column: int, leading: tuple[int, ...]) -> None:
    gradients.check_gradients(op, random_inputs(op, column, leading))


@pytest.mark.parametrize(("op", "column"), [c for c in COMBINATIONS if c[0].differentiable], ids=identify)
def test_gradients_of_a_row_in_parts(op: OpCase, column: int) -> None:
    row_results.check_long_gradients(op, column)


@pytest.mark.parametrize("op", DIFFERENTIABLE, ids=identify)
def test_formulas_against_differences(op: OpCase) -> None:
    gradients.check_formulas(op, (2,))


@pytest.mark.parametrize("op", DIFFERENTIABLE, ids=identify)
def test_only_what_is_needed_is_computed(op: OpCase) -> None:
    gradients.check_what_is_needed(op)
{% endif %}
