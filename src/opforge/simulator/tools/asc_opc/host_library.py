"""What the host's C++ has and device code has not: the heap, the standard library, files, constructed globals.

Documentation: guide, 技术附录/CPP标准支持/语法限制/特性. No warning of g++ says so, and all of it runs on the host; the
dump that ``casts`` reads says where it is used.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from casts import functions
from device_code import LIBRARY

# Names of the standard library that leave nothing of it behind: shipped operators use them, or AscendC::Std has them.
HARMLESS = {
    *("abs", "allocator", "begin", "bit_cast", "end", "forward", "get", "ignore", "index_sequence", "initializer_list"),
    *("integral_constant", "make_tuple", "max", "min", "move", "numeric_limits", "sqrt", "tie", "tuple"),
    "_Swallow_assign",  # what ignore is
}
UNIT = "kernel.cpp"  # what encloses the kernel is ours
HEAP = "the AI Core has no heap (new, delete, malloc, free): use TPipe's buffers or an array on the stack"
SYSTEM = "device code has no files, threads and processes"
CONSTRUCTED = "a variable that is constructed at run time: device code has constants and variables of functions"
C_HEAP = {"malloc", "calloc", "realloc", "free"}
C_SYSTEM = {
    *("abort", "exit", "fclose", "fgets", "fopen", "fprintf", "fputs", "fread", "fwrite", "getenv", "pthread_create"),
    *("puts", "rand", "srand"),
}
# Statements such as "  [file:line:column] _3 = operator new [] (n_1)" and, without a result, "std::sort<int*> (a, b)".
CALL = re.compile(
    r"^  \[(.+?):(\d+):\d+\] (?:[\w.]+ = )?"
    r"(operator (?:new|delete)|std::(?:__\w+::)?\w+(?!.*::~)|__cxa_guard_acquire|[a-z_]+(?= \())",
    re.MULTILINE,
)
STATEMENT = re.compile(r"^  \[(.+?):(\d+):\d+\] (?!if |goto |return)(.*)", re.MULTILINE)
INITIALISATION = re.compile(r"(_GLOBAL__sub_I_|__static_initialization_and_destruction_0)")


def uses(dump: Path, own: set[str]) -> list[str]:
    """The errors of a kernel whose own files are ``own``."""
    places: dict[str, None] = {}
    own = own - {UNIT}
    if dump.is_file():
        for function in functions(dump.read_text(encoding="utf-8", errors="replace")):
            for file, line, what in _of_function(function):
                if file in own:
                    places[f"{file}:{line}: error: {what}"] = None
    return list(places)


def _of_function(function: str) -> Iterator[tuple[str, str, str]]:
    for file, line, called in CALL.findall(function):
        name = called.split("::")[-1]
        if called.startswith("operator") or called in C_HEAP:
            yield file, line, f"{called.removeprefix('operator ')}: {HEAP}"
        elif called.startswith("std::"):
            if name not in HARMLESS:
                yield file, line, f"std::{name}: {LIBRARY}"
        elif called in C_SYSTEM:
            yield file, line, f"{called}: {SYSTEM}"
        elif called == "__cxa_guard_acquire":
            yield file, line, CONSTRUCTED
    if INITIALISATION.match(function):
        for file, line, statement in STATEMENT.findall(function):
            if " (" in statement:
                yield file, line, CONSTRUCTED
