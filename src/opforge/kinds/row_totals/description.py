"""Prints the plan of an op that reduces the values of all rows for people: ``opforge inspect plan``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from opforge.kinds.rows.description import describe as rows_lines
from opforge.kinds.rows.description import row_lines

if TYPE_CHECKING:
    from opforge.kinds.row_totals.plan import RowTotalsPlan


def describe(plan: RowTotalsPlan) -> tuple[str, ...]:
    """One fact per line."""
    count = len(plan.values)
    return (
        *rows_lines(plan.rows.plan),
        "user workspace:",
        f"  {count} x 4 bytes for each row, rounded up to 512; with tiling key 2, then the reductions of the parts",
        "when all rows are there, on one core, which reads their values as one row in parts:",
        *row_lines(plan.totals.plan),
    )
