"""Casts between floating point and unsigned integers, which the scalar unit of an AI Core does not have.

The device compiler refuses them ("cast between floating and unsigned integer variable is not allowed in aicore
function") where they are written, unless a constant is cast; it takes conversions that no cast asks for, as CANN's own
operators have them (``(float)1.0 / this->numCol``). No warning of g++ says so; what g++ has made of the kernel before
it optimises does: ``-fdump-tree-ssa-lineno``, in which each conversion is a statement, with its place in the source,
and each name has a type.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path

FLOATING = {"float", "half", "_Float16", "double"}
UNSIGNED = {
    *("unsigned char", "short unsigned int", "unsigned short", "unsigned int", "long unsigned int", "unsigned long"),
    *("long long unsigned int", "unsigned long long", "size_t", "uintptr_t", "uint"),
    *(f"uint{bits}_t" for bits in (8, 16, 32, 64)),
}
REASON = (
    "the AI Core casts no floating-point value to an unsigned integer and none of those to floating point: go by way of"
    " int32_t, as static_cast<float>(static_cast<int32_t>(n))"
)
ALIAS = re.compile(r"\b(?:using\s+(\w+)\s*=\s*(?:std::)?([\w ]+?)|typedef\s+(?:std::)?([\w ]+?)\s+(\w+))\s*;")
# "  const uint32_t n;", and in the head of a function "(struct K * const this, uint32_t n)"
QUALIFIED = r"(?:const |volatile |static )*"
DECLARED = re.compile(rf"(?:^  |[(,] ?){QUALIFIED}([\w ]+?) (?:const )?([\w.]+)(?=;$|[,)])", re.MULTILINE)
# "  [file:line:column] r_12 = (float) n_3(D);": file, line, column, the type cast to, the name, its number
CAST = re.compile(
    r"^  \[(.+?):(\d+):(\d+)\] (?:\[.*?\] )?[\w.]+ = \((?:const |volatile )*([\w ]+)\) ([\w.]*?)(_\d+)?(?:\(D\))?;$"
)
# At its column, or behind the variable and "=" there: "static_cast<float>(n)", "(float)n", "float(n)"; not "(n)".
WRITTEN = re.compile(r"(?:\w*\s*=\s*)?(?:static_cast\b|\(\s*[\w: ]+\)\s*[\w(]|[A-Za-z_][\w:]*\s*[({])")

# half is a class of the simulator's: "  [file:line:column] half::half<unsigned int> (&h, n_3(D));"
TO_HALF = re.compile(r"^  \[(.+?):(\d+):\d+\] half::half<([\w ]+)> \(.+, [A-Za-z_][\w.]*(?:\(D\))?\);", re.MULTILINE)


def functions(dump: str) -> Iterator[str]:
    """The text of each function of the dump."""
    yield from dump.split("\n;; Function ")[1:]


def casts(dump: Path, preprocessed: str, toolkit: Path) -> list[str]:
    """The errors of a kernel: where one of its own files casts so. Nothing where the compiler has written no dump."""
    if not dump.is_file():
        return []
    unsigned = UNSIGNED | aliases(preprocessed)
    places: dict[str, None] = {}
    for function in functions(dump.read_text(encoding="utf-8", errors="replace")):
        for file, line, source in TO_HALF.findall(function):
            if source in unsigned and not file.startswith(f"{toolkit}/include/"):
                places[f"{file}:{line}: error: cast from {source} to half: {REASON}"] = None
        rows = [found for found in map(CAST.match, function.splitlines()) if found is not None]
        rows = [found for found in rows if not found[1].startswith(f"{toolkit}/include/")]
        if not rows:
            continue
        types = {name: type_.strip() for type_, name in DECLARED.findall(function)}
        for found in rows:
            file, line, column, to, name, number = found.groups()
            # a nameless value is declared as "_7" or "n.0_7", one of a variable as the variable
            source = types.get(f"{name}{number or ''}", types.get(name, ""))
            crossing = (to in FLOATING and source in unsigned) or (to in unsigned and source in FLOATING)
            if crossing and is_written(file, int(line), int(column)):
                places[f"{file}:{line}: error: cast from {source} to {to}: {REASON}"] = None
    return list(places)


def is_written(file: str, line: int, column: int) -> bool:
    """Whether the source has a cast at this place: a conversion that none asks for is at an operator or a name."""
    rows = lines(file)
    return len(rows) < line or WRITTEN.match(rows[line - 1][column - 1 :]) is not None


@lru_cache(maxsize=8)
def lines(file: str) -> list[str]:
    """The lines of a source; none where it cannot be read."""
    try:
        return Path(file).read_bytes().decode(errors="replace").split("\n")
    except OSError:
        return []


def aliases(preprocessed: str) -> set[str]:
    """Other names that the kernel gives unsigned types."""
    found = {(new or old_new, type_ or old) for new, type_, old, old_new in ALIAS.findall(preprocessed)}
    return {name for name, type_ in found if type_ in UNSIGNED}
