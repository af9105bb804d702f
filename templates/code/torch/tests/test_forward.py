"""Results on the NPU against the golden reference on the CPU: every dtype, odd sizes, broadcasting, views."""

from __future__ import annotations

import pytest
from opforge.testing.checks import elementwise_results as results
from opforge.testing.checks.op_case import OpCase, random_inputs
from opforge.testing.checks.tested_operator import identify

from op_cases import COMBINATIONS, OPS

LARGE = 1_000_003
SHAPES = [(), (7,), (3, 5), (2, 1, 3), (2, 3, 1, 2, 1, 2, 1, 5)]
# Two shapes each; an operator with more inputs uses them alternately.
BROADCASTS = [
    ((3, 1), (1, 5)),
    ((), (7,)),
    ((1,), (33,)),
    ((2, 3, 5), (5,)),
    ((4, 1, 67), (3, 1)),
    ((1, 129), (17, 1)),
    ((2, 1, 3, 1, 2), (4, 1, 5, 1)),
    ((0,), (1,)),
    ((3, 0, 2), (1, 2)),
    ((2, 1, 2, 1, 2, 1, 2, 1), (1, 3, 1, 3, 1, 3, 1, 3)),
    ((1000, 1), (1, 1003)),
]
EVERY = pytest.mark.parametrize(("op", "column"), COMBINATIONS, ids=identify)
SEVERAL = [(op, column) for op, column in COMBINATIONS if len(op.inputs) > 1]


@EVERY
def test_sizes(op: OpCase, column: int) -> None:
    tile = op.tiles[column]
    for size in (0, 1, 2, 31, 33, 257, 1009, tile - 1, tile, tile + 1, 3 * tile + 7, LARGE):
        if not op.symbols or size < LARGE:
            results.check_results(op, random_inputs(op, column, (size,)))
{% if symbols %}


@pytest.mark.parametrize(("op", "column"), [c for c in COMBINATIONS if c[0].symbols], ids=identify)
def test_dimensions(op: OpCase, column: int) -> None:
    results.check_dimensions(op, column)
{% endif %}
{% if optional %}


@pytest.mark.parametrize(("op", "column"), [c for c in COMBINATIONS if c[0].optional], ids=identify)
def test_without_what_is_optional(op: OpCase, column: int) -> None:
    results.check_without_optional(op, column)
{% endif %}


@pytest.mark.parametrize("shape", SHAPES, ids=str)
@EVERY
def test_shapes(op: OpCase, column: int, shape: tuple[int, ...]) -> None:
    results.check_shapes(op, column, shape)


@pytest.mark.parametrize("shapes", BROADCASTS, ids=str)
@pytest.mark.parametrize(("op", "column"), SEVERAL, ids=identify)
def test_broadcasting(op: OpCase, column: int, shapes: tuple[tuple[int, ...], ...]) -> None:
    results.check_shapes(op, column, *shapes)
    results.check_shapes(op, column, *reversed(shapes))


@EVERY
def test_views_are_read_where_they_are(op: OpCase, column: int) -> None:
    results.check_views(op, column)


@EVERY
def test_special_values(op: OpCase, column: int) -> None:
    results.check_special_values(op, column)


@pytest.mark.parametrize("op", OPS, ids=identify)
def test_one_tensor_for_all_inputs(op: OpCase) -> None:
    results.check_one_tensor_for_all_inputs(op)
{% if written %}


@pytest.mark.parametrize("op", [op for op in OPS if op.written], ids=identify)
def test_arguments_that_share_memory_with_what_is_written(op: OpCase) -> None:
    results.check_shared_memory(op)
{% endif %}
