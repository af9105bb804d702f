"""Fits the model of time to measured times, and tells the error of each op that the fit has not seen.

    python tests/fidelity/time/fit_times.py COUNTED MEASURED [--keep]

COUNTED is what count_times.py writes: a line for each case, with what the simulated device counted of opforge's own
kernel. MEASURED has the times of the same cases (``microseconds`` and ``source`` of each line); without it, COUNTED's
are used. ``--keep`` writes results/times.json.

Fitted are the launch and the bandwidth of HBM, by the least mean of absolute logarithms over elementwise ops and
rows. The spans of cores are those counted with the constants of time_constants.inc.
"""

from __future__ import annotations

import argparse
import itertools
import json
import math
import statistics
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

from kept_results import keep_result

from opforge.measure.time_constants import constants
from opforge.measure.time_model import Work, estimate

SOC = "Ascend910B2"
FITTED = ("elementwise", "row")
LAUNCHES = [round(0.5 + 0.1 * i, 1) for i in range(46)]  # us
HBMS = range(1000, 1625, 25)  # GB/s


@dataclass(frozen=True)
class Case:
    """A measured case with the work of opforge's kernel."""

    op: str
    kind: str
    shape: str
    dtype: str
    source: str
    measured: float
    work: tuple[Work, ...]

    def estimate(self, values: Mapping[str, float] | None = None) -> float:
        return estimate(self.work, SOC, values).microseconds


def read_cases(counted: Path, measured: Path | None) -> list[Case]:
    """The cases of both files. A case that was not counted is left out."""
    lines = [json.loads(line) for line in counted.read_text(encoding="utf-8").splitlines()]
    times = {}
    if measured is not None:
        rows = [json.loads(line) for line in measured.read_text(encoding="utf-8").splitlines()]
        times = {row["source"]: row["microseconds"] for row in rows}
        lines = [line for line in lines if line["source"] in times]
    return [case_of({**line, "microseconds": times.get(line["source"], line["microseconds"])}) for line in lines]


def case_of(row: Mapping[str, Any]) -> Case:
    """A case from a line of the counts, or from a row of the result."""
    shape = " ".join("x".join(map(str, each["shape"])) for each in row["inputs"])
    work = tuple(Work(**each) for each in row["work"])
    source = str(row["source"])
    return Case(row["op"], row["kind"], shape, row["inputs"][0]["dtype"], source, row["microseconds"], work)


def tried(cases: Sequence[Case]) -> list[tuple[dict[str, float], list[float]]]:
    """All values of the fitted constants, with the absolute logarithm of each case."""
    every = [{"launch": launch, "hbm": float(hbm)} for launch, hbm in itertools.product(LAUNCHES, HBMS)]
    return [(values, [abs(math.log(case.estimate(values) / case.measured)) for case in cases]) for values in every]


def fit(
    cases: Sequence[Case], without: str = "", logs: list[tuple[dict[str, float], list[float]]] | None = None
) -> dict[str, float]:
    """The constants with the least mean of absolute logarithms, over the ops except one; ops weigh the same."""
    by_op: dict[str, list[int]] = {}
    for i, case in enumerate(cases):
        if case.op != without:
            by_op.setdefault(case.op, []).append(i)

    def loss(of_cases: list[float]) -> float:
        return statistics.fmean(statistics.fmean(of_cases[i] for i in some) for some in by_op.values())

    return min(logs or tried(cases), key=lambda each: loss(each[1]))[0]


def summary(errors: Sequence[float]) -> dict[str, float]:
    """The median error, and the error that 80 % of the cases do not exceed."""
    ordered = sorted(errors)
    most = ordered[max(0, math.ceil(0.8 * len(ordered)) - 1)]
    return {"cases": len(ordered), "median": round(statistics.median(ordered), 3), "most": round(most, 3)}


def compared(cases: Sequence[Case]) -> dict[str, Any]:
    """The result: fitted constants, errors by kind and op, and a row for each case."""
    known = [case for case in cases if case.kind in FITTED]
    logs = tried(known)
    whole = fit(known, logs=logs)
    without = {op: fit(known, op, logs) for op in dict.fromkeys(case.op for case in known)}
    rows: list[dict[str, Any]] = []
    for case in cases:
        unseen = case.estimate(without.get(case.op, whole))
        rows.append(
            {
                "op": case.op,
                "kind": case.kind,
                "shape": case.shape,
                "dtype": case.dtype,
                "source": case.source,
                "measured": case.measured,
                "estimated": round(unseen, 2),
                "bound": estimate(case.work, SOC, without.get(case.op, whole)).bound,
                "error": round(unseen / case.measured - 1, 3),
            }
        )

    def errors(**fields: str) -> list[float]:
        return [abs(row["error"]) for row in rows if all(row[name] == value for name, value in fields.items())]

    ratio = [row["estimated"] / row["measured"] for row in rows if row["kind"] == "product"]
    both = [abs(row["error"]) for row in rows if row["kind"] in FITTED]
    return {
        "fitted": whole,
        "without": without,
        "both": summary(both),
        "kinds": {kind: summary(errors(kind=kind)) for kind in ("elementwise", "row", "product") if errors(kind=kind)},
        "ops": {op: summary(errors(op=op)) for op in dict.fromkeys(row["op"] for row in rows)},
        "products_over_measured": round(statistics.median(ratio), 2) if ratio else None,
        "rows": rows,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("counted", type=Path)
    parser.add_argument("measured", type=Path, nargs="?")
    parser.add_argument("--keep", action="store_true", help="write results/times.json")
    given = parser.parse_args()
    found = compared(read_cases(given.counted, given.measured))
    table = {name: constants(SOC)[name].value for name in found["fitted"]}
    if given.keep:
        keep_result("times", found)
    rows = found.pop("rows")
    for row in rows:
        print("{op:9} {shape:42} {dtype:9} {measured:9.2f} {estimated:9.2f} {error:+7.1%} {bound}".format(**row))
    print(json.dumps(found, indent=1))
    if table != found["fitted"]:
        print(f"the table has {table}: write the fitted constants into time_constants.inc")


if __name__ == "__main__":
    main()
