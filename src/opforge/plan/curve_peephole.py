"""Rewrites softplus, logsigmoid and elu, whose definitions have torch's slopes at 0, to steps that cost less.

``where(x > 0, -x, x)`` is min(-x, x), for exp. ``log1p(exp(min(-x, x)))`` is a log1p of numbers from 0 to 1; a large x
does not change by it. ``relu(x) + f(min(x, 0))`` is ``where(x > 0, x, f(x))`` if f(0) is 0. ``expm1`` of numbers up
to 0 costs less; f may compute anything for others.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING

from opforge.plan.signs import is_negated, sign_of
from opforge.plan.steps import Value, literal

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from opforge.plan.steps import Step

_ZERO = literal(0.0)
_TENSORS = "VSEL_TENSOR_TENSOR_MODE"
_LARGE = 17.0  # exp(-17) is less than half a unit in the last place of 17


def shorter_curves(steps: Sequence[Step], results: Collection[Value]) -> list[Step]:
    """The steps with those of curves replaced. Steps that nothing needs any more are left over."""
    found: list[Step] = []
    made: dict[Value, Step] = {}
    only_exp = _read_by_exp_alone(steps).difference(results)
    for each in steps:
        step = each
        if step.name == "Select" and step.target in only_exp and _is_negative_size(step, made):
            step = replace(step, name="Min", sources=step.sources[1:], mode=None)
        elif step.name == "Log1p" and _is_exp_below_1(step.sources[0], made):
            step = replace(step, name="Log1pUpTo1")
        elif step.name == "Expm1" and sign_of(step.sources[0], made) < 0:
            step = replace(step, name="Expm1UpTo0")
        elif step.name == "Select" and (total := _softplus(step, made)):
            step = replace(total, target=step.target)
        made[step.target] = step
        found.append(step)
    return _chosen_by_sign(found, results)


def _read_by_exp_alone(steps: Sequence[Step]) -> set[Value]:
    """The values of which nothing but exp is computed: the sign of a zero does not matter."""
    read = {source for step in steps for source in step.sources if step.name == "Exp"}
    return read.difference(source for step in steps for source in step.sources if step.name != "Exp")


def _mask_above(mask: Value, made: Mapping[Value, Step]) -> tuple[Value, float] | None:
    """The value and the number of the comparison ``value > number``."""
    step = made.get(mask)
    if step is None or step.name != "CompareScalar" or step.mode != "GT" or step.scalar is None:
        return None
    return None if step.scalar.value is None else (step.sources[0], step.scalar.value)


def _is_negative_size(step: Step, made: Mapping[Value, Step]) -> bool:
    """Whether it is ``where(x > 0, -x, x)``."""
    mask, chosen, *other = step.sources
    return len(other) == 1 and is_negated(chosen, other[0], made) and _mask_above(mask, made) == (other[0], 0.0)


def _is_exp_below_1(value: Value, made: Mapping[Value, Step]) -> bool:
    step = made.get(value)
    return step is not None and step.name == "Exp" and sign_of(step.sources[0], made) < 0


def _softplus(step: Step, made: Mapping[Value, Step]) -> Step | None:
    """The sum of ``where(x > threshold, x, relu(x) + log1p(exp(min(-x, x))))``, which is x for large x."""
    mask, x, *other = step.sources
    above, total = _mask_above(mask, made), made.get(other[0]) if other else None
    if above is None or above[0] != x or above[1] < _LARGE or total is None or total.name != "Add":
        return None
    relu, log = (made.get(source) for source in total.sources)
    if relu is None or log is None or (relu.name, relu.sources, log.name) != ("Relu", (x,), "Log1pUpTo1"):
        return None
    below = made[made[log.sources[0]].sources[0]]
    return total if below.name == "Min" and below.sources[1] == x else None


def _chosen_by_sign(steps: Sequence[Step], results: Collection[Value]) -> list[Step]:
    """Replaces ``relu(x) + f(min(x, 0))``, where nothing else reads a part of f."""
    uses = Counter([*(source for step in steps for source in step.sources), *results])
    made = {step.target: step for step in steps}
    fresh = 1 + max((value.id for value in (*uses, *made)), default=0)
    given: dict[Value, Value] = {}  # x, by the value of the first step of f
    chosen: dict[Value, tuple[Step, ...]] = {}
    for step in steps:
        relu = made.get(step.sources[0]) if step.name == "Add" and step.target.tile else None
        if relu is None or relu.name != "Relu" or not relu.sources[0].tile:
            continue
        x, first = relu.sources[0], made.get(step.sources[1])
        while first is not None and uses[first.target] == 1 and _keeps_0(first, made):
            below = made.get(first.sources[0])
            if below is not None and (below.name, below.sources, below.scalar) == ("Mins", (x,), _ZERO):
                given[first.target] = x
                above = Value(fresh + len(chosen), mask=True)
                compared = replace(below, name="CompareScalar", target=above, mode="GT")
                select = replace(step, name="Select", sources=(above, x, step.sources[1]), mode=_TENSORS)
                chosen[step.target] = (compared, select)
                break
            first = below
    found: list[Step] = []
    for step in steps:
        x_first = (given[step.target], *step.sources[1:]) if step.target in given else step.sources
        found += chosen.get(step.target, (replace(step, sources=x_first),))
    return found


def _keeps_0(step: Step, made: Mapping[Value, Step]) -> bool:
    """Whether the step makes 0 of 0."""
    if step.name == "Div":
        divisor = made.get(step.sources[1])
        return divisor is not None and divisor.name == "Duplicate"
    return step.name in ("Muls", "Expm1", "Expm1UpTo0")
