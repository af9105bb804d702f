"""Gives every value of a lowered graph a place in UB, reusing places whose values are no longer needed.

An input's float32 view may be overwritten once the input has been read for the last time. An output's value is built
in its *home*. With float32 storage the home is the output's own queue buffer; with 16-bit storage it is a place that
has become free by then, or a temporary that exists for no other reason (``FloatBuffer.stands_for``).
"""

from __future__ import annotations

from dataclasses import dataclass, field

from opforge.plan.lowering import Lowered, Step, Value
from opforge.plan.model import FloatBuffer, Instruction, OutputHome, Place


def _arrivals(lowered: Lowered) -> tuple[Value, ...]:
    """What the steps start from: matrix products, in float32, and inputs."""
    return (*lowered.products, *lowered.inputs)


def _arrival(value: Value) -> Place | None:
    """Where a value is from the start."""
    name = value.input or value.product
    return Place("input", name) if name else None


@dataclass(frozen=True)
class Allocation:
    """Instructions with places, where outputs live, and what room they need beside the queues."""

    instructions: tuple[Instruction, ...]
    homes: tuple[OutputHome, ...]
    floats: tuple[FloatBuffer, ...]
    masks: int


@dataclass
class _Allocator:
    lowered: Lowered
    last_use: dict[int, int]
    place: dict[int, Place] = field(default_factory=dict)
    live: dict[Place, int] = field(default_factory=dict)  # place -> value in it
    temps: list[Place] = field(default_factory=list)
    masks: list[Place] = field(default_factory=list)
    home_of: dict[int, str] = field(default_factory=dict)  # temporary's number -> the output it is home of

    def free(self, places: list[Place]) -> list[Place]:
        return [p for p in places if p not in self.live]

    def release(self, step: int) -> None:
        for place, value in list(self.live.items()):
            if self.last_use.get(value, -1) <= step:
                del self.live[place]

    def new_temp(self) -> Place:
        self.temps.append(Place("temp", number=len(self.temps)))
        return self.temps[-1]

    def mask_place(self) -> Place:
        free = self.free(self.masks)
        if not free:
            self.masks.append(Place("mask", number=len(self.masks)))
            free = self.masks[-1:]
        return free[0]

    def candidates(self, step: Step) -> list[Place]:
        """Free places for a step's result, best first: in place of an operand, another temporary, a read-out input."""
        inputs = [place for v in _arrivals(self.lowered) if (place := _arrival(v))]
        free = self.free([*self.temps, *inputs])
        sources = [self.place[s.id] for s in step.sources]
        return sorted(free, key=lambda p: (p not in sources, p.kind != "temp"))

    def float_place(self, step: Step, output: str | None) -> Place:
        free = self.candidates(step)
        if output is not None:
            unclaimed = [p for p in free if p.kind == "temp" and p.number not in self.home_of]
            chosen = (
                unclaimed[0] if unclaimed else next((p for p in free if p.kind == "input"), None) or self.new_temp()
            )
            if chosen.kind == "temp":
                self.home_of[chosen.number] = output
            return chosen
        return free[0] if free else self.new_temp()


def _last_uses(lowered: Lowered) -> dict[int, int]:
    last: dict[int, int] = {v.id: -1 for v in _arrivals(lowered)}
    for number, step in enumerate(lowered.steps):
        last.update({source.id: number for source in step.sources})
    last.update({value.id: len(lowered.steps) for _, value in lowered.outputs})
    return last


def allocate(lowered: Lowered) -> Allocation:
    """Places for all values. A mask and what is selected by it never share one; every other result may be in place."""
    first_output: dict[int, str] = {}
    for name, value in lowered.outputs:
        first_output.setdefault(value.id, name)
    allocator = _Allocator(lowered, _last_uses(lowered))
    for value in _arrivals(lowered):
        if place := _arrival(value):
            allocator.place[value.id] = place
            allocator.live[place] = value.id
    steps: list[tuple[Step, Place]] = []
    for number, step in enumerate(lowered.steps):
        allocator.release(number)
        if step.target.mask:
            place = allocator.mask_place()
        else:
            place = allocator.float_place(step, first_output.get(step.target.id))
        allocator.place[step.target.id] = place
        allocator.live[place] = step.target.id
        steps.append((step, place))
    return _written_out(lowered, allocator, steps, first_output)


def _written_out(
    lowered: Lowered, allocator: _Allocator, steps: list[tuple[Step, Place]], first_output: dict[int, str]
) -> Allocation:
    """Renames: a temporary that is an output's home is called by the output, and so is what an output's step writes."""
    renamed = {Place("temp", number=n): Place("output", name) for n, name in allocator.home_of.items()}
    kept = [t for t in allocator.temps if t not in renamed]
    numbers = {t: Place("temp", number=i) for i, t in enumerate(kept)}

    def final(value: Value) -> Place:
        if value.id in first_output and _arrival(value) is None:
            return Place("output", first_output[value.id])
        place = allocator.place[value.id]
        return renamed.get(place) or numbers.get(place) or place

    instructions = tuple(
        Instruction(step.name, final(step.target), tuple(final(s) for s in step.sources), step.scalar, step.mode)
        for step, _ in steps
    )
    homes = []
    floats = [FloatBuffer(Place("input", v.input or ""), v.input) for v in lowered.inputs]
    floats += [FloatBuffer(Place("temp", number=i)) for i in range(len(kept))]
    for name, value in lowered.outputs:
        place = allocator.place[value.id]
        if _arrival(value) is not None or first_output[value.id] != name:
            homes.append(OutputHome(name, final(value), copies=final(value)))
        elif place in renamed and renamed[place].name == name:
            homes.append(OutputHome(name, Place("output", name)))
            floats.append(FloatBuffer(Place("output", name), name))
        else:
            homes.append(OutputHome(name, place))
    return Allocation(instructions, tuple(homes), tuple(floats), len(allocator.masks))
