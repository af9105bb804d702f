"""Compares the simulator's tiling functions beside Matmul's with those of CANN's public tiling library.

``compare_others.py PROGRAM --write`` asks PROGRAM, others_probe.cpp built with the public library by somebody, and
writes the table anew; ``compare_others.py --result PROGRAM`` compares the table with PROGRAM, the probe built with the
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
from sampled_others import requests

ABOUT = (
    "What the tiling functions beside Matmul's answer: sizes, nodes and every field of the structs, compared "
    "with asc-devkit 82b89a1, impl/adv_api/tiling, built with the platform files of Atlas A2 and Ascend310P; the "
    "requests are those of tests/fidelity/tiling/sampled_others.py, the measured answers in measured_others.jsonl."
)
NOT_COMPARED = [
    "Tiling functions that the simulator does not have (convolutions, Hccl, Where, Hypot, Fma, IsInf and others)",
    "What a kernel of CANN really uses of its temporary buffer: only what the host's functions say of it",
]


def asked() -> Iterator[Row]:
    for request in requests():
        yield {"request": request}


def differing(theirs: Answer, ours: Answer) -> Iterator[str]:
    """The words that differ, with the direction where both are sizes."""
    if "crash" in theirs:
        yield "CANN's crashes"
    elif theirs.get("rc") != ours.get("rc"):
        yield "refused there" if theirs.get("rc") == "0" else "refused here"
    else:
        for name in theirs.keys() | ours.keys():
            a, b = theirs.get(name, "-"), ours.get(name, "-")
            if a != b and a.isdigit() and b.isdigit():
                yield f"{name} is {'less' if int(b) < int(a) else 'more'}"
            elif a != b:
                yield f"{name} is not set there" if a == "-" else f"{name} differs"


def what_differs(theirs: Answer, ours: Answer) -> str:
    return ", ".join(sorted(differing(theirs, ours)))


def function_of(request: str) -> str:
    return request.split(maxsplit=1)[0].removeprefix("fn=")


def summary(rows: list[Row], found: dict[str, str]) -> dict[str, Any]:
    by_cause: dict[str, Counter[str]] = {}
    for request, what in found.items():
        by_cause.setdefault(what, Counter())[function_of(request)] += 1
    functions = {function_of(row["request"]) for row in rows}
    counts = {
        "requests": len(rows),
        "answered alike": len(rows) - len(found),
        "functions": len(functions),
        "functions that agree in every request": len(functions - {function_of(request) for request in found}),
    }
    lines = [
        f"{what} ({sum(of.values())}): " + ", ".join(f"{name} {count}" for name, count in sorted(of.items()))
        for what, of in sorted(by_cause.items(), key=lambda item: -sum(item[1].values()))
    ]
    return {"about": ABOUT, "counts": counts, "differences": lines, "not_compared": NOT_COMPARED}


OTHERS = Comparison(
    result="other_tilings",
    probe=HERE / "others_probe.cpp",
    table=HERE / "measured_others.jsonl",
    known=HERE / "known_differences_others.json",
    asked=asked,
    what_differs=what_differs,
    summary=summary,
)

if __name__ == "__main__":
    OTHERS.main(__doc__)
