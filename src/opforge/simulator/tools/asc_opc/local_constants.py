"""Constants of a function that it passes as template arguments, moved in front of the function.

g++ 12 ends with an internal error when a member of a class template calls a function template with such an argument:
``static constexpr IsResetLoad3dConfig config = {true, true};`` and ``LoadData<float, config>(...)``. Lines stay where
they are.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from class_scope import TOKEN, opens_class, rest_of

_CONSTANT = re.compile(
    r"\bstatic\s+constexpr\s+(?:const\s+)?((?:\w+::)*[A-Z]\w*Config)\s+(\w+)\s*=?\s*(\{[^{}();\"']*\})\s*;"
)
_NAMESPACE = re.compile(r"\bnamespace\b[^()]*$|\bextern\s*\"C\"\s*$")


@dataclass(frozen=True)
class Braces:
    """A pair of braces, by places in the text."""

    begin: int  # of the declaration before them
    open: int
    close: int
    kind: str  # namespace, class or other


def at_namespace_scope(text: str) -> str:
    """Preprocessed text in which such constants stand before the functions, under names of their own."""
    found = list(_CONSTANT.finditer(text))
    if not found:
        return text
    every = sorted(braces(text), key=lambda pair: pair.open)
    changes: list[tuple[int, int, str]] = []
    for number, constant in enumerate(found):
        type_, name, value = constant.groups()
        around = [pair for pair in every if pair.open < constant.start() < pair.close]
        outer = next((pair for pair in around if pair.kind != "namespace"), None)
        if outer is None or around[-1].kind != "other":  # constants of namespaces and classes work
            continue
        rest = text[constant.end() : around[-1].close]
        if re.search(rf"[<,]\s*{name}\s*[,>]", rest) is None:
            continue
        moved = f"simLocal{number}_{name}"
        changes.append((outer.begin, outer.begin, f" static constexpr {type_} {moved} = {' '.join(value.split())};"))
        changes.append((*constant.span(), "\n" * constant[0].count("\n")))
        uses = re.finditer(rf"(?<![\w.:])(?<!->){name}\b", rest)
        changes += [(constant.end() + use.start(), constant.end() + use.end(), moved) for use in uses]
    for begin, end, instead in sorted(changes, reverse=True):
        text = text[:begin] + instead + text[end:]
    return text


def braces(text: str) -> Iterator[Braces]:
    """The pairs of braces of preprocessed text, inner ones first."""
    begin = 0
    opened: list[tuple[int, int, str]] = []
    for token in TOKEN.finditer(text):
        letter, at = token[0], token.start()
        if letter not in ("{", "}", ";"):
            continue
        if letter == "{":
            declaration = text[rest_of(text, begin, at) : at]
            named = _NAMESPACE.search(declaration.rstrip()) is not None
            opened.append((begin, at, "namespace" if named else "class" if opens_class(declaration) else "other"))
        elif letter == "}" and opened:
            declared, place, kind = opened.pop()
            yield Braces(declared, place, at, kind)
        begin = token.end()
