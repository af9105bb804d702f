"""Rewrites steps that cost more than others with the same value.

The divisor of a sigmoid, 1 + exp(-x), has a reciprocal in most gradients: then x * (1 / divisor) is silu(x), for less
than another Div. Other divisors keep their Div, whose quotients are rounded once: floor(a / b) may depend on it.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from opforge.plan.clamp_peephole import clamped
from opforge.plan.curve_peephole import shorter_curves
from opforge.plan.steps import literal

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from opforge.plan.steps import Step, Value


def tidied(steps: Sequence[Step], results: Collection[Value]) -> tuple[Step, ...]:
    """The steps that ``results`` need, without two negations of one value and quotients by a known reciprocal."""
    plain = shorter_curves(clamped(steps), results)
    return _used(_by_reciprocals(_negated_once(plain, results)), results)


def _negated_once(steps: Sequence[Step], results: Collection[Value]) -> list[Step]:
    """A product with a number, negated, is a product with the negative number. A product with 1 is its operand."""
    found: list[Step] = []
    same: dict[Value, Value] = {}
    products: dict[Value, Step] = {}
    for each in steps:
        step = replace(each, sources=tuple(same.get(source, source) for source in each.sources))
        inner = products.get(step.sources[0]) if step.name == "Muls" and step.scalar == literal(-1.0) else None
        once = step.name == "Muls" and step.scalar == literal(1.0) and step.target.tile
        twice = inner is not None and inner.scalar == literal(-1.0)
        if (once or twice) and step.target not in results:
            same[step.target] = inner.sources[0] if inner is not None and twice else step.sources[0]
            continue
        if inner is not None and inner.scalar is not None and inner.scalar.value is not None:
            step = replace(step, sources=inner.sources, scalar=literal(-inner.scalar.value))
        if step.name == "Muls" and step.target.dtype == "float32" and step.target.tile:
            products[step.target] = step
        found.append(step)
    return found


def _by_reciprocals(steps: Sequence[Step]) -> list[Step]:
    made = {step.target: step for step in steps}
    ones = {step.target for step in steps if step.name == "Duplicate" and step.scalar == literal(1.0)}
    reciprocals = {step.sources[1]: step for step in steps if step.name == "Div" and step.sources[0] in ones}
    known = {divisor: step for divisor, step in reciprocals.items() if _of_sigmoid(divisor, made)}
    found: list[Step] = []
    for step in steps:
        inverse = known.get(step.sources[1]) if step.name == "Div" else None
        if inverse is not None and step is not inverse:
            found += [each for each in (made[inverse.sources[0]], inverse) if each not in found]
            step = replace(step, name="Mul", sources=(step.sources[0], inverse.target))  # noqa: PLW2901
        if step not in found:
            found.append(step)
    return found


def _of_sigmoid(divisor: Value, made: dict[Value, Step]) -> bool:
    step = made.get(divisor)
    if step is None or step.name != "Adds" or step.scalar != literal(1.0):
        return False
    power = made.get(step.sources[0])
    return power is not None and power.name == "Exp"


def _used(steps: Sequence[Step], results: Collection[Value]) -> tuple[Step, ...]:
    needed = set(results)
    for step in reversed(steps):
        if step.target in needed:
            needed.update(step.sources)
    return tuple(step for step in steps if step.target in needed)
