"""Pieces of a user's text with their places, so that every problem can point at one."""

from __future__ import annotations

import re
from pathlib import Path

from opforge.errors import Location, Problem
from opforge.frozen import dataclass

# The line breaks of YAML 1.1 (https://yaml.org/spec/1.1/, production b-char).
_BREAKS = re.compile("\r\n|[\r\n\x85\u2028\u2029]")


def split_lines(text: str) -> tuple[str, ...]:
    """The lines of a text without their ends, by YAML's rule for line breaks."""
    return tuple(_BREAKS.split(text))


def line_starts(text: str) -> tuple[int, ...]:
    """The place of each line's first character; a byte order mark is none."""
    return (int(text.startswith("\ufeff")), *(found.end() for found in _BREAKS.finditer(text)))


@dataclass(frozen=True)
class Token:
    """A user's word. ``line`` and ``column`` count from 1; ``file`` None means the command line."""

    text: str
    file: Path | None
    line: int
    column: int
    line_text: str
    length: int | None = None  # the caret's length if it differs from the text's (quotes, escapes)

    def problem(self, what: str, hint: str | None = None, *, start: int = 0, length: int | None = None) -> Problem:
        """A problem with this word, or with ``length`` characters of it from ``start`` (counted from 0)."""
        reach = length if length is not None else (self.length if self.length is not None else len(self.text)) - start
        return Problem(what, Location(self.file, self.line, self.column + start, max(1, reach)), self.line_text, hint)

    def part(self, start: int, end: int) -> Token:
        """The part of this word from ``start`` to ``end``; only for a word without quotes and escapes."""
        return Token(self.text[start:end], self.file, self.line, self.column + start, self.line_text)


@dataclass(frozen=True)
class Passage:
    """A text of one or several lines with their places. The model holds ``text``."""

    lines: tuple[Token, ...]

    @property
    def text(self) -> str:
        """The lines joined by newlines."""
        return "\n".join(line.text for line in self.lines)

    def problem(self, what: str, hint: str | None, line: int, start: int, length: int) -> Problem:
        """A problem at a line (from 1) and column (from 0) of this text; places past the end are moved to it."""
        token = self.lines[min(max(line, 1), len(self.lines)) - 1]
        start = min(max(start, 0), len(token.text))
        if token.length is not None:  # quoted with escapes: columns differ from the source's
            return token.problem(what, hint)
        return token.problem(what, hint, start=start, length=max(1, min(length, len(token.text) - start)))

    def tidied(self) -> Passage:
        """Without common indentation, trailing blanks, and blank lines at both ends: the canonical text."""
        full = [line for line in self.lines if line.text.strip()]
        if not full:
            return Passage(self.lines[:1])
        cut = min(len(line.text) - len(line.text.lstrip(" ")) for line in full)
        first, last = self.lines.index(full[0]), len(self.lines) - self.lines[::-1].index(full[-1])
        return Passage(tuple(_trimmed(line, cut) for line in self.lines[first:last]))


def _trimmed(line: Token, cut: int) -> Token:
    text = line.text.rstrip()[cut:]
    return Token(text, line.file, line.line, line.column + cut, line.line_text, line.length)


def plain_passage(text: str) -> Passage:
    """A text without a file, for ops made in memory."""
    lines = split_lines(text)
    return Passage(tuple(Token(line, None, number, 1, line) for number, line in enumerate(lines, 1))).tidied()


def option_token(option: str, value: str) -> Token:
    """The value of a command-line option, shown as ``--option value``."""
    return Token(value, None, 1, len(option) + 2 if option else 1, f"{option} {value}" if option else value)


def option_passage(option: str, value: str) -> Passage:
    """A command-line option's value of one or several lines."""
    first, *rest = split_lines(value)
    lines = [option_token(option, first)]
    lines += [Token(line, None, number, 1, line) for number, line in enumerate(rest, 2)]
    return Passage(tuple(lines)).tidied()


def closest(word: str, known: tuple[str, ...] | list[str]) -> str | None:
    """The known word that was probably meant, or None."""
    import difflib  # noqa: PLC0415 - only errors pay for it

    if len(word) > 64:  # nobody means such a word, and comparing it takes long
        return None

    lowered = {k.lower(): k for k in reversed(known)}
    found = difflib.get_close_matches(word.lower(), list(lowered), 1, 0.6)
    return lowered[found[0]] if found else None
