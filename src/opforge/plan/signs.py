"""The signs of values that are known from the steps that make them. A zero and a NaN may have either."""

from __future__ import annotations

from typing import TYPE_CHECKING

from opforge.plan.steps import literal

if TYPE_CHECKING:
    from collections.abc import Mapping

    from opforge.plan.steps import Step, Value

_NEVER_BELOW = ("Abs", "Relu", "Exp", "Sqrt", "Log1pUpTo1")


def sign_of(value: Value, made: Mapping[Value, Step]) -> int:
    """1 if the value is never below 0, -1 if it is never above, 0 if neither is known. ``made``: steps by target."""
    step = made.get(value)
    if step is None:
        return 0
    if step.name in _NEVER_BELOW:
        return 1
    if step.name == "Min" and is_negated(step.sources[0], step.sources[1], made):
        return -1
    if step.name == "Div":
        return sign_of(step.sources[0], made) * sign_of(step.sources[1], made)
    number = step.scalar.value if step.scalar else None
    if number is None:
        return 0
    if step.name == "Duplicate":
        return 1 if number >= 0 else -1
    if step.name == "Muls":
        return sign_of(step.sources[0], made) * (1 if number >= 0 else -1)
    if step.name in ("Maxs", "Mins"):
        towards = 1 if step.name == "Maxs" else -1
        return towards if number * towards >= 0 else sign_of(step.sources[0], made)
    return 0


def is_negated(value: Value, x: Value, made: Mapping[Value, Step]) -> bool:
    """Whether the value is -x."""
    step = made.get(value)
    return step is not None and (step.name, step.sources, step.scalar) == ("Muls", (x,), literal(-1.0))
