"""Plans rows that do not fit in a tile, but fit UB: the passes keep values of the whole row, and read inputs once.

Pass 0 leaves the values that later passes need, part by part, in buffers of a whole row; the next pass computes with
these, and leaves its own. ``y = x * rsqrt(mean(x * x))`` keeps ``x``; a layer norm replaces ``x`` by ``x - mean``.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from opforge.frozen import dataclass
from opforge.plan.steps import REDUCING, Lowered, Step, Value
from opforge.plan.vector_model import Place, ScalarOperand

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from opforge.kinds.rows.row_places import PassSteps

KEEP = "Keep"  # the step of an input whose queue leaves it in a kept value; later steps read that
_MOST_KEPT = 2  # values of a whole row; more of them leave too little for tiles


@dataclass(frozen=True)
class KeptPass:
    """The steps of one pass on a part, and the places of the values that are kept before it and after it."""

    lowered: Lowered
    places: Mapping[int, Place]

    @property
    def kept(self) -> set[Place]:
        """The buffers of a whole row that it uses."""
        return set(self.places.values())


def kept_passes(lowered: Lowered, passes: Sequence[PassSteps]) -> tuple[KeptPass, ...]:
    """The passes over a row that stays in UB; none if nothing can be kept, or too much would be."""
    made: list[KeptPass] = []
    kept: dict[int, Place] = {}
    fresh = 1 + max(value.id for value in (*lowered.inputs, *(step.target for step in lowered.steps)))
    for number, each in enumerate(passes):
        last = number + 1 == len(passes)
        outputs = tuple((name, value) for name, value in lowered.outputs if not value.row) if last else ()
        steps = _steps(each, outputs, kept)
        read = {source.id for step in steps for source in step.sources} | {value.id for _, value in outputs}
        inputs = tuple(value for value in lowered.inputs if value.id in read and value.id not in kept)
        made_of_tiles = (step.target for step in steps if any(source.tile for source in step.sources))
        values = {value.id: value for value in (*inputs, *made_of_tiles) if value.tile}
        left = _left(lowered, passes[number + 1 :], kept.keys() | values.keys())
        if any(values[one].mask or values[one].dtype != "float32" for one in left if one not in kept):
            return ()
        places = _places(left, kept, steps)
        copied = [value for value in inputs if value.id in places]
        copies = [_copy(value, Value(fresh + i)) for i, value in enumerate(copied)]
        instead = {value.id: copy.target for value, copy in zip(copied, copies, strict=True) if copy.name == KEEP}
        steps = tuple(replace(s, sources=tuple(instead.get(v.id, v) for v in s.sources)) for s in steps)
        outputs = tuple((name, instead.get(value.id, value)) for name, value in outputs)
        targets = {copy.target.id: places[value.id] for copy, value in zip(copies, copied, strict=True)}
        own = {one: place for one, place in places.items() if one not in {value.id for value in copied}}
        made.append(
            KeptPass(Lowered(inputs, (), (*copies, *steps), outputs, lowered.scalars), {**kept, **own, **targets})
        )
        kept = places
        if len({*places.values()}) > _MOST_KEPT or (number == 0 and not places):
            return ()
    return tuple(made)


def _copy(value: Value, kept: Value) -> Step:
    """The step that keeps an input. Its queue can leave it there, unless a number may replace it."""
    if value.otherwise is not None:
        return Step("Muls", kept, (value,), ScalarOperand(value=1.0))
    return Step(KEEP, kept, (value,))


def _steps(each: PassSteps, outputs: Sequence[tuple[str, Value]], kept: Mapping[int, Place]) -> tuple[Step, ...]:
    """The steps of a pass that are left if ``kept`` values need not be computed."""
    reductions = [step for step in each.part if step.name in REDUCING.values()]
    wanted = [step.sources[0].id for step in reductions] + [value.id for _, value in outputs]
    needed = _walked(each.part, wanted, kept.keys())
    return tuple(s for s in each.part if s in reductions or (s.target.id in needed and s.target.id not in kept))


def _walked(steps: Sequence[Step], wanted: Sequence[int], known: Collection[int]) -> set[int]:
    """The values of tiles that ``wanted`` are computed from, back to those that are ``known``."""
    needed = set(wanted)
    for step in reversed(steps):
        if step.target.id in needed and step.target.id not in known:
            needed.update(source.id for source in step.sources if not source.row)
    return needed


def _left(lowered: Lowered, later: Sequence[PassSteps], known: set[int]) -> list[int]:
    """The known values that later passes need, in order."""
    wanted = [step.sources[0].id for each in later for step in each.part if step.name in REDUCING.values()]
    wanted += [value.id for _, value in lowered.outputs if not value.row] if later else []
    return sorted(_walked(lowered.steps, wanted, known) & known)


def _places(left: Sequence[int], kept: Mapping[int, Place], steps: Sequence[Step]) -> dict[int, Place]:
    """A buffer for each value that is left. A new one may replace a value whose last use comes no later."""
    places = {one: kept[one] for one in left if one in kept}
    made = {step.target.id: number for number, step in enumerate(steps)}
    last: dict[Place, int] = {}
    for number, step in enumerate(steps):
        read = {source: number + (source in step.apart) for source in step.sources}
        last.update({kept[source.id]: at for source, at in read.items() if source.id in kept})
    for one in left:
        if one not in places:
            taken = set(places.values())
            numbers = (Place("kept", number=number) for number in range(len(left) + len(kept) + 1))
            free = (place for place in numbers if place not in taken and last.get(place, -1) <= made.get(one, -1))
            places[one] = next(free)
    return places
