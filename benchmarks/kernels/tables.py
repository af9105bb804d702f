"""The tables of a comparison of kernels, in Markdown."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from pairs import PAIRS

from opforge.measure.time_model import Work, estimate

SOC = "Ascend910B1"
_HEAD = """\
# Generated kernels beside public handwritten ones

Written by `python benchmarks/kernels/compare.py CHECKOUTS --write`. For each pair: the geometric mean, over six shapes
and up to three dtypes, of our bytes of global memory, cycles of the busiest pipe and estimated time on Ascend910B1,
divided by those of the public operator, and the worst case. The last column counts the cases in which the mean errors,
compared with float64, are not larger. `docs/how_fast.md` says what the estimate knows."""
MOST = 1.25  # times as many bytes or cycles


def report(document: Mapping[str, Any]) -> str:
    """The costs of generated ops beside public ones: by pair, the cases above ``MOST``, and the refused ones."""
    rows = [row for row in document["rows"] if "work" in row["ours"] and "work" in row["theirs"]]
    sources = ", ".join(f"{name} {commit[:12]}" for name, commit in document["commits"].items())
    lines = [*_HEAD.splitlines(), "", f"Public sources: {sources}.", ""]
    head = [
        "op",
        "public operator",
        "cases",
        "bytes",
        "worst",
        "cycles",
        "worst",
        "time",
        "worst",
        "error at most theirs",
    ]
    lines += _table(head, [*_by_pair(rows), _line("all", "", rows)])
    above = [row for row in rows if max(_ratio(row, "bytes"), _ratio(row, "cycles")) > MOST]
    if above:
        lines += ["", f"The cases above {MOST}:", ""]
        head = ["op", "shape", "dtype", "bytes", "cycles", "time", "error of theirs"]
        lines += _table(head, [_case(row) for row in above])
    head = ["op", "shape", "dtype", "bytes", "cycles", "us", "bytes / theirs", "cycles / theirs", "us / theirs"]
    lines += ["", "## All cases", "", *_table(head, [_costs(row) for row in rows])]
    failed = [row for row in document["rows"] if "work" not in row["theirs"]]
    if failed:
        cases: dict[str, list[str]] = {}
        for row in failed:
            cases.setdefault(f"{row['op']} {_shape(row)}", []).append(row["dtype"])
        told = ", ".join(f"{case} ({', '.join(dtypes)})" for case, dtypes in cases.items())
        lines += ["", f"The public operator refuses these, or breaks a rule of the device: {told}."]
    return "\n".join(lines) + "\n"


def _by_pair(rows: Sequence[dict[str, Any]]) -> Iterable[list[str]]:
    for pair in PAIRS:
        mine = [row for row in rows if row["op"] == pair.op]
        if mine:
            yield _line(pair.op, pair.folder, mine)


def _line(op: str, folder: str, rows: Sequence[dict[str, Any]]) -> list[str]:
    cells = [op, folder, str(len(rows))]
    for what in ("bytes", "cycles", "time"):
        ratios = [_ratio(row, what) for row in rows]
        cells += [f"{math.exp(sum(map(math.log, ratios)) / len(ratios)):.2f}", f"{max(ratios):.2f}"]
    return [*cells, f"{sum(_error_ratio(row) <= 1.01 for row in rows)} of {len(rows)}"]


def _case(row: dict[str, Any]) -> list[str]:
    ratios = [f"{_ratio(row, what):.2f}" for what in ("bytes", "cycles", "time")]
    return [row["op"], _shape(row), row["dtype"], *ratios, f"{1 / _error_ratio(row):.2f} x ours"]


def _costs(row: dict[str, Any]) -> list[str]:
    """Our bytes, cycles of the busiest pipe and estimated microseconds, and each divided by theirs."""
    whats = ("bytes", "cycles", "time")
    bytes_, cycles, time = (_cost(row["ours"]["work"], what) for what in whats)
    ratios = [f"{_ratio(row, what):.2f}" for what in whats]
    return [row["op"], _shape(row), row["dtype"], f"{bytes_:,.0f}", f"{cycles:,.0f}", f"{time:.1f}", *ratios]


def _shape(row: dict[str, Any]) -> str:
    return "x".join(map(str, row["shape"]))


def _ratio(row: dict[str, Any], what: str) -> float:
    return _cost(row["ours"]["work"], what) / _cost(row["theirs"]["work"], what)


def _cost(works: Sequence[dict[str, Any]], what: str) -> float:
    """Bytes of global memory, cycles of the busiest pipe, or estimated microseconds of one call's launches."""
    if what == "bytes":
        return float(sum(work["read"] + work["written"] for work in works))
    if what == "cycles":
        return float(sum(max(work["busy"].values()) for work in works))
    return estimate([Work(**work) for work in works], SOC).microseconds


def _error_ratio(row: dict[str, Any]) -> float:
    """The geometric mean, over the results, of our mean error divided by theirs. Without errors on both sides, 1."""
    errors = [(row["ours"]["errors"][name][1], row["theirs"]["errors"][name][1]) for name in row["ours"]["errors"]]
    ratios = [ours / theirs for ours, theirs in errors if ours > 0 and theirs > 0]
    return math.exp(sum(map(math.log, ratios)) / len(ratios)) if ratios else 1.0


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    return [f"| {' | '.join(cells)} |" for cells in (head, ["---"] * len(head), *rows)]
