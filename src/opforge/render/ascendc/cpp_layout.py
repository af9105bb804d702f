"""Breaks long C++ lines as the project's .clang-format would, so that generated sources stay as they are under it."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence

COLUMNS = 120
CONTINUATION = 4


def fill(head: str, items: Sequence[str], tail: str, *, indent: int = 0, room: int = 0, nested: int = 0) -> str:
    """``head`` + the comma-separated items + ``tail``, in lines of at most 120 columns.

    ``head`` ends with the opening bracket and stands ``indent`` columns in. Later lines are aligned behind the bracket,
    or start anew below ``head`` where that saves two lines; ``nested`` is the column of an outer bracket that ``head``
    opens too. ``room`` columns are kept free behind the tail for what the form adds there (an opening brace).
    """
    aligned = _filled(" " * indent + head, items, tail, indent + len(head), room)
    inner = indent + nested + CONTINUATION
    below = [" " * indent + head, *_filled(" " * inner, items, tail, inner, room)]
    return "\n".join(below if len(below) + 1 < len(aligned) or _too_long(aligned, room) else aligned)[indent:]


def assign(target: str, head: str, items: Sequence[str], tail: str, *, indent: int) -> str:
    """``target = head`` + items + ``tail``: in one line if it fits, else with a break behind the ``=``."""
    one = f"{target} = {head}{', '.join(items)}{tail}"
    if indent + len(one) <= COLUMNS:
        return one
    inner = indent + CONTINUATION
    return f"{target} =\n{' ' * inner}{fill(head, items, tail, indent=inner)}"


def comment(text: str) -> tuple[str, ...]:
    """A text as lines of a comment, without the slashes."""
    return tuple(textwrap.wrap(text, COLUMNS - len("// "), break_long_words=False, break_on_hyphens=False))


def _too_long(lines: Sequence[str], room: int) -> bool:
    return any(len(line) + (room if line is lines[-1] else 0) > COLUMNS for line in lines)


def _filled(first: str, items: Sequence[str], tail: str, column: int, room: int) -> list[str]:
    lines = [first]
    for number, item in enumerate(items):
        last = number == len(items) - 1
        piece = item + (tail if last else ",")
        line = f"{lines[-1]} {piece}" if number else lines[-1] + piece
        if number and len(line) + (room if last else 0) > COLUMNS:
            lines.append(" " * column + piece)
        else:
            lines[-1] = line
    if not items:
        lines[-1] += tail
    return lines
