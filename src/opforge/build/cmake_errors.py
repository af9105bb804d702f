"""Extracts the errors of a failed CMake configuration, as their authors wrote them.

CMake breaks the lines of an error at 77 columns, unless they begin with a space, and puts an empty line behind each.
CANN's functions have op_host's compiler speak inside of such an error (asc-devkit
cmake/asc/fwk_modules/func.cmake:732), ours before it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

_NOISE = re.compile(r"-- |\$ |INFO |make(\[\d+\])?: |=+$|\S*(g|c|clang)\+\+\S* -")
_WARNING = re.compile(r"CMake (Deprecation )?Warning|This warning is for project developers|suppress it\.")
_END = ("Call Stack (most recent call first):", "-- Configuring incomplete")
# What CANN's functions put before the words of others; the number of a status says no more.
_HEADS = re.compile(r"(compile ascend_all_ops|opbuild ops) (result: \d*|info: ?|error: ?)|opbuild run failed! ?")
_TRACEBACK = "Traceback (most recent call last):"


def configuration_errors(lines: Sequence[str]) -> list[str] | None:
    """The errors in CMake's output, compilers' errors with their source lines; None without an error of CMake."""
    start = next((index for index, line in enumerate(lines) if line.startswith("CMake Error")), None)
    if start is None:
        return None
    inside = [*_without_heads(_unbroken(lines[start + 1 :]))]
    said = [*_without_heads(_without_warnings(lines[:start])), *inside]
    return said or [line for line in lines[start:] if not line.startswith("-- ")]


def _unbroken(lines: Iterable[str]) -> Iterator[str]:
    """The lines of an error before CMake wrapped them."""
    words: list[str] = []
    for line in lines:
        text = line.removeprefix("  ")
        if text.startswith(" ") or not text.strip():
            if words:
                yield " ".join(words)
                words = []
            if text.strip():
                yield text
            elif line and not line.startswith(" "):
                break
        elif line.startswith(_END) or not line.startswith("  "):
            break
        else:
            words.append(text.strip())
    if words:
        yield " ".join(words)


def _without_warnings(lines: Iterable[str]) -> Iterator[str]:
    inside = False
    for line in lines:
        if _WARNING.match(line):
            inside = True
        elif inside and (not line.strip() or line.startswith((" ", *_END))):
            continue
        else:
            inside = False
            yield line


def _without_heads(lines: Iterable[str]) -> Iterator[str]:
    for line in lines:
        text = _HEADS.sub("", line, count=1) if _HEADS.match(line) else line
        if text == _TRACEBACK:  # of the script that started the compiler; what follows is about it
            return
        if text.strip() and not _NOISE.match(text):
            yield text
