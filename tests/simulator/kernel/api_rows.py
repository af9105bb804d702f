"""The table of the kernel API as typed rows, and the ranked list of what real operators call."""

from __future__ import annotations

import csv
import json
from dataclasses import dataclass
from pathlib import Path

KERNEL_API = Path(__file__).parents[3] / "src" / "opforge" / "simulator" / "kernel"
FREQUENCY = Path(__file__).with_name("frequency.csv")
DOCUMENTED = Path(__file__).with_name("documented.csv")

TIERS = {
    "T0": "skeleton and copies",
    "T1": "elementwise vector functions",
    "T2": "compare, select, reduce, broadcast",
    "T3": "several cores, atomics, cache",
    "T4": "gather, sort, transpose, index",
    "T5": "mathematics, activations, normalisation, quantisation",
    "T6": "the Matmul object",
    "T7": "cube instructions",
}


@dataclass(frozen=True)
class ApiFunction:
    """One row of api/<family>.json: a function, a macro, a type, or a method of the class `of`, named ".Method".

    A dtype is `T`, or `T<-U` where the source's type is another. `dtypes` are those of Atlas A2 and A3,
    `dtypes_310p` those of the inference products; None: the function is not there. A `refused` row is documented, and
    its test shows the message that says it is not simulated, for the reason in `why`; it may have no header.
    """

    family: str
    name: str
    header: str
    page: str
    tier: str
    form: str
    dtypes: tuple[str, ...]
    meaning: str | None
    test: str
    dtypes_310p: tuple[str, ...] | None = None
    of: str = ""
    status: str = "simulated"
    why: str = ""


@dataclass(frozen=True)
class Ranked:
    """One function or method by how many of the real operators call it."""

    name: str
    area: str
    ops: int


@dataclass(frozen=True)
class Documented:
    """A page of the documentation, below docs/zh/api/SIMD-API, that says of Atlas A2 or ascend310p: supported.

    `row`: empty where a row of the table names the page; else the row that answers it, as `TBuf.Get` for TBuf's
    constructors, or "-" where there is none.
    """

    page: str
    products: str
    row: str


def read_table() -> tuple[ApiFunction, ...]:
    rows = []
    for file in sorted((KERNEL_API / "api").glob("*.json")):
        for row in json.loads(file.read_text(encoding="utf-8")):
            listed = {key: tuple(row[key]) for key in ("dtypes", "dtypes_310p") if row.get(key) is not None}
            rows.append(ApiFunction(family=file.stem, **{**row, **listed}))
    return tuple(rows)


def read_frequency() -> tuple[Ranked, ...]:
    """Most frequent first."""
    with FREQUENCY.open(encoding="utf-8", newline="") as file:
        return tuple(Ranked(row["name"], row["area"], int(row["ops"])) for row in csv.DictReader(file))


def read_documented() -> tuple[Documented, ...]:
    with DOCUMENTED.open(encoding="utf-8", newline="") as file:
        return tuple(Documented(**row) for row in csv.DictReader(file))
