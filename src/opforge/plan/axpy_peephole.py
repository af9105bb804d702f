"""Adds products with a number in place: ``a + b * s`` is one instruction, Axpy, if nothing reads ``a`` again.

Before: ``t = Muls(b, s)``, ``d = Add(a, t)``. After: ``d = Axpy(a, b, s)``, whose target takes the place of ``a``. An
input's view cannot become the buffer of an output: ``x + y * s`` keeps both steps where it is stored.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING

from opforge.plan.steps import AXPY

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from opforge.plan.steps import Step, Value


def added_in_place(steps: Sequence[Step], results: Collection[Value]) -> tuple[Step, ...]:
    """The steps with such sums replaced. ``results`` are the values that outputs store."""
    uses = Counter([*(source for step in steps for source in step.sources), *results])
    made = {step.target for step in steps}
    products = {step.target: step for step in steps if step.name == "Muls" and uses[step.target] == 1}
    read = set(results)  # by the steps that follow
    stored = set(results)  # the values that are built in the buffer of an output
    replaced: set[Value] = set()
    found: list[Step] = []
    for each in reversed(steps):
        if each.target in replaced:
            continue
        step = each
        for a, product in _terms(each, products):
            if a not in read and (a in made or each.target not in stored) and a != product.sources[0]:
                step = replace(each, name=AXPY, sources=(a, product.sources[0]), scalar=product.scalar)
                replaced.add(product.target)
                if each.target in stored:
                    stored.add(a)
                break
        read.update(step.sources)
        found.append(step)
    return tuple(reversed(found))


def _terms(step: Step, products: Mapping[Value, Step]) -> list[tuple[Value, Step]]:
    """The term that a sum of tiles may overwrite, with the product that it adds. Two if both are products."""
    if step.name != "Add" or step.target.dtype != "float32" or not all(source.tile for source in step.sources):
        return []
    a, b = step.sources
    pairs = [(one, products[other]) for one, other in ((a, b), (b, a)) if other in products]
    return [(one, product) for one, product in pairs if product.sources[0].tile]
