"""Breaks long C++ argument lists as the project's .clang-format would: aligned behind the bracket, lines filled."""

from __future__ import annotations

from collections.abc import Sequence

COLUMNS = 120


def fill(head: str, items: Sequence[str], tail: str, *, indent: int = 0, room: int = 0) -> str:
    """``head`` + the comma-separated items + ``tail``, in lines of at most 120 columns.

    ``head`` ends with the opening bracket and stands ``indent`` columns in, which later lines repeat; ``room`` columns
    are kept free behind the tail for what the form adds there (an opening brace).
    """
    aligned = " " * (indent + len(head))
    lines = [" " * indent + head]
    for number, item in enumerate(items):
        last = number == len(items) - 1
        piece = item + (tail if last else ",")
        started = number > 0 and lines[-1] != aligned
        space = " " if started else ""
        if started and len(lines[-1]) + len(space) + len(piece) + (room if last else 0) > COLUMNS:
            lines.append(aligned + piece)
        else:
            lines[-1] += space + piece
    if not items:
        lines[-1] += tail
    return "\n".join(lines)[indent:]
