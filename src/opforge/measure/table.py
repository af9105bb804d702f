"""A table of words, whoever shows it: a terminal or a Markdown file."""

from __future__ import annotations

from collections.abc import Iterable

from opforge.frozen import dataclass


@dataclass(frozen=True)
class Column:
    """A heading; numbers stand at the ``right``."""

    title: str
    right: bool = True


@dataclass(frozen=True)
class Table:
    """Rows of as many cells as there are columns. ``note`` is a sentence to read with it."""

    title: str
    columns: tuple[Column, ...]
    rows: tuple[tuple[str, ...], ...]
    note: str = ""

    def markdown(self) -> str:
        """As GitHub's Markdown has tables, with a heading of the second level."""
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
