"""Three versions of one file to one: the base that both come from, yours, and the new rendering.

Where both changed the same lines, both stand in the file between markers as git writes them.
"""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

_OPEN, _MIDDLE, _CLOSE = b"<<<<<<< ", b"=======", b">>>>>>> "

Lines = Sequence[bytes]


@dataclass(frozen=True)
class Merged:
    """The merged file, and the lines (from 1) in which a conflict begins."""

    data: bytes
    conflicts: tuple[int, ...] = ()


def merge(base: bytes | None, yours: bytes, new: bytes, label: str) -> Merged:
    """Merge ``yours`` and ``new``, which both come from ``base``.

    Lines that only one side changed are taken from it. ``base`` None is not known: then every difference is a conflict.
    The result has the line ends that most lines of ``yours`` have. ``label`` says at a conflict what ``new`` is.
    """
    crlf = yours.count(b"\r\n") * 2 > yours.count(b"\n")
    before = new if base is None else base
    (base_lines, base_ends), (your_lines, yours_ends), (new_lines, new_ends) = map(_lines, (before, yours, new))
    groups = _differences(your_lines, new_lines) if base is None else _three_way(base_lines, your_lines, new_lines)
    out: list[bytes] = []
    conflicts = []
    for mine, theirs in groups:
        if theirs is None:
            out += mine
            continue
        start, end = _shared(mine, theirs)
        out += mine[:start]
        conflicts.append(len(out) + 1)
        out += [_OPEN + b"yours", *mine[start : len(mine) - end], _MIDDLE]
        out += [*theirs[start : len(theirs) - end], _CLOSE + label.encode(), *mine[len(mine) - end :]]
    ends = new_ends if yours_ends == base_ends else yours_ends
    marked_last = bool(out) and out[-1].startswith(_CLOSE)
    data = b"\n".join(out) + (b"\n" if out and (ends or marked_last) else b"")
    return Merged(data.replace(b"\n", b"\r\n") if crlf else data, tuple(conflicts))


def with_line_ends_of(data: bytes, yours: bytes) -> bytes:
    """A text with line feeds, with the line ends that most lines of ``yours`` have."""
    return data.replace(b"\n", b"\r\n") if yours.count(b"\r\n") * 2 > yours.count(b"\n") else data


def conflict_lines(data: bytes) -> tuple[int, ...]:
    """The lines (from 1) in which a conflict begins that nobody resolved, or of which half a marker is left."""
    found: list[int] = []
    opened = False
    for number, line in enumerate(data.split(b"\n"), 1):
        if line.startswith(_OPEN):
            found.append(number)
            opened = True
        elif line.startswith(_CLOSE):
            if not opened:
                found.append(number)
            opened = False
    return tuple(found)


def _lines(data: bytes) -> tuple[list[bytes], bool]:
    """The lines without their ends, and whether the last one has an end."""
    lines = data.replace(b"\r\n", b"\n").split(b"\n")
    if not lines[-1]:
        return lines[:-1], True
    return lines, False


Group = tuple[Lines, "Lines | None"]  # lines to take; or those of yours and of the new rendering, in conflict


def _three_way(base: Lines, yours: Lines, new: Lines) -> Iterator[Group]:
    from merge3 import Merge3  # noqa: PLC0415  (for the few files that both sides changed)

    matcher: Any = _EveryLine  # merge3 asks for lists of plain tuples, and difflib's are named
    for kind, *sides in Merge3(base, yours, new, sequence_matcher=matcher).merge_groups():
        if kind == "conflict":
            yield sides[1], sides[2]
        else:
            yield sides[0], None


def _differences(yours: Lines, new: Lines) -> Iterator[Group]:
    for kind, start, end, new_start, new_end in _EveryLine(None, yours, new).get_opcodes():
        yield yours[start:end], None if kind == "equal" else new[new_start:new_end]


class _EveryLine(difflib.SequenceMatcher[bytes]):
    """Compares all lines: difflib ignores frequent ones in long files unless told otherwise."""

    def __init__(
        self,
        isjunk: Callable[[bytes], bool] | None = None,
        a: Lines = (),
        b: Lines = (),
        autojunk: bool = False,
    ) -> None:
        super().__init__(isjunk, a, b, autojunk)


def _shared(mine: Lines, theirs: Lines) -> tuple[int, int]:
    """How many lines both sides of a conflict have in common at its start and at its end."""
    most = min(len(mine), len(theirs))
    start = next((n for n in range(most) if mine[n] != theirs[n]), most)
    end = next((n for n in range(most - start) if mine[-1 - n] != theirs[-1 - n]), most - start)
    return start, end
