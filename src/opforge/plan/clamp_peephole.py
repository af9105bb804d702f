"""Rewrites choices at the ends of a range to a maximum or a minimum, as in hardtanh and hardsigmoid.

``where(x >= b, d, f(x))`` is min(f(x), d) if f does not fall and f(b) is d. ``where(x <= a, c, f(x))`` is max(f(x), c)
if f(a) is c.
"""

from __future__ import annotations

import math
import struct
from dataclasses import replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from opforge.plan.steps import Step, Value

_CLAMPS = {"GE": "Mins", "GT": "Mins", "LE": "Maxs", "LT": "Maxs"}


def clamped(steps: Sequence[Step]) -> list[Step]:
    """The steps with such choices replaced. Steps that nothing needs any more are left over."""
    found: list[Step] = []
    made: dict[Value, Step] = {}
    for step in steps:
        found.append((_clamp(step, made) if step.name == "Select" else None) or step)
        made[step.target] = found[-1]
    return found


def _clamp(step: Step, made: Mapping[Value, Step]) -> Step | None:
    """The step that has the value of the Select, if it is such a choice."""
    mask, end, *other = step.sources
    compared, filled = made.get(mask), made.get(end)
    if compared is None or filled is None or (compared.name, filled.name) != ("CompareScalar", "Duplicate"):
        return None
    name = _CLAMPS.get(compared.mode or "")
    bound, number = (each.scalar.value if each.scalar else None for each in (compared, filled))
    if name is None or bound is None or number is None or not other:
        return None
    if _rising(other[0], compared.sources[0], bound, made) != _float32(number):
        return None
    return replace(step, name=name, sources=(other[0],), scalar=filled.scalar, mode=None)


def _rising(value: Value, x: Value, at: float, made: Mapping[Value, Step]) -> float:
    """The value for x = ``at``; NaN if it is not known to rise with x, or to stay."""
    if value == x:
        return _float32(at)
    step = made.get(value)
    number = _number(step, made)
    if step is None or number is None:
        return math.nan
    inner = _rising(step.sources[0], x, at, made)
    if step.name in ("Mins", "Maxs"):
        return _float32(min(inner, number) if step.name == "Mins" else max(inner, number))
    if step.name == "Adds":
        return _float32(inner + number)
    return _float32(inner * number if step.name == "Muls" else inner / number) if number > 0 else math.nan


def _number(step: Step | None, made: Mapping[Value, Step]) -> float | None:
    """The literal beside a tensor, of a sum, a product, a quotient, a maximum or a minimum."""
    if step is not None and step.name == "Div":
        divisor = made.get(step.sources[1])
        step = divisor if divisor is not None and divisor.name == "Duplicate" else None
    elif step is not None and step.name not in ("Adds", "Muls", "Maxs", "Mins"):
        return None
    number = step.scalar.value if step is not None and step.scalar else None
    return None if number is None else _float32(number)


def _float32(number: float) -> float:
    """The nearest float32: infinite above the largest one."""
    nearest: float = struct.unpack("f", struct.pack("f", number))[0]
    return nearest
