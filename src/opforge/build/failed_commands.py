"""What the compilers said of a build that failed, out of ninja's and CMake's own lines: the first error of each."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

_FRAME = re.compile(r"\[\d+/\d+\] |ninja: |-- |\$ ")
_KERNEL = re.compile(r"(\w+)_[0-9a-f]{32}\.\w+")  # <op type>_<hash of the column>
_ERROR = re.compile(r"(?P<place>[^\s:][^:]*:\d+)(?::\d+)?: (?:fatal )?error: ")
_SHOWN_WITH_SOURCE = 10  # errors; of more than that the line alone


@dataclass(frozen=True)
class _Failed:
    """A command that failed: what it would have made, and what it wrote."""

    op: str
    said: list[str]

    @property
    def first_error(self) -> list[str]:
        """The first error, with the lines of source that the compiler shows below it."""
        for index, line in enumerate(self.said):
            if _ERROR.match(line):
                below = self.said[index + 1 :]
                end = next((i for i, text in enumerate(below) if not re.match(r"\s.*\|", text)), len(below))
                return [line, *below[:end]]
        return self.said[:3]

    @property
    def reason(self) -> str:
        """What it has in common with the other kernels of the op: the place, as an error may name its types."""
        error = self.first_error
        found = _ERROR.match(error[0]) if error else None
        return found["place"] if found else "\n".join(error)


def what_was_said(lines: list[str]) -> list[str]:
    """What the commands that failed wrote: all of it for one reason, of several reasons the first error of each."""
    failed: list[_Failed] = []
    for index, line in enumerate(lines):
        if line.startswith("CMake Error"):  # op_host is compiled while configuring; its errors come before
            said = [text for text in lines[:index] if not _FRAME.match(text)]
            return said or [text for text in lines[index:] if not _FRAME.match(text)]
        if line.startswith("FAILED:"):
            rest = lines[index + 2 :]  # after the command itself
            end = next((i for i, text in enumerate(rest) if _FRAME.match(text)), len(rest))
            failed.append(_Failed(_made(line), rest[:end]))
    if not failed:
        return [text for text in lines if not _FRAME.match(text)]
    reasons = {one.reason: one for one in reversed(failed)}  # of each the first
    ops = dict.fromkeys(one.op for one in failed)
    head = [f"{', '.join(_counted(failed, ops))} did not compile:"] if len(ops) > 1 or len(reasons) > 1 else []
    if len(reasons) == 1:
        return [*head, *failed[0].said]
    return [*head, *_errors([one for one in failed if reasons[one.reason] is one])]


def _errors(failed: Sequence[_Failed]) -> Iterator[str]:
    for one in failed:
        yield from one.first_error if len(failed) <= _SHOWN_WITH_SOURCE else one.first_error[:1]


def _counted(failed: Sequence[_Failed], ops: Iterable[str]) -> Iterator[str]:
    for op in ops:
        count = sum(one.op == op for one in failed)
        yield op if count == 1 else f"{op} ({count} kernels)"


def _made(line: str) -> str:
    """Of whom the command would have made something: an op, or a file."""
    found = _KERNEL.search(line)
    words = [word for word in line.split()[1:] if not word.startswith("[")]
    return found[1] if found else words[0].rpartition("/")[2] if words else "a command"
