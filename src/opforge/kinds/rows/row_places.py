"""Gives the values of rows places in UB. Values that are not needed at the same time share one.

A kernel runs the steps in two orders: all of them on a tile of whole rows, or pass by pass on parts of a row. Two
values share a place if neither order needs both at once. What a pass reads in a part, it reads again in the next part.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from opforge.frozen import dataclass
from opforge.plan.steps import REDUCING
from opforge.plan.vector_model import Place

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from opforge.plan.steps import Lowered, Step, Value
    from opforge.plan.vector_model import PlaceKind


@dataclass(frozen=True)
class PassSteps:
    """The steps of one pass: those on each part of a row, and those that follow the last part."""

    part: tuple[Step, ...]
    finish: tuple[Step, ...]


@dataclass
class _Life:
    """When a value is made, and when it is read for the last time."""

    made: int
    read: int

    def meets(self, other: _Life) -> bool:
        """Whether both are needed at once. A step may write its result over an operand."""
        return self.made < other.read and other.made < self.read


def row_places(lowered: Lowered, begin: Sequence[Step], passes: Sequence[PassSteps]) -> Mapping[int, Place]:
    """A place for each value of rows, by value. ``begin`` are the steps that come before all passes."""
    lives = _in_order(lowered.steps, lowered), _pass_by_pass(begin, passes, lowered)
    found: dict[int, Place] = {}
    for value in (*lowered.inputs, *(step.target for step in lowered.steps)):
        if value.row:
            found[value.id] = _free(value, found, lives)
    return found


def _free(value: Value, found: Mapping[int, Place], lives: Sequence[Mapping[int, _Life]]) -> Place:
    """The first place whose values are not needed together with this one."""
    kind: PlaceKind = "row mask" if value.mask else "row"
    taken = {
        place
        for other, place in found.items()
        if any(other in order and value.id in order and order[value.id].meets(order[other]) for order in lives)
    }
    return next(place for number in range(len(found) + 1) if (place := Place(kind, number=number)) not in taken)


def _in_order(steps: Sequence[Step], lowered: Lowered) -> Mapping[int, _Life]:
    lives = _loaded(lowered)
    for time, step in enumerate(steps):
        _read(lives, step.sources, _last_read(step, time))
        if step.target.row:
            lives[step.target.id] = _Life(time, time + 1)
    _read(lives, [value for _, value in lowered.outputs], len(steps) + 1)
    return lives


def _pass_by_pass(begin: Sequence[Step], passes: Sequence[PassSteps], lowered: Lowered) -> Mapping[int, _Life]:
    lives = _loaded(lowered)
    time = 0
    for step in begin:
        _read(lives, step.sources, _last_read(step, time))
        lives[step.target.id] = _Life(time, time + 1)
        time += 1
    for each in passes:
        time += 1  # all parts
        for step in each.part:
            _read(lives, step.sources, time)
        for step in each.part:
            if step.name in REDUCING.values():
                lives[step.target.id] = _Life(time, time + 1)
        for step in each.finish:
            time += 1
            _read(lives, step.sources, _last_read(step, time))
            lives[step.target.id] = _Life(time, time + 1)
        time += 1
    _read(lives, [value for _, value in lowered.outputs], time + 1)
    return lives


def _loaded(lowered: Lowered) -> dict[int, _Life]:
    """The inputs with one element for each row, which are loaded before the first step."""
    return {value.id: _Life(-1, 0) for value in lowered.inputs if value.row}


def _last_read(step: Step, time: int) -> int:
    """When a step reads its sources for the last time: after it has written, if one must stay apart."""
    return time + 1 if step.apart else time


def _read(lives: Mapping[int, _Life], values: Sequence[Value], time: int) -> None:
    for value in values:
        if value.id in lives:
            lives[value.id].read = max(lives[value.id].read, time)
