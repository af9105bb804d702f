"""A table of text for a terminal or a Markdown file."""

from __future__ import annotations

from collections.abc import Iterable

from opforge.frozen import dataclass


@dataclass(frozen=True)
class Column:
    """A column's heading; columns of numbers are aligned ``right``."""

    title: str
    right: bool = True


@dataclass(frozen=True)
class Table:
    """Rows with a cell for each column. ``note`` is an explanation."""

    title: str
    columns: tuple[Column, ...]
    rows: tuple[tuple[str, ...], ...]
    note: str = ""

    def markdown(self) -> str:
        """The table in GitHub's Markdown, below a heading of level two."""
        lines = [f"## {self.title}", ""]
        lines += [self.note, ""] if self.note else []
        lines.append(_line(column.title for column in self.columns))
        lines.append(_line("---:" if column.right else "---" for column in self.columns))
        lines += [_line(cell.replace("\\", "\\\\").replace("|", "\\|") for cell in row) for row in self.rows]
        return "\n".join(lines) + "\n"


def left(*titles: str) -> tuple[Column, ...]:
    """Columns of names."""
    return tuple(Column(title, right=False) for title in titles)


def right(*titles: str) -> tuple[Column, ...]:
    """Columns of numbers."""
    return tuple(Column(title) for title in titles)


def _line(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"
