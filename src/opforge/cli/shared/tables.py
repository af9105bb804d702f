"""Prints tables on a terminal; splits wide tables into parts that repeat the rows' names."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Sequence

from opforge.cli.shared.console import Console
from opforge.measure.table import Table

_INDENT = "  "
_GAP = "  "
_UNBOUNDED = 1_000_000  # the width if stdout is not a terminal


def show_table(console: Console, table: Table) -> None:
    """Prints the table as a result: split to the terminal's width, otherwise one line per row."""
    width = shutil.get_terminal_size().columns if is_terminal() else _UNBOUNDED
    lines = [f"{table.title}:"]
    for part in parts(table, width - len(_INDENT)):
        lines += [*(_INDENT + line for line in _aligned(table, part)), ""]
    console.result("\n".join(lines))


def is_terminal() -> bool:
    """Whether stdout is a terminal."""
    return sys.stdout is not None and sys.stdout.isatty()


def parts(table: Table, width: int) -> list[list[int]]:
    """The columns of each part: the names at the left, and at least one more column."""
    widths = _widths(table)
    names = next((i for i, column in enumerate(table.columns) if column.right), len(table.columns))
    found: list[list[int]] = [[]]
    for column in range(names, len(table.columns)):
        part = [*range(names), *found[-1], column]
        if found[-1] and sum(widths[i] + len(_GAP) for i in part) - len(_GAP) > width:
            found.append([])
        found[-1].append(column)
    return [[*range(names), *part] for part in found]


def _widths(table: Table) -> list[int]:
    titles = tuple(column.title for column in table.columns)
    return [max(map(len, cells)) for cells in zip(titles, *table.rows, strict=True)]


def _aligned(table: Table, part: Sequence[int]) -> list[str]:
    widths = _widths(table)

    def line(cells: Sequence[str]) -> str:
        aligned = (cells[i].rjust(widths[i]) if table.columns[i].right else cells[i].ljust(widths[i]) for i in part)
        return _GAP.join(aligned).rstrip()

    return [line([column.title for column in table.columns]), *map(line, table.rows)]
