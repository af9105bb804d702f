"""Lists how the work of an elementwise kernel may be split: numbers of cores, and sizes of tiles."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from opforge.kinds.plan_ranking import LINE, ceil_div, ranked, round_up
from opforge.plan.split_plan import RankedPlan, SplitPlan
from opforge.render.ascendc.trials import broadcast_shape

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from opforge.plan.vector_model import TileSize
    from opforge.program import Shape
    from opforge.soc import SocVersion
    from opforge.spec.combinations import Row

_TILE_STEP = 256  # of elementwise.h
_TILE_COST = 350  # of starting a tile, in elements
_EXPOSED = 0.25  # share of a tile whose copies nothing overlaps: the first one in, and the last one out


def elementwise_plans(
    tiles: Sequence[TileSize], shapes: Iterable[Shape], row: Row, chip: SocVersion
) -> tuple[RankedPlan, ...]:
    """All plans, the likely fastest first; ``tiles``: the largest tile of each combination of dtypes."""
    elements = math.prod(broadcast_shape(tuple(shapes)))
    largest = min(tile.elements for tile in tiles if tile.dtypes == row)
    shares = {round_up(ceil_div(elements, cores), LINE // 2): cores for cores in range(1, chip.vector_cores + 1)}
    found = []
    for share, cores in shares.items():
        for tile in range(_TILE_STEP, min(largest, round_up(share, _TILE_STEP)) + 1, _TILE_STEP):
            work = share + ceil_div(share, tile) * _TILE_COST + _EXPOSED * min(tile, share)
            found.append(RankedPlan(SplitPlan(cores=cores, tile_elements=tile), work))
    return ranked(found)
