"""Contexts of the passes over few rows, of which all cores read parts.

A pass leaves the reductions of each part in *slots* of the workspace: one for each reduction of all passes. The cores
wait for each other. Then a core combines those of a row in the order of a core alone, so that the bits are the same.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from opforge.frozen import dataclass
from opforge.kinds.rows.plan import reductions_of
from opforge.render.ascendc.instruction_spelling import Call, combine_call

if TYPE_CHECKING:
    from collections.abc import Sequence

    from opforge.kinds.rows.plan import RowsPlan


@dataclass(frozen=True)
class SpreadPass:
    """The calls of one pass: ``name`` reads a part.

    ``begins``: values of rows are made before the first part of a row that a core reads; ``earlier``: the passes that
    make these. ``combined``: the calls that combine its reductions; none for the pass that writes results. ``stored``:
    the arguments of the call that stores a part's. ``stores_rows``: the pass also stores results with one element for
    each row.
    """

    name: str
    arguments: tuple[str, ...]
    begins: bool
    earlier: tuple[str, ...]
    stored: tuple[str, ...]
    combined: tuple[Call, ...]
    stores_rows: bool


def combined_at_end(plan: RowsPlan, names: Sequence[str]) -> tuple[str, ...]:
    """The passes whose reductions are combined after all of them, if all results have one element for each row."""
    return tuple(names) if all(reductions_of(each.part) for each in plan.passes) else ()


def spread_passes(plan: RowsPlan, names: Sequence[str]) -> tuple[SpreadPass, ...]:
    """The passes in order; ``names`` are those of their functions."""
    tile = "part" if plan.axes.along else "TileOf(part)"
    made: list[SpreadPass] = []
    slot = 0
    for name, each in zip(names, plan.passes, strict=True):
        reductions = reductions_of(each.part)
        combined = tuple(combine_call(i, slot + number, number) for number, i in enumerate(reductions))
        first = ("true",) if reductions else ()
        stores_rows = not reductions and any(argument.row for argument in plan.outputs)
        earlier = tuple(names[: len(made)])
        stored = (f"{slot}", f"{len(reductions)}", "part")
        begins = bool(earlier or plan.given)
        made.append(SpreadPass(name, ("parts.grid", tile, *first), begins, earlier, stored, combined, stores_rows))
        slot += len(reductions)
    return tuple(made)
