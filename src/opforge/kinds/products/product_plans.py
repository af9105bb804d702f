"""Lists how the work of a kernel of products may be split: sizes of the output's tiles, and numbers of cores.

They are ranked as the host tiling chooses tiles: ``CostOf`` in matmul_split.h explains the numbers.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from opforge.dtypes import DTYPES
from opforge.kinds.plan_ranking import LINE, ceil_div, ranked, round_up
from opforge.plan.split_plan import RankedPlan, SplitPlan
from opforge.spec.dimensions import Dots, Symbol

if TYPE_CHECKING:
    from collections.abc import Mapping

    from opforge.kinds.products.plan import MatmulPlan
    from opforge.program import Shape
    from opforge.soc import SocVersion
    from opforge.spec.combinations import Row
    from opforge.spec.model import OpSpec

_FRACTAL = 16
_MOST_TILE = (128, 256)  # rows and columns


def product_plans(
    op: OpSpec, plan: MatmulPlan, shapes: Mapping[str, Shape], row: Row, chip: SocVersion
) -> tuple[RankedPlan, ...]:
    """All plans, the likely fastest first."""
    sizes = _sizes(op, shapes)
    rows, inner, columns = (max(sizes[name], 1) for name in (plan.shape.rows[0], plan.shape.k, plan.shape.n))
    operand = next(place for place, tensor in enumerate(op.inputs) if tensor.name == plan.shape.left[0])
    size = DTYPES[row[operand]].size
    turned = plan.shape.transposed
    found = []
    for cores in sorted({chip.cube_cores, chip.cube_cores * 3 // 4, chip.cube_cores // 2} - {0}):
        for tile_rows in range(_FRACTAL, min(_MOST_TILE[0], round_up(rows, _FRACTAL)) + 1, _FRACTAL):
            for tile_columns in range(_FRACTAL, min(_MOST_TILE[1], round_up(columns, _FRACTAL)) + 1, _FRACTAL):
                row_tiles, column_tiles = ceil_div(rows, tile_rows), ceil_div(columns, tile_columns)
                more_rows = _crossed(tile_rows, size) if turned[0] else 0
                more_columns = 0 if turned[1] else _crossed(tile_columns, size)
                elements = tile_rows * tile_columns
                loaded = tile_rows + more_rows + tile_columns + more_columns
                core = ceil_div(row_tiles * column_tiles, cores) * (elements + 140 * loaded)
                moved = (
                    rows + columns + row_tiles * more_rows // column_tiles + column_tiles * more_columns // row_tiles
                )
                after = 0 if plan.cubes_alone else 1500 * elements // inner
                work = plan.products * max(core, 4 * size * moved) + after
                found.append(RankedPlan(SplitPlan(cores, tile_rows=tile_rows, tile_columns=tile_columns), work))
    return ranked(found)


def _crossed(elements: int, size: int) -> int:
    whole = elements * size
    step = whole & -whole
    return (whole % LINE - step) * min(whole, LINE) // LINE // size if whole % LINE else 0


def _sizes(op: OpSpec, shapes: Mapping[str, Shape]) -> dict[str, int]:
    """The extents of all symbols, and the product of leading dimensions, whose name is ``...``."""
    sizes: dict[str, int] = {}
    for tensor in op.inputs:
        if tensor.name not in shapes:
            continue  # an optional input that is missing
        shape = tuple(shapes[tensor.name])
        for dim in reversed(tensor.dimensions):
            if isinstance(dim, Dots):
                sizes.setdefault(f"...{dim.name}", math.prod(shape))
            elif shape:
                if isinstance(dim, Symbol):
                    sizes.setdefault(dim.name, shape[-1])
                shape = shape[:-1]
    return sizes
