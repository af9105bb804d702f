"""Line breaking of generated code, as ruff format and clang-format (Google style, 120 columns) would do it."""

from __future__ import annotations

from collections.abc import Sequence

COLUMNS = 120


def python_call(head: str, items: Sequence[str], tail: str, indent: int = 0) -> str:
    """``head`` + comma-separated ``items`` + ``tail``, the way ruff format breaks it.

    On one line if it fits, else all items on one line of their own, else a line each. The first line is not indented:
    the form does it; the others are by ``indent`` columns and what their nesting adds. ``head`` ends with the opening
    bracket, ``tail`` starts with the closing one.
    """
    flat = ", ".join(items)
    if indent + len(head) + len(flat) + len(tail) <= COLUMNS:
        return f"{head}{flat}{tail}"
    outer, inner = " " * indent, " " * (indent + 4)
    if len(inner) + len(flat) <= COLUMNS:
        return f"{head}\n{inner}{flat}\n{outer}{tail}"
    lines = "".join(f"{inner}{item},\n" for item in items)
    return f"{head}\n{lines}{outer}{tail}"


def python_rows(head: str, rows: Sequence[str], tail: str, indent: int = 0) -> str:
    """A tuple with a row to a line, as ruff format leaves it: a lone row, whose comma is no choice, stays on its line."""
    if len(rows) == 1:
        return f"{head}{rows[0]},{tail}"
    lines = "".join(f"{' ' * (indent + 4)}{row},\n" for row in rows)
    return f"{head}\n{lines}{' ' * indent}{tail}"


def python_signature(name: str, parameters: Sequence[str], returns: str) -> str:
    """A ``def`` line, broken as ruff format breaks it: a magic comma only where each parameter has its line."""
    return python_call(f"def {name}(", parameters, f") -> {returns}:")


def cpp_call(head: str, items: Sequence[str], tail: str, indent: int = 0) -> str:
    """``head`` + comma-separated ``items`` + ``tail``; further lines are aligned behind ``head``, as full as can be."""
    column = indent + len(head)
    lines, line = [], ""
    for i, item in enumerate(items):
        last = i == len(items) - 1
        piece = item if last else f"{item},"
        width = column + len(line) + len(piece) + (1 if line else 0) + (len(tail) if last else 0)
        if line and width > COLUMNS:
            lines.append(line)
            line = piece
        else:
            line = f"{line} {piece}" if line else piece
    lines.append(line)
    return head + f"\n{' ' * column}".join(lines) + tail
