"""Functions whose results are only stored, alone, in products or in sums of one sign: 16 bits need fewer instructions.

An error of tanh(x) is one of tanh(x) * y of the same relative size, and a smaller one of a sum with a term of the same
sign. In x - tanh(x) it may be all that is left.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING

from opforge.plan.signs import sign_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from opforge.plan.steps import Step, Value

# The functions of vector_math.h with shorter forms for results of 16 bits.
SHORTER = ("Gelu", "Tanh", "Erf", "Log1p", "Log1pUpTo1", "Expm1", "Expm1UpTo0")
# The steps that keep relative errors as they are. A mask that Select reads is made by another step.
_PRODUCTS = ("Mul", "Muls", "Div", "Abs", "Select")


def marked(steps: Sequence[Step], outputs: Sequence[tuple[str, Value]]) -> tuple[Step, ...]:
    """The steps; those of SHORTER that one output stores have its name as their mode. The kernel sees its type."""
    stored = Counter(value for _, value in outputs)
    names = {value: name for name, value in outputs if stored[value] == 1}
    return tuple(replace(s, mode=_stores(s.target, steps, names)) if s.name in SHORTER else s for s in steps)


def _stores(value: Value, steps: Sequence[Step], names: dict[Value, str]) -> str | None:
    """The output that the value becomes by products and sums, where all that is made of it leads to this one."""
    made = {step.target: step for step in steps}
    reached = {value}
    for step in steps:
        if reached.intersection(step.sources):
            if step.name not in _PRODUCTS and not _adds_up(step, made):
                return None
            reached.add(step.target)
    found = [name for result, name in names.items() if result in reached]
    return found[0] if len(found) == 1 else None


def _adds_up(step: Step, made: Mapping[Value, Step]) -> bool:
    """Whether it is a sum of equal signs, or a difference of unequal ones."""
    if step.name not in ("Add", "Sub"):
        return False
    first, second = (sign_of(source, made) for source in step.sources)
    return first * second == (1 if step.name == "Add" else -1)
