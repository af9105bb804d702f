"""Compares the simulator's Matmul tilings with those of CANN's public tiling library, request by request.

``compare_matmul.py PROGRAM --write`` asks PROGRAM, matmul_probe.cpp built with the public library by somebody, and
writes the table anew; ``compare_matmul.py --result PROGRAM`` compares the table with PROGRAM, the probe built with the
simulator's toolkit, and writes the known differences and the result file.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))

from measured_tables import HERE, Answer, Comparison, Row
from sampled import line, requests

ABOUT = (
    "Matmul tilings (GetTiling, GetCoreNum, GetSingleShape, sizes of temporary buffers) of single-core, multi-core and "
    "batch objects, compared with asc-devkit 82b89a1, impl/adv_api/tiling/matmul, built with the platform files of "
    "Atlas A2, A3 and Ascend310P; the requests are those of tests/fidelity/tiling/sampled.py, the measured answers in "
    "measured.jsonl. A row that differs is counted by the first level in which it does."
)
NOT_COMPARED = ["Settings for products that the simulator does not have (convolutions, MX types, Ascend950)"]
# Fields of TCubeTiling by their places.
LEVELS = {
    "cores": (0, 5, 6, 7),
    "base block": (8, 9, 10),
    "blocks in L1": (11, 12, 13, 14, 17, 19, 26, 27),
    "double buffers of L0": (30, 31, 32),
}


def asked() -> Iterator[Row]:
    for kind, request in requests():
        yield {"kind": kind, "request": line(request)}


def what_differs(theirs: Answer, ours: Answer) -> str:
    """In which level the first difference lies."""
    if theirs == ours:
        return ""
    if "crash" in theirs:
        return "theirs crashes"
    if theirs.get("rc") != ours.get("rc"):
        return "refused there" if theirs.get("rc") == "-1" else "refused here" if ours.get("rc") == "-1" else "rc"
    if "tiling" not in theirs or "tiling" not in ours:
        return "rc"
    a, b = (answer["tiling"].split(",") for answer in (theirs, ours))
    for name, fields in LEVELS.items():
        if any(a[field] != b[field] for field in fields):
            return name
    return "other fields" if a != b else "GetCoreNum, GetSingleShape"


def summary(rows: list[Row], found: dict[str, str]) -> dict[str, Any]:
    kinds = Counter(row["kind"] for row in rows)
    differ = Counter(row["kind"] for row in rows if row["request"] in found)
    counts = {"requests": len(rows), "answered alike": len(rows) - len(found)}
    counts |= {f"{kind.replace('_', ' ')}: {kinds[kind] - differ[kind]} alike of": kinds[kind] for kind in kinds}
    lines = [f"{what}: {count}" for what, count in sorted(Counter(found.values()).items())]
    return {"about": ABOUT, "counts": counts, "differences": lines, "not_compared": NOT_COMPARED}


# Compared: what GetTiling, GetCoreNum, GetSingleShape and the sizes of temporary buffers say.
MATMUL = Comparison(
    result="matmul_tiling",
    probe=HERE / "matmul_probe.cpp",
    table=HERE / "measured.jsonl",
    known=HERE / "known_differences.json",
    asked=asked,
    what_differs=what_differs,
    summary=summary,
    left_out=("banks", "refused"),
)

if __name__ == "__main__":
    MATMUL.main(__doc__)
