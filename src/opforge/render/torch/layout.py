"""Line breaking of generated code, as ruff format and clang-format (Google style, 120 columns) would do it."""

from __future__ import annotations

import json
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


def python_collection(head: str, items: Sequence[str], tail: str, indent: int = 0) -> str:
    """As python_call, for the items of a tuple, list or dict: a line each where they do not all fit on one."""
    flat = f"{head}{', '.join(items)}{tail}"
    if indent + len(flat) <= COLUMNS:
        return flat
    inner = "".join(f"{' ' * (indent + 4)}{item},\n" for item in items)
    return f"{head}\n{inner}{' ' * indent}{tail}"


def python_return(items: Sequence[str], indent: int) -> str:
    """``return a, b``, in brackets where it is too long."""
    flat = f"return {', '.join(items)}"
    return flat if indent + len(flat) <= COLUMNS else python_collection("return (", items, ")", indent)


def python_sum(target: str, terms: Sequence[str], indent: int) -> str:
    """``target = a + b``, in brackets and with a term to a line where it is too long."""
    flat = f"{target} = {' + '.join(terms)}"
    if indent + len(flat) <= COLUMNS:
        return flat
    margin = f"\n{' ' * (indent + 4)}"
    return f"{target} = ({margin}{f'{margin}+ '.join(terms)}\n{' ' * indent})"


def python_unpacking(names: Sequence[str], value: str, indent: int) -> str:
    """``a, b = value``; what is in brackets where that is too long is the value, or else the names."""
    flat = f"({names[0]},)" if len(names) == 1 else ", ".join(names)
    if indent + len(flat) + len(" = ") + len(value) <= COLUMNS:
        return f"{flat} = {value}"
    if indent + len(flat) + len(" = (") <= COLUMNS:
        return f"{flat} = (\n{' ' * (indent + 4)}{value}\n{' ' * indent})"
    return python_collection("(", names, f") = {value}", indent)


def python_results(names: Sequence[str], call: str, items: Sequence[str], indent: int) -> str:
    """``a, b = call(items)``; ``call`` ends with the opening bracket. Names that do not fit have a line each."""
    head = f"{', '.join(names)} = {call}"
    if indent + len(head) > COLUMNS and len(names) > 1:
        inner = "".join(f"{' ' * (indent + 4)}{name},\n" for name in names)
        head = f"(\n{inner}{' ' * indent}) = {call}"
    return python_call(head, items, ")", indent)


def python_rows(head: str, rows: Sequence[str], tail: str, indent: int = 0) -> str:
    """A tuple with a row to a line, as ruff format leaves it: a lone row, whose comma is no choice, stays."""
    if len(rows) == 1 and indent + len(head) + len(rows[0]) + len(f",{tail}") <= COLUMNS and "\n" not in rows[0]:
        return f"{head}{rows[0]},{tail}"
    lines = "".join(f"{' ' * (indent + 4)}{row},\n" for row in rows)
    return f"{head}\n{lines}{' ' * indent}{tail}"


def python_row(items: Sequence[str], indent: int) -> str:
    """A tuple that is a row of ``python_rows``, broken itself where it is too long."""
    if len(items) == 1:
        return f"({items[0]},)"
    return python_collection("(", items, "),", indent)[:-1]


def python_signature(name: str, parameters: Sequence[str], returns: str) -> str:
    """A ``def`` line, broken as ruff format breaks it: a magic comma only where each parameter has its line."""
    return python_call(f"def {name}(", parameters, f") -> {returns}:")


def dims_literal(dims: Sequence[str]) -> str:
    """The symbols of a shape as a tuple of Python strings."""
    return f"({', '.join(json.dumps(dim) for dim in dims)}{',' if len(dims) == 1 else ''})"


def cpp_assignment(target: str, value: str, indent: int) -> str:
    """``target = value``; a value that does not fit behind it has a line of its own."""
    flat = f"{target} = {value}"
    return flat if indent + len(flat) <= COLUMNS else f"{target} =\n{' ' * (indent + 4)}{value}"


def cpp_call(head: str, items: Sequence[str], tail: str, indent: int = 0) -> str:
    """``head`` + comma-separated ``items`` + ``tail``; further lines are aligned behind ``head``, as full as can be."""
    column = indent + len(head)
    lines = _filled(items, column, len(tail))
    if any(column + len(line) > COLUMNS for line in lines):  # too far to the right: all on lines of their own
        column = indent + 4
        return "".join([head, *(f"\n{' ' * column}{line}" for line in _filled(items, column, len(tail))), tail])
    return head + f"\n{' ' * column}".join(lines) + tail


def _filled(items: Sequence[str], column: int, tail: int) -> list[str]:
    """Lines from ``column`` on that have as many items as go; ``tail`` columns are left behind the last one."""
    lines, line = [], ""
    for i, item in enumerate(items):
        last = i == len(items) - 1
        piece = item if last else f"{item},"
        width = column + len(line) + len(piece) + (1 if line else 0) + (tail if last else 0)
        if line and width > COLUMNS:
            lines.append(line)
            line = piece
        else:
            line = f"{line} {piece}" if line else piece
    return [*lines, line]


def cpp_rows(head: str, items: Sequence[str], tail: str, indent: int = 0) -> str:
    """As cpp_call, but where the items do not all fit: on a line of their own, else an item to a line.

    So are nested braces broken: ``head`` ends in two of them.
    """
    flat = f"{head}{', '.join(items)}{tail}"
    if indent + len(flat) <= COLUMNS:
        return flat
    inner = f"{head[-1]}{', '.join(items)}{tail}"
    if indent + 4 + len(inner) <= COLUMNS:
        return f"{head[:-1]}\n{' ' * (indent + 4)}{inner}"
    return head + f",\n{' ' * (indent + len(head))}".join(items) + tail


def cpp_text(head: str, text: str, tail: str, indent: int = 0) -> str:
    """``head``, a string literal, ``tail``; a long literal is cut behind its commas into several."""
    if indent + len(head) + len(json.dumps(text)) + len(tail) <= COLUMNS:
        return f"{head}{json.dumps(text)}{tail}"
    pieces = [""]
    for part in text.replace(", ", ", \0").split("\0"):
        if pieces[-1] and len(json.dumps(pieces[-1] + part)) + indent + 4 + len(tail) > COLUMNS:
            pieces.append("")
        pieces[-1] += part
    margin = f"\n{' ' * (indent + 4)}"
    return head + margin + margin.join(json.dumps(piece) for piece in pieces) + tail
