"""The table of the kernel API as typed rows."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

KERNEL_API = Path(__file__).parents[3] / "src" / "opforge" / "simulator" / "kernel"


@dataclass(frozen=True)
class ApiFunction:
    """One row of api.json: a dtype is `T`, or `T<-U` where the source's type is another."""

    name: str
    header: str
    page: str
    form: str
    dtypes: tuple[str, ...]
    meaning: str | None
    test: str


def read_table() -> tuple[ApiFunction, ...]:
    rows = json.loads((KERNEL_API / "api.json").read_text(encoding="utf-8"))
    return tuple(ApiFunction(**{**row, "dtypes": tuple(row["dtypes"])}) for row in rows)
