"""Classes with a defaulted constructor, written so that they are aggregates in C++20 as well.

C++17 takes ``value = {1, 2}`` for a class that declares ``Value() = default;``. Since C++20 such a class is no
aggregate. A source of C++17 that g++ takes as C++20 only loses the declaration: without it the compiler makes the same
constructor. Lines stay where they are.
"""

from __future__ import annotations

import re
from bisect import bisect_left

from class_scope import rest_of
from local_constants import Braces, braces

_DEFAULTED = re.compile(r"(?<![\w~:])([A-Za-z_]\w*)\s*\(\s*\)\s*(?:noexcept\s*)?=\s*default\s*;")
_EXPLICIT = re.compile(r"\bexplicit\b")
_CODE = re.compile(r"^(?!# \d).*$", re.MULTILINE)


def as_aggregates(text: str) -> str:
    """Preprocessed text in which classes that have no constructors but defaulted ones declare none of these."""
    found = list(_DEFAULTED.finditer(text))
    if not found:
        return text
    every = sorted(braces(text), key=lambda each: each.open)
    opens = [each.open for each in every]
    for constructor in reversed(found):
        around = _around(every, bisect_left(opens, constructor.start()), constructor.start())
        if around is None or around.kind != "class" or not _only_one(text, around, constructor):
            continue
        before = max(text.rfind(letter, around.open, constructor.start()) for letter in "{};")
        begin = rest_of(text, before + 1, constructor.end())
        declaration = text[begin : constructor.end()]
        if _EXPLICIT.search(declaration) is None:
            text = text[:begin] + _CODE.sub("", declaration) + text[constructor.end() :]
    return text


def _around(every: list[Braces], behind: int, at: int) -> Braces | None:
    """The innermost braces around a place; ``behind``: how many open before it."""
    return next((each for each in reversed(every[:behind]) if at < each.close), None)


def _only_one(text: str, around: Braces, constructor: re.Match[str]) -> bool:
    """Whether the class of these braces has the constructor's name and declares no other one."""
    name = constructor[1]
    if re.search(rf"\b{name}\b", text[around.begin : around.open]) is None:
        return False
    named = re.finditer(rf"(?<![\w~:.>]){name}\s*\(", text[around.open : around.close])
    return [around.open + each.start() for each in named] == [constructor.start()]
