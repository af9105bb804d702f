"""Breaks long lines of generated code as the formatters of a project would, so that formatting changes nothing.

A form marks a list with the filter ``wrap`` and writes the text before and after the list in the same line. That text
tells the kind of list: arguments, array rows, a chain of calls, or the right side of an assignment.
"""

from __future__ import annotations

import json
import re
import textwrap
from collections.abc import Iterable, Sequence

COLUMNS = 120
CONTINUATION = 4

# Marks that `wrap` leaves in the text until the whole line is known.
_OPEN, _NEXT, _SHUT = "\x01", "\x02", "\x03"
_LINE = re.compile(f"^(.*){_OPEN}(.*){_SHUT}(.*)$", re.MULTILINE)
_VARIABLE = re.compile(r"> \w+;")
_ARRAY = re.compile(r"std::array<.*\{$")
_BRACKET = re.compile(r"[^([{]*[([{]")
_CALL = re.compile(r"[\w:.]+(?:<[^()]*>)?\(")


def wrap(items: Sequence[str | int] | str) -> str:
    """Jinja filter for one expression or a list of expressions: a line that is too long breaks between the items."""
    return f"{_OPEN}{items if isinstance(items, str) else _NEXT.join(map(str, items))}{_SHUT}"


def comment(text: str) -> str:
    """Jinja filter: the text as lines of a C++ comment."""
    return "\n".join(f"// {line}" for paragraph in text.splitlines() for line in comment_lines(paragraph.strip()))


def lay_out(text: str, *, python: bool = False) -> str:
    """The text of a form with its lists laid out. Forms write ``{ `` before a slot; the blank is removed."""
    if _OPEN not in text:
        return text
    written = _python if python else _cpp

    def line(found: re.Match[str]) -> str:
        head, tail = found[1], found[3]
        if head.endswith("{ ") and tail.startswith(" }"):
            head, tail = head[:-1], tail[1:]
        code = head.lstrip(" ")
        return head[: len(head) - len(code)] + written(
            code, found[2].split(_NEXT) if found[2] else [], tail, len(head) - len(code)
        )

    return _LINE.sub(line, text)


def _cpp(code: str, items: list[str], tail: str, indent: int) -> str:
    """The laid-out line of a list in C++. ``code`` begins at column ``indent``."""
    if items and items[0].startswith("."):
        return _chain(code, items, tail, indent)
    if _ARRAY.search(code):
        return cpp_rows(code, items, tail, indent)
    if len(items) == 1 and items[0].startswith('"') and indent + len(code) + len(items[0]) + len(tail) > COLUMNS:
        return cpp_text(code, json.loads(items[0]), tail, indent)
    target, assigned, value = code.partition(" = ")
    if assigned:
        return assign(target, value, items, tail, indent=indent)
    lines = fill(code, items, tail, indent=indent, nested=_outer_bracket(code))
    if "\n" in lines and _VARIABLE.fullmatch(tail):  # a type of several lines: the variable gets its own line
        lines = fill(code, items, f">\n{' ' * (indent + CONTINUATION)}{tail[2:]}", indent=indent)
    return lines


def _python(code: str, items: list[str], tail: str, indent: int) -> str:
    """The laid-out line of a list in Python. ``code`` begins at column ``indent``. Plain brackets make a tuple."""
    if code == "return ":
        return python_return(items, indent)
    if not code and tail.startswith(" = "):
        return python_unpacking(items, tail[len(" = ") :], indent)
    if code.startswith("from ") and code.endswith(" import "):
        flat = f"{code}{', '.join(items)}{tail}"
        return flat if len(flat) <= COLUMNS else python_collection(f"{code}(", items, f"){tail}", indent)
    names, assigned, call = code.partition(" = ")
    if assigned and ", " in names and indent + len(code) > COLUMNS and tail == ")":
        return python_results(names.split(", "), call, items, indent)
    return _python_list(code, items, tail, indent)


def _python_list(head: str, items: Sequence[str], tail: str, indent: int) -> str:
    """One line if it fits; arguments share a second line unless the first is a dict; else one line per item.

    If a table has several rows (tuples in a tuple or dict), each row gets its own line.
    """
    called = _calls(head)
    comma = "," if head.endswith("(") and not called and len(items) == 1 else ""
    rows = not called and len(items) > 1 and all(item.startswith("(") for item in items)
    flat = ", ".join(items)
    if not rows and indent + len(head) + len(flat) + len(comma) + len(tail) <= COLUMNS:
        return f"{head}{flat}{comma}{tail}"
    margin = f"\n{' ' * (indent + CONTINUATION)}"
    dict_first = any("={" in item for item in items[:1])
    if called and not dict_first and indent + CONTINUATION + len(flat) <= COLUMNS:
        return f"{head}{margin}{flat}\n{' ' * indent}{tail}"
    lines = "".join(f"{margin}{_python_item(item, indent + CONTINUATION)}," for item in items)
    return f"{head}{lines}\n{' ' * indent}{tail}"


def _calls(head: str) -> bool:
    """Whether the bracket at the end is that of a call."""
    return head.endswith("(") and (head[-2:-1].isalnum() or head[-2:-1] in ("_", ")", "]"))


def _python_item(item: str, indent: int) -> str:
    """An item on its own line. An item that is too long and ends with a bracket is broken as well.

    Brackets around one value without a comma do not make a tuple; they stay.
    """
    opened = _BRACKET.match(item)
    inner = _arguments(item[opened.end() : -1]) if opened and item[-1] in ")]}" else None
    if opened is None or not inner or indent + len(item) + len(",") <= COLUMNS:
        return item
    if len(inner) == 1 and opened[0].endswith("(") and not _calls(opened[0]):
        return item
    return _python_list(opened[0], [each for each in inner if each], item[-1], indent)


def _outer_bracket(head: str) -> int:
    """The column after the second-last open bracket; 0 if there is none."""
    behind = [index + 1 for index, character in enumerate(head) if character == "("]
    return behind[-2] if len(behind) - head.count(")") > 1 else 0


def fill(head: str, items: Sequence[str], tail: str, indent: int = 0, *, room: int = 0, nested: int = 0) -> str:
    """``head`` + the comma-separated items + ``tail``, in lines of at most 120 columns.

    ``head`` ends with the opening bracket and begins at column ``indent``. Later lines are aligned with the bracket, or
    begin on a new line below ``head`` if that saves two lines. ``nested`` is the column of an outer bracket that
    ``head`` opens as well. ``room`` columns stay free after the tail for text that the form adds there (an opening
    brace).
    """
    aligned = _filled(" " * indent + head, items, tail, indent + len(head), room)
    inner = indent + nested + CONTINUATION
    below = [" " * indent + head, *_filled(" " * inner, items, tail, inner, room)]
    return "\n".join(below if len(below) + 1 < len(aligned) or _too_long(aligned, room) else aligned)[indent:]


def assign(target: str, head: str, items: Sequence[str] = (), tail: str = "", *, indent: int) -> str:
    """``target = head`` + items + ``tail``: one line if it fits, else a break after the ``=``."""
    one = f"{target} = {head}{', '.join(items)}{tail}"
    if indent + len(one) <= COLUMNS:
        return one
    if not head and len(items) == 1 and items[0].startswith("{") and items[0].endswith("}"):
        return fill(f"{target} = {{", _arguments(items[0][1:-1]) or (), f"}}{tail}", indent=indent)
    inner = indent + CONTINUATION
    if not head and len(items) == 1 and inner + len(items[0]) + len(tail) > COLUMNS:
        head, items, tail = _opened(items[0], tail)
    below = fill(head, items, tail, indent=inner) if head else f"{', '.join(items)}{tail}"
    ways = [f"{target} =\n{' ' * inner}{below}"]
    if head.endswith("("):
        ways.append(fill(f"{target} = {head}", items, tail, indent=indent))
        ways.append("\n".join([f"{target} = {head}", *_filled(" " * inner, items, tail, inner, 0)]))
    return min(ways, key=lambda way: (any(len(line) > COLUMNS for line in way.split("\n")), way.count("\n")))


def _opened(value: str, tail: str) -> tuple[str, Sequence[str], str]:
    """Splits a value that is a single call into text before its arguments, the arguments, and text after them."""
    called = _CALL.match(value)
    arguments = _arguments(value[called.end() : -1]) if called and value.endswith(")") else None
    return (value[: called.end()], arguments, f"){tail}") if called and arguments else ("", [value], tail)


def _arguments(text: str) -> Sequence[str] | None:
    """Splits at commas outside all brackets. None if a bracket is closed that was not opened."""
    parts, depth = [""], 0
    for character in text:
        depth += (character in "([{") - (character in ")]}")
        if depth < 0:
            return None
        if character == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += character
    return [part.strip() for part in parts]


def _chain(head: str, calls: Sequence[str], tail: str, indent: int) -> str:
    """Chained calls: one line if they fit, else one line per call. Long braced arguments are opened."""
    one = f"{head}{''.join(calls)}{tail}"
    if indent + len(one) <= COLUMNS:
        return one
    inner = indent + CONTINUATION
    lines = [_call_of_a_chain(call, inner) for call in calls]
    return f"\n{' ' * inner}".join([head, *lines]) + tail


def _call_of_a_chain(call: str, indent: int) -> str:
    """A long braced list has one item per line and a trailing comma, which makes clang-format keep it so."""
    start, brace, rest = call.partition("({")
    if not brace or indent + len(call) <= COLUMNS:
        return call
    margin = f"\n{' ' * (indent + CONTINUATION)}"
    items = "".join(f"{margin}{item}," for item in rest.removesuffix("})").split(", "))
    return f"{start}({{{items}\n{' ' * indent}}})"


def comment_lines(text: str) -> tuple[str, ...]:
    """A text as lines of a comment, without the slashes."""
    return tuple(textwrap.wrap(text, COLUMNS - len("// "), break_long_words=False, break_on_hyphens=False))


def paragraph(text: str, indent: int) -> str:
    """A paragraph of a docstring."""
    margin = " " * indent
    return textwrap.fill(text, COLUMNS - 10, initial_indent=margin, subsequent_indent=margin)


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


def cpp_rows(head: str, items: Sequence[str], tail: str, indent: int = 0) -> str:
    """Like ``fill``, but items that do not fit get one common line of their own, or else one line per item.

    Nested braces, where ``head`` ends in two of them, are broken in the same way.
    """
    flat = f"{head}{', '.join(items)}{tail}"
    if indent + len(flat) <= COLUMNS:
        return flat
    inner = f"{head[-1]}{', '.join(items)}{tail}"
    if indent + 4 + len(inner) <= COLUMNS:
        return f"{head[:-1]}\n{' ' * (indent + 4)}{inner}"
    return head + f",\n{' ' * (indent + len(head))}".join(items) + tail


def cpp_text(head: str, text: str, tail: str, indent: int = 0) -> str:
    """``head``, a string literal, ``tail``. A long literal is split after its commas."""
    if indent + len(head) + len(json.dumps(text)) + len(tail) <= COLUMNS:
        return f"{head}{json.dumps(text)}{tail}"
    pieces = [""]
    for part in text.replace(", ", ", \0").split("\0"):
        if pieces[-1] and len(json.dumps(pieces[-1] + part)) + indent + 4 + len(tail) > COLUMNS:
            pieces.append("")
        pieces[-1] += part
    margin = f"\n{' ' * (indent + 4)}"
    return head + margin + margin.join(json.dumps(piece) for piece in pieces) + tail


def python_statement(text: str, indent: int) -> str:
    """A statement. Where it is too long, the brackets that end it are broken."""
    return text if indent + len(text) <= COLUMNS else _python_item(text, indent)


def python_call(head: str, items: Sequence[str], tail: str, indent: int = 0) -> str:
    """``head`` + comma-separated ``items`` + ``tail``, broken as ruff format breaks it.

    One line if it fits; else all items on a second line; else one line per item. The form indents the first line; the
    others are indented by ``indent`` columns plus their nesting. ``head`` ends with the opening bracket, and ``tail``
    starts with the closing one.
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
    """Like ``python_call``, for a tuple, list or dict: if the items do not fit on one line, each gets its own."""
    flat = f"{head}{', '.join(items)}{tail}"
    if indent + len(flat) <= COLUMNS:
        return flat
    inner = "".join(f"{' ' * (indent + 4)}{item},\n" for item in items)
    return f"{head}\n{inner}{' ' * indent}{tail}"


def python_return(items: Sequence[str], indent: int) -> str:
    """``return a, b``, in brackets where it is too long; a single value would become a tuple in brackets."""
    flat = f"return {', '.join(items)}"
    if len(items) == 1:
        return python_statement(flat, indent)
    return flat if indent + len(flat) <= COLUMNS else python_collection("return (", items, ")", indent)


def python_sum(target: str, terms: Sequence[str], indent: int) -> str:
    """``target = a + b``; with brackets and one line per term if it is too long."""
    flat = f"{target} = {' + '.join(terms)}"
    if indent + len(flat) <= COLUMNS:
        return flat
    margin = f"\n{' ' * (indent + 4)}"
    return f"{target} = ({margin}{f'{margin}+ '.join(terms)}\n{' ' * indent})"


def python_unpacking(names: Sequence[str], value: str, indent: int) -> str:
    """``a, b = value``. If it is too long, the value gets brackets, or else the names do."""
    flat = f"({names[0]},)" if len(names) == 1 else ", ".join(names)
    if indent + len(flat) + len(" = ") + len(value) <= COLUMNS:
        return f"{flat} = {value}"
    if indent + len(flat) + len(" = (") <= COLUMNS:
        return f"{flat} = (\n{' ' * (indent + 4)}{value}\n{' ' * indent})"
    return python_collection("(", names, f") = {value}", indent)


def python_results(names: Sequence[str], call: str, items: Sequence[str], indent: int) -> str:
    """``a, b = call(items)``; ``call`` ends with the opening bracket. Names that do not fit get one line each."""
    head = f"{', '.join(names)} = {call}"
    if indent + len(head) > COLUMNS and len(names) > 1:
        inner = "".join(f"{' ' * (indent + 4)}{name},\n" for name in names)
        return f"(\n{inner}{' ' * indent}" + python_call(f") = {call}", items, ")", indent)
    return python_call(head, items, ")", indent)


def python_signature(name: str, parameters: Sequence[str], returns: str) -> str:
    """A ``def`` line, broken as ruff format breaks it. Only one parameter per line gives a magic comma."""
    return python_call(f"def {name}(", parameters, f") -> {returns}:")


def python_tuple(items: Sequence[str]) -> str:
    """A tuple in one line."""
    return f"({', '.join(items)}{',' if len(items) == 1 else ''})"


def uses_module(lines: Iterable[str], name: str) -> bool:
    """Whether lines of Python use the module ``name``; ``my_reference.f`` does not use ``_reference``."""
    use = re.compile(rf"(?<![\w.]){re.escape(name)}\.")
    return any(use.search(line) for line in lines)


def python_strings(names: Sequence[str]) -> tuple[str, ...]:
    """Each name as a Python string."""
    return tuple(map(json.dumps, names))


def dims_literal(dims: Sequence[str]) -> str:
    """The symbols of a shape as a tuple of Python strings."""
    return python_tuple(python_strings(dims))
