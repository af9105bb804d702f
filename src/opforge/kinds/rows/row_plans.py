"""Lists how the work of a kernel of rows may be split: numbers of cores, and of rows in a tile."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from opforge.kinds.plan_ranking import ceil_div, ranked, round_up
from opforge.plan.split_plan import RankedPlan, SplitPlan
from opforge.render.ascendc.trials import broadcast_shape

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from opforge.plan.vector_model import TileSize
    from opforge.program import Shape
    from opforge.soc import SocVersion
    from opforge.spec.combinations import Row

# Of rows.h: the most rows of a tile, and the cost of starting one, in elements.
_MOST_ROWS = 248
_TILE_COST = 4096
_ROW_STEP = 16


def row_plans(
    tiles: Sequence[TileSize], shapes: Iterable[Shape], row: Row, chip: SocVersion, *, whole_rows: bool
) -> tuple[RankedPlan, ...]:
    """All plans, the likely fastest first; ``tiles``: the largest tile of each combination of dtypes.

    Without ``whole_rows``, the number of rows in a tile is not to be chosen.
    """
    whole = broadcast_shape(tuple(shapes))
    columns, count = max(whole[-1] if whole else 1, 1), math.prod(whole[:-1])
    largest = min(tile.elements for tile in tiles if tile.dtypes == row)
    pitch = round_up(columns, _ROW_STEP)
    most = min(largest // pitch, _MOST_ROWS) if whole_rows else 0
    found = []
    for each, cores in {ceil_div(count, cores): cores for cores in range(1, chip.vector_cores + 1)}.items():
        for rows in range(1, min(most, each) + 1):
            turns = ceil_div(ceil_div(count, rows), cores)
            found.append(RankedPlan(SplitPlan(cores=cores, tile_rows=rows), turns * (rows * pitch + _TILE_COST)))
        if not most:
            found.append(RankedPlan(SplitPlan(cores=cores), each * pitch))
    return ranked(found)
