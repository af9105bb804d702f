"""Merges three versions of a file: the base, yours, and the new rendering.

Lines that both sides changed are written between git's conflict markers. difflib compares the lines. merge3 does the
same, but its licence (GPL) does not allow us to distribute it.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Sequence

from opforge.frozen import dataclass

_OPEN, _MIDDLE, _CLOSE = b"<<<<<<< ", b"=======", b">>>>>>> "

Lines = Sequence[bytes]


@dataclass(frozen=True)
class Merged:
    """The merged file, and the lines (from 1) in which conflicts begin."""

    data: bytes
    conflicts: tuple[int, ...] = ()


def merge(base: bytes | None, yours: bytes, new: bytes, label: str) -> Merged:
    """Merge ``yours`` and ``new``, which both come from ``base``.

    Lines that only one side changed are taken from that side. If ``base`` is None, every difference is a conflict. The
    result has the most frequent line end of ``yours``. ``label`` names ``new`` in a conflict's marker.
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
    """A text with line feeds, converted to the most frequent line end of ``yours``."""
    return data.replace(b"\n", b"\r\n") if yours.count(b"\r\n") * 2 > yours.count(b"\n") else data


def conflict_lines(data: bytes) -> tuple[int, ...]:
    """The lines (from 1) in which unresolved or half-resolved conflicts begin."""
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
    """The lines without their ends, and whether the last line has an end."""
    lines = data.replace(b"\r\n", b"\n").split(b"\n")
    if not lines[-1]:
        return lines[:-1], True
    return lines, False


Group = tuple[Lines, "Lines | None"]  # lines to take, or a conflict: lines of yours and of the new rendering


def _three_way(base: Lines, yours: Lines, new: Lines) -> Iterator[Group]:
    """Runs of lines that all three versions share, and between them the changes of one side or both."""
    at_base = at_yours = at_new = 0
    for in_base, in_yours, in_new, length in _in_all(base, yours, new):
        before, mine, theirs = base[at_base:in_base], yours[at_yours:in_yours], new[at_new:in_new]
        if theirs in (before, mine):
            yield mine, None
        elif mine == before:
            yield theirs, None
        else:
            yield mine, theirs
        yield base[in_base : in_base + length], None
        at_base, at_yours, at_new = in_base + length, in_yours + length, in_new + length


def _in_all(base: Lines, yours: Lines, new: Lines) -> Iterator[tuple[int, int, int, int]]:
    """Runs of lines that all three share, as three starts and a length; the last run is empty, at the ends."""
    ours, theirs = _equal_runs(base, yours), _equal_runs(base, new)
    i = j = 0
    while i < len(ours) and j < len(theirs):
        (start, in_yours, count), (other, in_new, other_count) = ours[i], theirs[j]
        first, end = max(start, other), min(start + count, other + other_count)
        if first < end:
            yield first, in_yours + first - start, in_new + first - other, end - first
        if start + count <= other + other_count:
            i += 1
        else:
            j += 1
    yield len(base), len(yours), len(new), 0


def _equal_runs(base: Lines, side: Lines) -> Sequence[tuple[int, int, int]]:
    return difflib.SequenceMatcher(None, base, side, autojunk=False).get_matching_blocks()


def _differences(yours: Lines, new: Lines) -> Iterator[Group]:
    for kind, start, end, new_start, new_end in difflib.SequenceMatcher(None, yours, new, autojunk=False).get_opcodes():
        yield yours[start:end], None if kind == "equal" else new[new_start:new_end]


def _shared(mine: Lines, theirs: Lines) -> tuple[int, int]:
    """The number of common lines at the start and at the end of a conflict."""
    most = min(len(mine), len(theirs))
    start = next((n for n in range(most) if mine[n] != theirs[n]), most)
    end = next((n for n in range(most - start) if mine[-1 - n] != theirs[-1 - n]), most - start)
    return start, end
