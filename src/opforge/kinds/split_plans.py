"""Enumerates how the work of a kernel may be split, for `opforge tune`, with the likely fastest plans first.

A plan is ranked by the work of its busiest core: the elements that the core computes, what starting each tile costs,
and the first copy in and the last copy out, which nothing overlaps. Products are ranked as their host tiling chooses
tiles: ``CostOf`` in matmul_split.h explains the numbers.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from opforge.dtypes import DTYPES
from opforge.plan.split_plan import RankedPlan, SplitPlan
from opforge.program import Shape
from opforge.spec.dimensions import Dots, Symbol

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from opforge.kinds.products.plan import MatmulPlan
    from opforge.plan.vector_model import TileSize
    from opforge.soc import SocVersion
    from opforge.spec.combinations import Row
    from opforge.spec.model import OpSpec

# The constants of the host tilings: steps and limits of tiles, and what a tile costs beside its elements.
_TILE_STEP = 256
_LINE = 512  # bytes of GM that one core has for itself
_TILE_COST = 350  # in elements of an elementwise tile
_EXPOSED = 0.25  # share of a tile whose copies nothing overlaps: the first one in, and the last one out
_ROW_TILE_COST = 4096
_MOST_ROWS = 248
_FRACTAL = 16
_MOST_TILE = (128, 256)  # rows and columns of a tile of a product


def elementwise_plans(
    tiles: Sequence[TileSize], shapes: Iterable[Shape], row: Row, chip: SocVersion
) -> tuple[RankedPlan, ...]:
    """Numbers of cores, and sizes of tiles."""
    elements = math.prod(_whole(shapes))
    largest = min(tile.elements for tile in tiles if tile.dtypes == row)
    shares = {_up(_ceil(elements, cores), _LINE // 2): cores for cores in range(1, chip.vector_cores + 1)}
    found = []
    for share, cores in shares.items():
        for tile in range(_TILE_STEP, min(largest, _up(share, _TILE_STEP)) + 1, _TILE_STEP):
            work = share + _ceil(share, tile) * _TILE_COST + _EXPOSED * min(tile, share)
            found.append(RankedPlan(SplitPlan(cores=cores, tile_elements=tile), work))
    return _ranked(found)


def row_plans(
    tiles: Sequence[TileSize], shapes: Iterable[Shape], row: Row, chip: SocVersion, *, whole_rows: bool
) -> tuple[RankedPlan, ...]:
    """Numbers of cores and, with ``whole_rows``, of rows in a tile if a row fits in one."""
    whole = _whole(shapes)
    columns, count = max(whole[-1] if whole else 1, 1), math.prod(whole[:-1])
    largest = min(tile.elements for tile in tiles if tile.dtypes == row)
    pitch = _up(columns, _FRACTAL)
    most = min(largest // pitch, _MOST_ROWS) if whole_rows else 0
    found = []
    for each, cores in {_ceil(count, cores): cores for cores in range(1, chip.vector_cores + 1)}.items():
        for rows in range(1, min(most, each) + 1):
            turns = _ceil(_ceil(count, rows), cores)
            found.append(RankedPlan(SplitPlan(cores=cores, tile_rows=rows), turns * (rows * pitch + _ROW_TILE_COST)))
        if not most:
            found.append(RankedPlan(SplitPlan(cores=cores), each * pitch))
    return _ranked(found)


def product_plans(
    op: OpSpec, plan: MatmulPlan, shapes: Mapping[str, Shape], row: Row, chip: SocVersion
) -> tuple[RankedPlan, ...]:
    """Sizes of the output's tiles, and numbers of cores."""
    sizes = _sizes(op, shapes)
    rows, inner, columns = (max(sizes[name], 1) for name in (plan.shape.rows[0], plan.shape.k, plan.shape.n))
    size = DTYPES[row[0]].size
    turned = plan.shape.transposed
    found = []
    for cores in sorted({chip.cube_cores, chip.cube_cores * 3 // 4, chip.cube_cores // 2}):
        for tile_rows in range(_FRACTAL, min(_MOST_TILE[0], _up(rows, _FRACTAL)) + 1, _FRACTAL):
            for tile_columns in range(_FRACTAL, min(_MOST_TILE[1], _up(columns, _FRACTAL)) + 1, _FRACTAL):
                row_tiles, column_tiles = _ceil(rows, tile_rows), _ceil(columns, tile_columns)
                more_rows = _crossed(tile_rows, size) if turned[0] else 0
                more_columns = 0 if turned[1] else _crossed(tile_columns, size)
                elements = tile_rows * tile_columns
                loaded = tile_rows + more_rows + tile_columns + more_columns
                core = _ceil(row_tiles * column_tiles, cores) * (elements + 140 * loaded)
                moved = (
                    rows + columns + row_tiles * more_rows // column_tiles + column_tiles * more_columns // row_tiles
                )
                work = plan.products * max(core, 4 * size * moved) + 1500 * elements // inner
                found.append(RankedPlan(SplitPlan(cores, tile_rows=tile_rows, tile_columns=tile_columns), work))
    return _ranked(found)


def _crossed(elements: int, size: int) -> int:
    whole = elements * size
    step = whole & -whole
    return (whole % _LINE - step) * min(whole, _LINE) // _LINE // size if whole % _LINE else 0


def _ranked(plans: Iterable[RankedPlan]) -> tuple[RankedPlan, ...]:
    """Of equal work, fewer cores first would leave cores idle for nothing: more cores, then larger tiles."""
    return tuple(sorted(plans, key=lambda each: (each.work, [-number for number in vars(each.plan).values()])))


def _whole(shapes: Iterable[Shape]) -> Shape:
    """The broadcast shape."""
    every = tuple(shapes)
    rank = max(map(len, every), default=0)
    columns = zip(*((1,) * (rank - len(shape)) + tuple(shape) for shape in every), strict=True)
    return tuple(next((extent for extent in column if extent != 1), 1) for column in columns)


def _sizes(op: OpSpec, shapes: Mapping[str, Shape]) -> dict[str, int]:
    """The extents of all symbols, and the product of leading dimensions, whose name is ``...``."""
    sizes: dict[str, int] = {}
    for tensor in op.inputs:
        shape = tuple(shapes[tensor.name])
        for dim in reversed(tensor.dimensions):
            if isinstance(dim, Dots):
                sizes.setdefault(f"...{dim.name}", math.prod(shape))
            elif shape:
                if isinstance(dim, Symbol):
                    sizes.setdefault(dim.name, shape[-1])
                shape = shape[:-1]
    return sizes


def _ceil(value: int, step: int) -> int:
    return -(-value // step)


def _up(value: int, step: int) -> int:
    return max(_ceil(value, step) * step, step)
