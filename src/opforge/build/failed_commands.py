"""Extracts the first error of each failed command from the output of make and CMake.

A command's output ends with make's ``*** [<makefile>:<line>: <target>] Error 1``. It begins after the previous line
that make, CMake or CANN's scripts wrote. ``--output-sync`` keeps the output of one command together.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from opforge.build.cmake_errors import configuration_errors
from opforge.errors import Location, Problem
from opforge.frozen import dataclass

_FRAME = re.compile(r"\[ *\d+%\] |g?make(\[\d+\])?: |-- |\$ |\[ascend\w*\] Generating ")
_FAILED = re.compile(r"g?make(?:\[\d+\])?: \*\*\* \[(?P<where>.*)\] ")
# Targets that only pass on a failure. Versions of make before 4.0 do not name the makefile.
_PASSED_ON = re.compile(r"(?:CMakeFiles/Makefile2|Makefile):\d+: |[^/:]*$|[^:]*/all$")
_KERNEL = re.compile(r"(\w+)_[0-9a-f]{32}\b")  # <op type>_<hash of the column>
_KERNELS = re.compile(r"/CMakeFiles/(\w+)_ascend\w+$")  # CANN's target for the kernels of an op: <op type>_<SoC>
_ERROR = re.compile(r"(?P<place>[^\s:][^:]*:\d+)(?::\d+)?: (?:fatal )?error: ")
_PLACED = re.compile(r"(?P<file>[^:]+):(?P<line>\d+)(?::(?P<column>\d+))?: (?:fatal )?error: (?P<text>.*)")
_DIAGNOSTIC = re.compile(r"[^\s:][^:]*:\d+:\d+: (?P<level>error|fatal error|warning|note): (?P<text>.*)")
_CHAIN = re.compile(r"In file included from |\s+from ")  # lines before the next diagnostic
_SOURCE = re.compile(r"\s*\d* \|")  # source lines below a diagnostic
_TRACEBACK = "Traceback (most recent call last):"
_SHOWN_WITH_SOURCE = 10  # beyond this number of errors, only their first lines are shown


@dataclass(frozen=True)
class _Failed:
    """A failed command: its target and its output."""

    op: str
    said: list[str]

    @property
    def first_error(self) -> list[str]:
        """The first error, with the source lines that the compiler shows below it."""
        for index, line in enumerate(self.said):
            if _ERROR.match(line):
                below = self.said[index + 1 :]
                end = next((i for i, text in enumerate(below) if not re.match(r"\s.*\|", text)), len(below))
                return [line, *below[:end]]
        return self.said[:3]

    @property
    def reason(self) -> str:
        """The location of the error. Kernels of one op share it, although types in the message may differ."""
        error = self.first_error
        found = _ERROR.match(error[0]) if error else None
        return found["place"] if found else "\n".join(error)


def what_was_said(lines: list[str], kernels: Sequence[str] = ()) -> list[str]:
    """The output of the failed commands: all of it if there is one reason, otherwise the first error of each reason.

    ``kernels`` are the names of kernels whose failure make did not notice.
    """
    configuring = configuration_errors(lines)  # in this phase, op_host is compiled for op_build
    if configuring is not None:
        return _without_remarks(configuring)
    failed = [*_failed(lines), *_untold(lines, kernels)]
    failed = [one for place, one in enumerate(failed) if one not in failed[:place]]  # make may try a target again
    if not failed:
        return [text for text in lines if not _FRAME.match(text)]
    reasons = {one.reason: one for one in reversed(failed)}  # the first failure for each reason
    ops = dict.fromkeys(one.op for one in failed)
    head = [f"{', '.join(_counted(failed, ops))} did not compile:"] if len(ops) > 1 or len(reasons) > 1 else []
    if len(reasons) == 1:
        return [*head, *failed[0].said]
    return [*head, *_errors([one for one in failed if reasons[one.reason] is one])]


def each_failure(lines: list[str], kernels: Sequence[str] = ()) -> tuple[Problem, ...]:
    """The first error of each op and file that did not compile, with its place. () if CMake did not configure."""
    if configuration_errors(lines) is not None:
        return ()
    failed = [*_failed(lines), *_untold(lines, kernels)]
    failed = [one for place, one in enumerate(failed) if one not in failed[:place]]
    firsts = {one.op: one for one in reversed(failed)}
    ops = list(dict.fromkeys(one.op for one in failed))
    return tuple(_problem(name, firsts[op]) for op, name in zip(ops, _counted(failed, ops), strict=True))


def _problem(name: str, failed: _Failed) -> Problem:
    first, *below = failed.first_error or [""]
    found = _PLACED.fullmatch(first)
    if found is None:
        said = [text for text in failed.said if not text.endswith("kernel not compiled")]
        return Problem(f"{name}: {said[0] if said else 'it did not compile'}")
    text = below[0].partition("|")[2].removeprefix(" ") if below else None
    where = Location(Path(found["file"]), int(found["line"]), int(found["column"] or 1))
    return Problem(f"{name}: {found['text']}", where, text)


def _without_remarks(lines: Sequence[str]) -> list[str]:
    """Removes warnings and pragma messages, which CANN's own headers cause in every file that includes them."""
    kept: list[str] = []
    chain: list[str] = []
    remark = False
    for line in lines:
        found = _DIAGNOSTIC.match(line)
        if _CHAIN.match(line):
            chain.append(line)
            continue
        if found:
            remark = found["level"] == "warning" or found["text"][1:].startswith("#pragma message")
        elif not _SOURCE.match(line):
            remark = False
        if not remark:
            kept += [*chain, line]
        chain = []
    return [*kept, *chain]


def _failed(lines: Sequence[str]) -> Iterator[_Failed]:
    """The failed commands, except those that only pass on a failure: makefiles, and CANN's script around asc_opc."""
    start = 0
    for index, line in enumerate(lines):
        found = _FAILED.match(line)
        if found and not _PASSED_ON.match(found["where"]):
            said = list(lines[start:index])
            if said[:1] != [_TRACEBACK]:
                yield _Failed(_made(found["where"], lines[start - 1] if start else ""), _without_remarks(said))
        if _FRAME.match(line):
            start = index + 1


def _untold(lines: Sequence[str], kernels: Sequence[str]) -> Iterator[_Failed]:
    frames = [index for index, line in enumerate(lines) if _FRAME.match(line)]
    for name in kernels:
        for begun, end in zip(frames, [*frames[1:], len(lines)], strict=True):
            if name in lines[begun] and end > begun + 1:
                yield _Failed(_made("", lines[begun]), list(lines[begun + 1 : end]))
                break


def _errors(failed: Sequence[_Failed]) -> Iterator[str]:
    for one in failed:
        yield from one.first_error if len(failed) <= _SHOWN_WITH_SOURCE else one.first_error[:1]


def _counted(failed: Sequence[_Failed], ops: Iterable[str]) -> Iterator[str]:
    for op in ops:
        count = sum(one.op == op for one in failed)
        yield op if count == 1 else f"{op} ({count} kernels)"


def _made(where: str, begun: str) -> str:
    """The op or file that the command should have produced."""
    found = _KERNEL.search(where) or _KERNEL.search(begun) or _KERNELS.search(where)
    return found[1] if found else where.rpartition(": ")[2].rpartition("/")[2] or "a command"
