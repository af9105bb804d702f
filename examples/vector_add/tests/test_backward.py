"""Gradients on the NPU against the autograd of the golden reference, and their formulas against differences."""

from __future__ import annotations

import pytest
from opforge.testing.checks import elementwise_gradients as gradients
from opforge.testing.checks.op_case import OpCase, random_inputs
from opforge.testing.checks.tested_operator import identify

from op_cases import COMBINATIONS, OPS

SHAPES = [((),), ((1009,),), ((3, 5), (5,)), ((4, 1, 7), (3, 1)), ((2, 3), (1, 1))]
DIFFERENTIABLE = [op for op in OPS if op.differentiable]
EVERY = pytest.mark.parametrize("op", DIFFERENTIABLE, ids=identify)


@pytest.mark.parametrize("shapes", SHAPES, ids=str)
@pytest.mark.parametrize(("op", "column"), [c for c in COMBINATIONS if c[0].differentiable], ids=identify)
def test_gradients(op: OpCase, column: int, shapes: tuple[tuple[int, ...], ...]) -> None:
    gradients.check_gradients(op, random_inputs(op, column, *shapes))


@pytest.mark.parametrize(("op", "column"), [c for c in COMBINATIONS if c[0].differentiable], ids=identify)
def test_gradients_of_many_tiles(op: OpCase, column: int) -> None:
    gradients.check_gradients_of_many_tiles(op, column)


@pytest.mark.parametrize("shapes", [((5,),), ((2, 3), (3,)), ((2, 1), (1, 3)), ((), (2,))], ids=str)
@EVERY
def test_formulas_against_differences(op: OpCase, shapes: tuple[tuple[int, ...], ...]) -> None:
    gradients.check_formulas(op, *shapes)


@EVERY
def test_only_what_is_needed_is_computed(op: OpCase) -> None:
    gradients.check_what_is_needed(op)
