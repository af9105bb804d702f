"""Extracts the errors of a failed CMake configuration with their original line breaks.

CMake wraps error lines at 77 columns unless they begin with a space, and adds an empty line after each. CANN's
functions print the output of op_host's compiler inside such an error (asc-devkit cmake/asc/fwk_modules/func.cmake:732);
the simulated toolkit prints it before the error.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

_NOISE = re.compile(r"-- |\$ |INFO |make(\[\d+\])?: |=+$|\S*(g|c|clang)\+\+\S* -")
_WARNING = re.compile(r"CMake (Deprecation )?Warning|This warning is for project developers|suppress it\.")
_END = ("Call Stack (most recent call first):", "-- Configuring incomplete")
# Prefixes that CANN's functions add to the messages of other tools. The exit status adds nothing.
_HEADS = re.compile(
    r"(compile ascend_all_ops|build ops lib|opbuild ops) (result: \d*|info: ?|error: ?)|opbuild run failed! ?"
)
_OP_BUILD_FAILED = "opbuild ops error:"  # CANN 8.x goes on after it
_OP_BUILD_ENDED = ("-- Opbuild generating sources - done", "CMake Error")
_TRACEBACK = "Traceback (most recent call last):"


def configuration_errors(lines: Sequence[str]) -> list[str] | None:
    """The errors in CMake's output, and compiler errors with their source lines. None if CMake reports no error."""
    start = next((index for index, line in enumerate(lines) if line.startswith("CMake Error")), None)
    op_build = next((index for index, line in enumerate(lines) if line.startswith(_OP_BUILD_FAILED)), None)
    if op_build is not None and (start is None or op_build < start):
        # CMake errors about files that op_build should have written may follow; its own words come before.
        end = next((index for index in range(op_build, len(lines)) if lines[index].startswith(_OP_BUILD_ENDED)), start)
        return [*_without_heads(_without_warnings(lines[:end]))]
    if start is None:
        return None
    inside = [*_without_heads(_unbroken(lines[start + 1 :]))]
    said = [*_without_heads(_without_warnings(lines[:start])), *inside]
    return said or [line for line in lines[start:] if not line.startswith("-- ")]


def _unbroken(lines: Iterable[str]) -> Iterator[str]:
    """The lines of an error as they were before CMake wrapped them."""
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
        if text == _TRACEBACK:  # the traceback of the script that started the compiler
            return
        if text.strip() and not _NOISE.match(text):
            yield text
