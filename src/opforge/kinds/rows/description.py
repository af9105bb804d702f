"""Prints the plan of an op with rows for people: ``opforge inspect plan``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from opforge.plan.printer import buffer_lines, optional_lines, tile_lines, vector_lines

if TYPE_CHECKING:
    from opforge.kinds.rows.plan import RowsPlan


def describe(plan: RowsPlan, along: RowsPlan | None = None) -> tuple[str, ...]:
    """One fact per line. ``along``: the plan for rows along the innermost dimension, if it has one of its own."""
    if along is not None:
        others = (line.replace("  0:", "  3:").replace("  1:", "  4:") for line in describe(plan))
        inner = (f"  {line}" for line in describe(along))
        return (
            "the innermost dimension is reduced:",
            *inner,
            "another dimension is reduced:",
            *(f"  {line.replace('  2: as 1', '  5: as 4')}" for line in others),
        )
    return (*row_lines(plan), "  2: as 1, for few rows; the parts of each row are split over the cores")


def row_lines(plan: RowsPlan) -> tuple[str, ...]:
    """The facts of a kernel in which each row belongs to one core."""
    whole = plan.whole
    given = ", ".join(f"{place} = {name}" for name, place in plan.given)
    begin = [f"inputs with one element for each row: {given}; before each pass, with {plan.begin} instructions"]
    passes = []
    for number, each in enumerate(plan.passes):
        read = ", ".join(a.name for a in each.part.inputs if a.moved and a.tiled)
        passes += [f"pass {number} over the parts of a row, reads {read}:", *(f"  {i}" for i in each.part.instructions)]
        passes += ["  after the last part:", *(f"    {i}" for i in each.finish)] if each.finish else []
    for number, kept in enumerate(plan.kept):
        read = ", ".join(a.name for a in kept.inputs if a.moved and a.tiled) or "nothing"
        lines = (f"  {i}" for i in kept.instructions)
        passes += [f"pass {number} over the parts of a row that stays in UB, reads {read}:", *lines]
    return (
        f"plan {whole.op_type}",
        "buffers, per tile:",
        *buffer_lines(whole),
        f"  {plan.values} values of rows",
        *optional_lines(whole),
        *(begin if given else ()),
        *vector_lines(whole),
        *passes,
        *_sum_lines(plan),
        "tiles:",
        *tile_lines(whole),
        "tiling keys:",
        "  0: whole rows fit in a tile; tiles of rows are split over the cores",
        f"  1: a row is read {len(plan.passes)} times, part by part; rows are split over the cores",
    )


def _sum_lines(plan: RowsPlan) -> tuple[str, ...]:
    """How the kernel sums gradients over the rows, if it does."""
    summed = [argument.name for argument in plan.outputs if argument.summed]
    if not summed:
        return ()
    return (
        "sums over all rows, in the kernel:",
        *(f"  {name}: sum[{number}]" for number, name in enumerate(summed)),
        "  of each share of the rows, which depend on the shape alone: in UB, or in the workspace if rows are too long",
        "  then of all shares, in order; columns are split over the cores",
        "user workspace:",
        "  4 bytes for each of these sums, each share and each column, rounded up to 512",
    )
