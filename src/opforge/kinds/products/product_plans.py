"""Lists how the work of a kernel of products may be split: tiles, cores, parts of K, loads and orders.

They are ranked as the host tiling chooses: ``CostOf`` in matmul_split.h explains the numbers, and for kernels whose
cores share sums, ``CostOf`` in inner_split.h.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from opforge.dtypes import DTYPES
from opforge.frozen import dataclass
from opforge.kinds.plan_ranking import LINE, ceil_div, ranked, round_up
from opforge.kinds.products.plan import BASE_N, PRODUCT_TILE, TILE_ELEMENTS, most_rows
from opforge.plan.split_plan import RankedPlan, SplitPlan
from opforge.soc import SOCS, Soc, soc_of_version
from opforge.spec.dimensions import Dots, Symbol

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from opforge.kinds.products.plan import MatmulPlan
    from opforge.program import Shape
    from opforge.soc import SocVersion
    from opforge.spec.combinations import Row
    from opforge.spec.model import OpSpec

_FRACTAL = 16
_L2 = 96 * 1024 * 1024  # bytes of operands up to which every order finds them in L2
_GROUPS = (2, 4, 8)  # rows of tiles that the cores take together
_LOADS = (2, 4)  # the parts of the tiling's own loads
_WAVES = 4  # parts of tiles for each cube core, at most
_MOST_PARTS = 64
_MOST_ELEMENTS = 1 << 30  # of a part
_ADD_STEP, _MEETING = 128, 15_000_000


@dataclass(frozen=True)
class _Product:
    """The sizes of the products, the bytes of an operand's element, and which operands are stored transposed."""

    rows: int
    inner: int
    columns: int
    size: int
    turned: tuple[bool, bool]
    products: int
    finished: bool

    @property
    def tiles(self) -> Iterator[tuple[int, int]]:
        """The rows and columns of all tiles."""
        for rows in range(_FRACTAL, min(most_rows(self.turned), round_up(self.rows, _FRACTAL)) + 1, _FRACTAL):
            widest = min(BASE_N, TILE_ELEMENTS // rows)
            for columns in range(_FRACTAL, min(widest, round_up(self.columns, _FRACTAL)) + 1, _FRACTAL):
                yield rows, columns

    def counts(self, tile: tuple[int, int]) -> tuple[int, int]:
        """The numbers of rows and columns of tiles."""
        return ceil_div(self.rows, tile[0]), ceil_div(self.columns, tile[1])

    def crossed(self, tile: tuple[int, int]) -> tuple[int, int]:
        """The elements that are moved beyond a tile's rows and columns."""
        return (
            _crossed(tile[0], self.size) if self.turned[0] else 0,
            0 if self.turned[1] else _crossed(tile[1], self.size),
        )


def product_plans(
    op: OpSpec, plan: MatmulPlan, shapes: Mapping[str, Shape], row: Row, chip: SocVersion
) -> tuple[RankedPlan, ...]:
    """All plans, the likely fastest first."""
    sizes = _sizes(op, shapes)
    rows, inner, columns = (max(sizes[name], 1) for name in (plan.shape.rows[0], plan.shape.k, plan.shape.n))
    operand = next(place for place, tensor in enumerate(op.inputs) if tensor.name == plan.shape.left[0])
    size = DTYPES[row[operand]].size
    product = _Product(rows, inner, columns, size, plan.shape.transposed, plan.products, not plan.cubes_alone)
    if chip.vector_cores < 2 * chip.cube_cores:  # cores that are both load one block of K at once, in one order
        rows, columns = PRODUCT_TILE
        plans = _split_tiles(product, chip)
        return ranked(each for each in plans if each.plan.tile_rows <= rows and each.plan.tile_columns <= columns)
    soc = soc_of_version(chip.name) or SOCS["ascend910b"]
    plain = _split_parts(product, chip) if plan.shares_sums else _split_tiles(product, chip)
    return ranked(
        each for one in plain for each in (one, *_other_loads(product, soc, one), *_other_orders(product, one))
    )


def _split_tiles(product: _Product, chip: SocVersion) -> Iterator[RankedPlan]:
    """A core computes whole tiles."""
    for cores in sorted({chip.cube_cores, chip.cube_cores * 3 // 4, chip.cube_cores // 2} - {0}):
        for tile in product.tiles:
            yield RankedPlan(SplitPlan(cores, tile_rows=tile[0], tile_columns=tile[1]), _cost(product, tile, cores))


def _cost(product: _Product, tile: tuple[int, int], cores: int) -> int:
    """``CostOf`` in matmul_split.h."""
    (row_tiles, column_tiles), (more_rows, more_columns) = product.counts(tile), product.crossed(tile)
    elements = tile[0] * tile[1]
    loaded = tile[0] + more_rows + tile[1] + more_columns
    core = ceil_div(row_tiles * column_tiles, cores) * (elements + 140 * loaded)
    lines = product.rows + product.columns
    moved = lines + row_tiles * more_rows // column_tiles + column_tiles * more_columns // row_tiles
    after = 1500 * elements // product.inner if product.finished else 0
    return product.products * max(core, 4 * product.size * moved) + after


def _split_parts(product: _Product, chip: SocVersion) -> Iterator[RankedPlan]:
    """Cores compute parts of K of tiles. One part is a plan, too: the tiling may choose more."""
    step = LINE // product.size
    steps = ceil_div(product.inner, step)
    most = min(steps, _MOST_PARTS) if product.rows * product.columns <= _MOST_ELEMENTS else 1
    numbers = [n for n in range(1, most + 1) if ceil_div(steps, ceil_div(steps, n)) == n]
    for tile in product.tiles:
        tiles = math.prod(product.counts(tile))
        for parts in numbers:
            if parts == 1 or tiles * parts <= _WAVES * chip.cube_cores:
                part = ceil_div(steps, parts) * step if parts > 1 else product.inner
                work = _cost_of_parts(product, tile, parts, part, chip.cube_cores)
                plan = SplitPlan(chip.cube_cores, tile_rows=tile[0], tile_columns=tile[1], inner_parts=parts)
                yield RankedPlan(plan, work)


def _cost_of_parts(product: _Product, tile: tuple[int, int], parts: int, part: int, cores: int) -> int:
    """``CostOf`` in inner_split.h, with ``part`` elements of K in each part."""
    (row_tiles, column_tiles), (more_rows, more_columns) = product.counts(tile), product.crossed(tile)
    size, turned = product.size, product.turned
    multiplied = tile[0] * tile[1] * (4 if size == 4 else 1)
    loaded = _load(min(tile[0], product.rows), product.rows, size, across=turned[0])
    loaded += _load(min(tile[1], product.columns), product.columns, size, across=not turned[1])
    core = ceil_div(row_tiles * column_tiles * parts, cores) * (multiplied + loaded) * part
    lines = product.rows + product.columns
    lines += row_tiles * more_rows // column_tiles + column_tiles * more_columns // row_tiles
    moved = 6 * size * lines * product.inner
    elements = round_up(product.rows * product.columns, _ADD_STEP)
    added = _MEETING + product.products * 32 * parts * elements if parts > 1 else 0
    return product.products * max(core, moved) + added


def _load(lines: int, every: int, size: int, *, across: bool) -> int:
    """``LoadOf`` in inner_split.h."""
    if not across:
        return 70 * size * lines
    return 37 * size * (lines + _crossed(lines, size)) + 20480 if lines < every else 37 * size * every


def _other_loads(product: _Product, soc: Soc, one: RankedPlan) -> Iterator[RankedPlan]:
    """The plan with shorter loads than the tiling's own: the first one is there earlier, and each takes its time."""
    plan = one.plan
    inner = ceil_div(product.inner, plan.inner_parts or 1)
    least = 32 // product.size
    room = min(soc.l0a, soc.l0b) // 2  # which are filled in turns
    base = min(room // (max(plan.tile_rows, plan.tile_columns) * product.size) // least * least, round_up(inner, least))
    blocks = ceil_div(inner, base)
    most = soc.l1 // ((plan.tile_rows + plan.tile_columns) * base * product.size)
    usual = blocks if most >= blocks else max(most // 2, 1)
    for load in sorted({usual // divisor for divisor in _LOADS} - {0, usual}):
        yield _changed(one, one.work, load_blocks=load)


def _other_orders(product: _Product, one: RankedPlan) -> Iterator[RankedPlan]:
    """The plan with other orders of tiles, if L2 does not hold all operands. The work does not know L2."""
    operands = (product.rows + product.products * product.columns) * product.inner * product.size
    row_tiles, column_tiles = product.counts((one.plan.tile_rows, one.plan.tile_columns))
    if operands <= _L2 or column_tiles == 1 or one.plan.inner_parts > 1:
        return
    for group in sorted({min(group, row_tiles) for group in (*_GROUPS, row_tiles)} - {1}):
        yield _changed(one, one.work, tile_group=group)


def _changed(one: RankedPlan, work: float, **members: int) -> RankedPlan:
    return RankedPlan(SplitPlan(**{**vars(one.plan), **members}), work)


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
