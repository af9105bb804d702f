"""Sizes of named dimensions for tests: each alone at its extremes, and each pair of sizes of two dimensions.

A mistake in one dimension (the offset of a tile, a tail, a core's share) often shows only at certain sizes of another
one. Nearly all mistakes show for some pair (D. R. Kuhn et al., Software Fault Interactions, IEEE TSE 30(6), 2004).
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

ROWS = "..."  # the name of the leading dimensions, which have one size here
USUAL = (5, 7, 3, 2)  # in the order in which symbols occur
LEVELS = (1, 7, 16, 255, 256, 257, 4097)  # a prime, a block of 32 bytes, around tiles of 256, many tiles
LARGE = 100_003  # more than a tile and more than one core's share; a prime
BESIDE_LARGE = (1, 7)
ALONE = 1_000_003  # of a dimension without others: several tiles for each of 48 cores; a prime
MOST = 1_100_000  # elements that two dimensions make together: 4097 * 257 fits
MANY = 20_000  # elements that more than two dimensions make together, unless two of them are larger


@dataclass(frozen=True)
class Size:
    """The sizes of a dimension that an operator supports: multiples of ``multiple_of`` from ``min`` to ``max``."""

    min: int = 0
    max: int | None = None
    multiple_of: int = 1

    def nearest(self, size: int) -> int:
        """The supported size next to ``size``."""
        step = self.multiple_of
        most = math.inf if self.max is None else self.max // step * step
        least = -(-self.min // step) * step
        wanted = round(size / step) * step or (step if size else 0)
        return int(min(max(wanted, least), most))

    def allows(self, size: int) -> bool:
        """Whether the operator supports this size."""
        return self.nearest(size) == size


ANY = Size()
Sizes = dict[str, int]  # by name; ROWS for leading dimensions


def usual(names: Sequence[str], limits: Mapping[str, Size]) -> Sizes:
    """Small sizes of all symbols."""
    symbols = [name for name in names if name != ROWS]
    return {name: limits.get(name, ANY).nearest(USUAL[i % len(USUAL)]) for i, name in enumerate(symbols)}


def varied(names: Sequence[str], limits: Mapping[str, Size]) -> list[Sizes]:
    """Sizes of all names, the smallest first. Every dimension is 0, every level and LARGE; levels occur in pairs."""
    if not names:
        return [{}]
    levels = {name: _levels(limits.get(name, ANY), LEVELS) for name in names}
    made = covering(levels)
    for name in names:
        limit = limits.get(name, ANY)
        others = [other for other in names if other != name]
        for beside in BESIDE_LARGE if others else BESIDE_LARGE[:1]:
            rest = {other: limits.get(other, ANY).nearest(beside) for other in others}
            made.append({name: limit.nearest(LARGE), **rest})
        if not others:
            made.append({name: limit.nearest(ALONE)})
        if limit.allows(0):
            made.append({name: 0, **{other: limits.get(other, ANY).nearest(7) for other in others}})
    ordered = [{name: sizes[name] for name in names} for sizes in made if math.prod(sizes.values()) <= 2 * MOST]
    distinct = {tuple(sizes.values()): sizes for sizes in ordered}
    return sorted(distinct.values(), key=lambda sizes: (math.prod(sizes.values()), *sizes.values()))


def covering(levels: Mapping[str, Sequence[int]]) -> list[Sizes]:
    """Sizes such that each pair of levels of two names occurs, except pairs of more than MOST elements."""
    if len(levels) == 1:
        return [{name: level} for name, several in levels.items() for level in several]
    least = {name: min(several) for name, several in levels.items()}
    open_pairs = {
        ((one, x), (two, y)): None
        for one, two in itertools.combinations(levels, 2)
        for x in levels[one]
        for y in levels[two]
        if math.prod({**least, one: x, two: y}.values()) <= MOST
    }
    made = []
    while open_pairs:
        pair = max(open_pairs, key=lambda each: each[0][1] * each[1][1])
        sizes = dict(pair)
        most = max(MANY, math.prod({**least, **sizes}.values()))
        for name in (name for name in levels if name not in sizes):
            sizes[name] = max(
                (level for level in levels[name] if math.prod({**least, **sizes, name: level}.values()) <= most),
                key=lambda level: sum(known in open_pairs for known in _pairs({**sizes, name: level}, levels)),
            )
        for known in _pairs(sizes, levels):
            open_pairs.pop(known, None)
        made.append(sizes)
    return made


def _pairs(sizes: Sizes, levels: Mapping[str, Sequence[int]]) -> list[tuple[tuple[str, int], tuple[str, int]]]:
    named = [(name, sizes[name]) for name in levels if name in sizes]
    return list(itertools.combinations(named, 2))


def _levels(limit: Size, levels: Sequence[int]) -> list[int]:
    """The levels, each moved to the nearest supported size."""
    return list(dict.fromkeys(limit.nearest(level) for level in levels))
