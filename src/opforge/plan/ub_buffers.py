"""Gives every value of a lowered graph a place in UB, and reuses places whose values are no longer needed.

An input's view may be overwritten after its last read. What is computed from a column takes its place. An output's
value is built in its *home*. If the output is stored in the dtype that it is computed in, the home is its queue
buffer; otherwise it is a place that is free by then, or a temporary made for it (``FloatBuffer.stands_for``). float32
and int32 values never share a place. An Axpy works in the place of its first operand. That is the home if the sum is
built there. If the places differ, as those of values that are kept from one pass to another, a copy comes first.
"""

from __future__ import annotations

from dataclasses import field, replace
from itertools import chain
from types import MappingProxyType
from typing import TYPE_CHECKING

from opforge.frozen import dataclass
from opforge.plan.steps import AXPY, REDUCING, literal
from opforge.plan.vector_model import FloatBuffer, Instruction, OutputHome, Place

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping

    from opforge.plan.steps import Lowered, Step, Value
    from opforge.plan.vector_model import PlaceKind


def _arrivals(lowered: Lowered) -> tuple[Value, ...]:
    """The values that steps start from: matrix products, in float32, and inputs."""
    return (*lowered.products, *lowered.inputs)


def _arrival(value: Value) -> Place | None:
    """The place of the tile of an input or product; None for a value of rows or a computed one."""
    name = None if value.row else value.input or value.product
    return Place("column" if value.column else "input", name) if name else None


@dataclass(frozen=True)
class Allocation:
    """Instructions with places, the homes of outputs, and the buffers needed beside the queues."""

    instructions: tuple[Instruction, ...]
    homes: tuple[OutputHome, ...]
    floats: tuple[FloatBuffer, ...]
    masks: int


def _kind(value: Value) -> PlaceKind:
    return "integers" if value.dtype == "int32" else "temp"


@dataclass
class _Allocator:
    lowered: Lowered
    last_use: dict[int, int]
    place: dict[int, Place] = field(default_factory=dict)
    live: dict[Place, int] = field(default_factory=dict)  # place -> value in it
    temps: list[Place] = field(default_factory=list)  # float32 and int32, numbered separately
    masks: list[Place] = field(default_factory=list)
    home_of: dict[Place, str] = field(default_factory=dict)  # temporary -> the output whose home it is

    @property
    def results(self) -> list[Value]:
        """The values that outputs store. Terms of their sums never take an input's view: sums would be copied."""
        return [value for _, value in self.lowered.outputs]

    def free(self, places: list[Place]) -> list[Place]:
        return [p for p in places if p not in self.live]

    def release(self, step: int) -> None:
        for place, value in list(self.live.items()):
            if self.last_use.get(value, -1) <= step:
                del self.live[place]

    def new_temp(self, kind: PlaceKind) -> Place:
        self.temps.append(Place(kind, number=sum(p.kind == kind for p in self.temps)))
        return self.temps[-1]

    def mask_place(self, taken: tuple[Place, ...] = ()) -> Place:
        free = [place for place in self.free(self.masks) if place not in taken]
        if not free:
            self.masks.append(Place("mask", number=len(self.masks)))
            free = self.masks[-1:]
        return free[0]

    def candidates(self, step: Step, kind: PlaceKind) -> list[Place]:
        """Free places for a step's result, best first: an operand's, a temporary, an input's after its last read."""
        arrived = [v for v in _arrivals(self.lowered) if _kind(v) == kind and not v.column]
        inputs = [place for v in arrived if (place := _arrival(v))]
        free = self.free([*(p for p in self.temps if p.kind == kind), *inputs])
        sources = [self.place[s.id] for s in step.sources]
        apart = [self.place[s.id] for s in step.apart]
        free = [place for place in free if place not in apart]
        return sorted(free, key=lambda p: (p not in sources, p.kind == "input"))

    def result_place(self, step: Step, output: str | None) -> Place:
        kind = _kind(step.target)
        free = self.candidates(step, kind)
        own = self.place[step.sources[0].id] if step.name == AXPY else None
        if own in free and (output is None or self.home_of.get(own) == output):
            return own
        if output is not None:
            usable = [p for p in free if p.kind != "input" and p not in self.home_of]
            if step.target in self.results:
                usable += [p for p in free if p.kind == "input"]
            chosen = usable[0] if usable else self.new_temp(kind)
            if chosen.kind != "input":
                self.home_of[chosen] = output
            return chosen
        return free[0] if free else self.new_temp(kind)

    def work_places(self, number: int, step: Step, target: Place) -> tuple[Place, ...]:
        """Places for work space: neither the target nor a source, even if the step reads it for the last time.

        But a reduction works in place.
        """
        source = self.place[step.sources[0].id] if step.sources else target
        last = bool(step.sources) and self.last_use[step.sources[0].id] == number
        if step.work and step.name in REDUCING.values() and last and source.kind in ("input", "temp"):
            return (source,)
        taken = (target, *(self.place[s.id] for s in step.sources))
        free = [place for place in self.candidates(step, "temp") if place not in taken]
        floats = [free.pop(0) if free else self.new_temp("temp") for _ in range(step.work)]
        masks: list[Place] = []
        for _ in range(step.work_masks):
            masks.append(self.mask_place((*taken, *masks)))
        return (*floats, *masks)


def _last_uses(lowered: Lowered) -> dict[int, int]:
    last: dict[int, int] = {v.id: -1 for v in _arrivals(lowered)}
    for number, step in enumerate(lowered.steps):
        last.update({source.id: number for source in step.sources})
    last.update({value.id: len(lowered.steps) for _, value in lowered.outputs})
    return last


def allocate(lowered: Lowered, given: Mapping[int, Place] = MappingProxyType({})) -> Allocation:
    """Places for all values. A Select never overwrites its mask; others may overwrite operands that are not apart.

    ``given`` are the places of the values of rows, and of values that are kept from one pass to another.
    """
    first_output: dict[int, str] = {}
    for name, value in lowered.outputs:
        first_output.setdefault(value.id, name)
    home = _built_at_home(lowered, first_output)
    allocator = _Allocator(lowered, _last_uses(lowered), place=dict(given))
    for value in _arrivals(lowered):
        if place := _arrival(value):
            allocator.place[value.id] = place
            allocator.live[place] = value.id
    work: list[tuple[Place, ...]] = []
    for number, step in enumerate(lowered.steps):
        allocator.release(number)
        if step.target.id in given:
            place = given[step.target.id]
        elif step.target.column:
            place = allocator.place[step.sources[0].id]
        elif step.target.mask:
            place = allocator.mask_place()
        else:
            place = allocator.result_place(step, home.get(step.target.id))
        work.append(allocator.work_places(number, step, place))
        allocator.place[step.target.id] = place
        if step.target.id not in given:
            allocator.live[place] = step.target.id
    return _written_out(lowered, allocator, work, first_output, given.keys())


def _built_at_home(lowered: Lowered, first_output: Mapping[int, str]) -> dict[int, str]:
    """The values that are built in the home of an output, with its name: its own, and those to which an Axpy adds."""
    home = dict(first_output)
    for step in reversed(lowered.steps):
        if step.name == AXPY and step.target.id in home:
            home[step.sources[0].id] = home[step.target.id]
    return home


def _in_place(instruction: Instruction) -> Iterator[Instruction]:
    """The instruction. An Axpy gets its target as first source; a copy comes first if that is in another place."""
    target, sources = instruction.target, instruction.sources
    if instruction.name == AXPY and sources[0] != target:
        yield Instruction("Muls", target, sources[:1], literal(1.0))
        yield replace(instruction, sources=(target, *sources[1:]))
    else:
        yield instruction


def _written_out(
    lowered: Lowered,
    allocator: _Allocator,
    work: list[tuple[Place, ...]],
    first_output: dict[int, str],
    given: Collection[int],
) -> Allocation:
    """Renames places: an output's home, and the target of an output's step, get the output's name."""
    renamed = {place: Place("output", name) for place, name in allocator.home_of.items()}
    kept = [t for t in allocator.temps if t not in renamed]
    numbers = {t: Place(t.kind, number=sum(k.kind == t.kind for k in kept[:i])) for i, t in enumerate(kept)}

    def named(place: Place) -> Place:
        return renamed.get(place) or numbers.get(place) or place

    def final(value: Value) -> Place:
        if value.id in first_output and _arrival(value) is None and value.id not in given:
            return Place("output", first_output[value.id])
        return named(allocator.place[value.id])

    called = (
        Instruction(
            step.name,
            final(step.target),
            tuple(final(s) for s in step.sources),
            step.scalar,
            step.mode,
            tuple(map(named, places)),
            step.block,
        )
        for step, places in zip(lowered.steps, work, strict=True)
    )
    instructions = tuple(chain.from_iterable(map(_in_place, called)))
    homes = []
    floats = [FloatBuffer(Place("input", v.input or ""), v.input) for v in lowered.inputs if not v.row]
    floats += [FloatBuffer(numbers[t]) for t in kept]
    for name, value in lowered.outputs:
        place = allocator.place[value.id]
        if value.summed:  # stored when all tiles have been added
            continue
        if _arrival(value) is not None or first_output[value.id] != name or value.id in given:
            homes.append(OutputHome(name, final(value), copies=final(value)))
        elif place in renamed and renamed[place].name == name:
            homes.append(OutputHome(name, Place("output", name)))
            floats.append(FloatBuffer(Place("output", name), name))
        else:
            homes.append(OutputHome(name, place))
    return Allocation(instructions, tuple(homes), tuple(floats), len(allocator.masks))
