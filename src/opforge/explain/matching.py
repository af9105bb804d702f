"""Finds the causes that a text shows, and the error codes in it."""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import replace

from opforge.explain.cause import Cause
from opforge.explain.causes.all_causes import CAUSES
from opforge.explain.codes.code import Code
from opforge.explain.codes.lookup import codes_in, find_code
from opforge.frozen import dataclass

_MOST = 3  # times that a cause is shown, for example for several libraries
_LONGEST = 300  # characters of a line that are shown
_ESCAPES = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")  # colours in logs
_QUOTES = {0x2018: "'", 0x2019: "'"}  # gcc's, in UTF-8 locales


@dataclass(frozen=True)
class Match:
    """A cause in a text: the number of the line, the line, and the cause with its groups filled in."""

    line: int
    text: str
    cause: Cause


@dataclass(frozen=True)
class CodeMatch:
    """An error code in a text that no cause explains."""

    line: int
    text: str
    code: Code


def explain(text: str) -> list[Match | CodeMatch]:
    """Everything known about a text: the most likely root first, then in the order of the text.

    A cause is shown once, or a few times for several names, such as those of libraries.
    Codes come last. A code is left out if a cause explains its line, and a code that only says "see the log" is left
    out if anything else is known.
    """
    text = _ESCAPES.sub("", text).replace("\r\n", "\n").translate(_QUOTES)
    starts = [0, *(found.end() for found in re.finditer("\n", text))]
    lines = text.split("\n")
    matches: list[Match] = []
    for cause in CAUSES:
        if cause.needs not in text:
            continue
        filled: dict[str, Match] = {}
        for found in re.finditer(cause.pattern, text, re.MULTILINE):
            line = bisect_right(starts, found.start())
            match = Match(line, _shown(lines[line - 1]), _filled(cause, found))
            filled.setdefault(match.cause.title, match)
            if len(filled) == _MOST or match.cause.title == cause.title:
                break
        matches += filled.values()
    matches.sort(key=lambda match: (match.cause.rank, match.line))
    return [*matches, *_codes(text, starts, lines, matches)]


def _codes(text: str, starts: list[int], lines: list[str], matches: list[Match]) -> list[CodeMatch]:
    explained = {match.line for match in matches}
    seen: dict[str, CodeMatch] = {}
    for place, number in codes_in(text):
        line = bisect_right(starts, place)
        code = find_code(number)
        if code is not None and code.number not in seen and line not in explained:
            seen[code.number] = CodeMatch(line, _shown(lines[line - 1]), code)
    codes = list(seen.values())
    telling = [match for match in codes if not match.code.generic]
    return telling if telling or matches else codes


def _filled(cause: Cause, found: re.Match[str]) -> Cause:
    """The cause, with the groups of its match in its texts."""
    groups = [found[0], *(group or "" for group in found.groups())]

    def fill(text: str) -> str:
        for number, group in enumerate(groups):
            text = text.replace(f"{{{number}}}", group.strip())
        return text

    return replace(
        cause,
        title=fill(cause.title),
        cause=fill(cause.cause),
        fix=fill(cause.fix),
        check=tuple(map(fill, cause.check)),
        look=fill(cause.look),
    )


def _shown(line: str) -> str:
    line = line.strip()
    return line if len(line) <= _LONGEST else f"{line[:_LONGEST]}..."
