"""Spreads the buffers of tiles over the two halves of a row of UB's banks.

A repeat of an instruction takes 256 bytes of each operand, from neighbouring bank groups; the 16 groups follow each
other every 512 bytes. Two operands that an instruction reads meet in the same groups if both begin at a multiple of
512, and it takes twice as long. Source: asc-devkit, docs/zh, "避免Unified Buffer的bank冲突", and its example
bank_conflict_ub.
"""

from __future__ import annotations

from collections import Counter
from itertools import combinations
from typing import TYPE_CHECKING

from opforge.plan.coefficient_blocks import COEFFICIENTS
from opforge.plan.steps import POLYNOMIAL
from opforge.plan.vector_model import Place

if TYPE_CHECKING:
    from collections.abc import Iterable

    from opforge.plan.vector_model import Instruction

BANK_SHIFT = 256  # bytes: half a row of banks
_KEPT = Place("kept")  # buffers of whole rows are all behind those of tiles
_MOVABLE = ("input", "output", "temp", "integers")


def shifted_places(instructions: Iterable[Instruction], fewest: int = 1) -> frozenset[Place]:
    """The buffers that begin in the other half than the rest, so that few instructions read two in the same half.

    None if fewer than ``fewest`` instructions read two buffers. The result is the same in every run.
    """
    met: Counter[tuple[Place, Place]] = Counter()
    for instruction in instructions:
        read = dict.fromkeys(map(_buffer, instruction.sources))
        met.update(combinations([place for place in read if place.kind in (*_MOVABLE, "kept")], 2))
        met.update(_met_in_function(instruction))
    places = [place for place in dict.fromkeys(place for pair in met for place in pair) if place != _KEPT]
    shifted = {_KEPT}
    for number, place in enumerate(places):
        known = {_KEPT, *places[: number + 1]}
        if _gain(place, Counter({pair: met[pair] for pair in met if known.issuperset(pair)}), shifted) > 0:
            shifted.add(place)
    moved = True
    while moved:  # each move leaves fewer conflicts
        moved = False
        for place in places:
            if _gain(place, met, shifted) > 0:
                shifted ^= {place}
                moved = True
    return frozenset(shifted - {_KEPT}) if met.total() >= fewest else frozenset()


def _met_in_function(instruction: Instruction) -> Counter[tuple[Place, Place]]:
    """The pairs that a function of vector_math.h reads: its last work tile, of its polynomials, and each other tile."""
    if instruction.name == POLYNOMIAL and instruction.mode is not None:
        pairs = combinations(dict.fromkeys(map(_buffer, (instruction.sources[0], instruction.target))), 2)
        return Counter({pair: COEFFICIENTS[instruction.mode] - 2 for pair in pairs if _movable(pair)})
    work = [place for place in map(_buffer, instruction.work) if place.kind in _MOVABLE]
    if len(work) < 2:
        return Counter()
    others = [*map(_buffer, instruction.sources), *work[:-1]]
    return Counter({(other, work[-1]): 2 for other in others if other.kind in _MOVABLE})


def _movable(pair: Iterable[Place]) -> bool:
    return all(place.kind in _MOVABLE for place in pair)


def _buffer(place: Place) -> Place:
    """The buffer that a place is in."""
    if place.kind == "column":
        return Place("input", place.name)
    return _KEPT if place.kind == "kept" else place


def _gain(place: Place, met: Counter[tuple[Place, Place]], shifted: set[Place]) -> int:
    """How many fewer conflicts there are if the place moves to the other half."""
    gain = 0
    for pair, times in met.items():
        if place in pair:
            other = pair[0] if pair[1] == place else pair[1]
            gain += times if (place in shifted) == (other in shifted) else -times
    return gain
