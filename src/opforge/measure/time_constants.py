"""Reads the constants of the model of time: the table that the simulated device's engine includes."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

from opforge.errors import InternalError
from opforge.frozen import dataclass

TABLE = Path(__file__).parents[1] / "simulator" / "kernel" / "engine" / "report" / "time_constants.inc"
KINDS = {"kDocumented": "documented", "kDerived": "derived", "kFitted": "fitted", "kGuess": "guess"}

_TEXT = r'"([^"]*)"'
_VALUE = rf"([\d.]+), (k\w+), {_TEXT}"
_ROW = re.compile(rf"TIME_CONSTANT\((\w+), {_TEXT}, {_TEXT},\s*{_VALUE},\s*{_VALUE}\)\n")


@dataclass(frozen=True)
class Constant:
    """A constant of the model for one SoC. ``kind`` is documented, derived, fitted or guess."""

    name: str
    what: str
    unit: str
    value: float
    kind: str
    source: str


@cache
def constants(soc: str) -> dict[str, Constant]:
    """The constants of a chip such as ``Ascend910B1``, by name."""
    text = TABLE.read_text(encoding="utf-8")
    rows = _ROW.findall(text)
    if len(rows) != text.count("\nTIME_CONSTANT("):
        raise InternalError(f"{TABLE.name} has {text.count(chr(10) + 'TIME_CONSTANT(')} rows, {len(rows)} can be read")
    column = 6 if soc.lower().startswith("ascend310p") else 3
    return {
        row[0]: Constant(row[0], row[1], row[2], float(row[column]), KINDS[row[column + 1]], row[column + 2])
        for row in rows
    }
