"""The tables of a comparison of kernels, in Markdown."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby
from typing import Any

from products import EVERY

from opforge.measure.time_model import Work, estimate

SOC = "Ascend910B1"
_HEAD = """\
# Generated kernels beside public handwritten ones

Written by `python benchmarks/kernels/compare.py CHECKOUTS --write`. For each pair: the geometric mean, over six shapes
and up to three dtypes, of our bytes of global memory, instructions of the busiest core, cycles of the busiest pipe and
estimated time on Ascend910B1, divided by those of the public operator, and the worst case. The last column counts the
cases in which the mean errors, compared with float64, are not larger. An instruction is a call of a function of the
vector or cube unit or of a transfer, as the simulated device counts them: a call counts once, however many elements it
has, and functions above the instructions, such as SoftMax and ReduceSum, count once, too. The scalar unit's work counts
as cycles only. `docs/how_fast.md` says what the estimate knows.

Products: shapes are M x K x N. The simulated device counts the transfers of the Matmul object from global memory to L1
and its Mmads, but not its transfers from L1 to L0. CATLASS's kernels make these themselves, so their instructions are
not compared, and cycles are those of the other pipes. The estimates of their time do contain them; in those of the
Matmul object, a base block waits for all of its transfers. `product_columns` has its right operand as [N, K], as the
example does. So has `product_split`, with `batch_invariant: false` and sizes with few tiles and a long K. CATLASS's
examples are unchanged, but for the header that makes and compares their data. In asc-devkit's example, the sizes are
set, and result and bias are float16 instead of float32; `product_api` has no bias."""
COSTS = ("bytes", "instructions", "cycles", "time")
OWN_LOADS = {pair.op for pair in EVERY if pair.program and pair.program.own_loads}
MOST = 1.1  # times as many bytes or cycles
_ABOVE = f"""\
The cases above {MOST} in bytes or cycles: the worst ratio of each cost among them, and the cause. Where a step would
take digits from the results or add time by the estimate, it was left out."""

_FEW_ROWS = "At 64x128 a core has two rows: half of its instructions are on one number for each row."
_IN_PARTS = "A row of 11008 does not fit a tile: it is read in parts, each with its own instructions."
_READ_AGAIN = "A row of 100003 does not fit UB: both inputs are read again, where theirs reads their stored sum."
_SMALL_TILES = "Tiles are smaller, so that all 24 cube cores have one: operands are read from L2 more often."
WHY = {
    "row_gemma_rms_norm": _FEW_ROWS,
    "row_add_rms_norm": f"Theirs adds and multiplies float16 in float16. {_READ_AGAIN} {_FEW_ROWS}",
    "row_add_rms_norm_cast": _READ_AGAIN,
    "row_deep_norm": "At 512x1024 a core has several tiles of few rows: each has instructions on one number a row.",
    "row_log_softmax": _IN_PARTS,
    "row_rms_norm_dynamic_quant": f"{_IN_PARTS} {_FEW_ROWS}",
    "flat_softplus": "Theirs adds Ln of 1 + exp(x), which is 0 far below 0; ours computes log1p.",
    "flat_log_sigmoid": "Theirs is -Ln(1 + exp(-x)): -inf below -11 in float16 and -88 in float32, 0 far above 0.",
    "flat_celu": "Theirs subtracts 1 from Exp, which loses the digits of small x; ours computes expm1.",
    "product_basic": _SMALL_TILES,
    "product_columns": _SMALL_TILES,
    "product_api": _SMALL_TILES,
    "product_bias": _SMALL_TILES,
    "product_split": "Tiles are smaller and have fewer parts of K: less goes through memory to be added, more is read "
    "from L2. Where parts would gain little time by the estimate, there are none.",
}


def report(document: Mapping[str, Any]) -> str:
    """The costs of generated ops beside public ones: by pair, the causes above ``MOST``, all, and the refused ones."""
    rows = [row for row in document["rows"] if "work" in row["ours"] and "work" in row["theirs"]]
    sources = ", ".join(f"{name} {commit[:12]}" for name, commit in document["commits"].items())
    lines = [*_HEAD.splitlines(), "", f"Public sources: {sources}.", ""]
    ratios = [cell for cost in COSTS for cell in (cost, "worst")]
    head = ["op", "public operator", "cases", *ratios, "error at most theirs"]
    lines += _table(head, [*_by_pair(rows), _line("all", "", rows)])
    above = [row for row in rows if round(max(_ratio(row, "bytes"), _ratio(row, "cycles")), 2) > MOST]
    if above:
        lines += ["", *_ABOVE.splitlines(), ""]
        head = ["op", "cases", "bytes", "cycles", "time", "error of theirs", "why"]
        lines += _table(head, _causes(above))
    names = ["us" if cost == "time" else cost for cost in COSTS]
    head = ["op", "shape", "dtype", *names, *(f"{name} / theirs" for name in names)]
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
    for pair in EVERY:
        mine = [row for row in rows if row["op"] == pair.op]
        if mine:
            yield _line(pair.op, pair.folder, mine)


def _line(op: str, folder: str, rows: Sequence[dict[str, Any]]) -> list[str]:
    cells = [op, folder, str(len(rows))]
    for what in COSTS:
        ratios = [_ratio(row, what) for row in rows if _is_compared(row, what)]
        mean = math.exp(sum(map(math.log, ratios)) / max(len(ratios), 1))
        cells += [f"{mean:.2f}", f"{max(ratios):.2f}"] if ratios else ["-", "-"]
    return [*cells, f"{sum(_error_ratio(row) <= 1.01 for row in rows)} of {len(rows)}"]


def _causes(rows: Sequence[dict[str, Any]]) -> Iterable[list[str]]:
    """For each op of ``rows``: the worst ratios of its cases, and why they are above ``MOST``."""
    for op, found in groupby(rows, key=lambda row: row["op"]):
        mine = [*found]
        worst = [f"{max(_ratio(row, what) for row in mine):.2f}" for what in ("bytes", "cycles", "time")]
        errors = sorted(1 / _error_ratio(row) for row in mine)
        yield [op, str(len(mine)), *worst, f"{errors[0]:.2f} to {errors[-1]:.2f} x ours", WHY[op]]


def _costs(row: dict[str, Any]) -> list[str]:
    """Our costs, the time in microseconds, and each divided by theirs."""
    *counts, time = (_cost(row["ours"]["work"], what) for what in COSTS)
    ratios = [_told(row, what) for what in COSTS]
    return [row["op"], _shape(row), row["dtype"], *(f"{count:,.0f}" for count in counts), f"{time:.1f}", *ratios]


def _shape(row: dict[str, Any]) -> str:
    return "x".join(map(str, row["shape"]))


def _ratio(row: dict[str, Any], what: str) -> float:
    return _cost(row["ours"]["work"], what) / _cost(row["theirs"]["work"], what)


def _is_compared(row: dict[str, Any], what: str) -> bool:
    return what != "instructions" or row["op"] not in OWN_LOADS


def _told(row: dict[str, Any], what: str) -> str:
    return f"{_ratio(row, what):.2f}" if _is_compared(row, what) else "-"


def _cost(works: Sequence[dict[str, Any]], what: str) -> float:
    """One of ``COSTS`` of one call's launches: the time in microseconds, the rest counted."""
    if what == "bytes":
        return float(sum(work["read"] + work["written"] for work in works))
    if what == "cycles":
        return float(sum(max(cycles for pipe, cycles in work["busy"].items() if pipe != "MTE1") for work in works))
    if what == "instructions":
        return float(sum(work["instructions"] for work in works))
    known = [Work(**{name: work[name] for name in work if name != "instructions"}) for work in works]
    return estimate(known, SOC).microseconds


def _error_ratio(row: dict[str, Any]) -> float:
    """The geometric mean, over the results, of our mean error divided by theirs. Without errors on both sides, 1."""
    errors = [(row["ours"]["errors"][name][1], row["theirs"]["errors"][name][1]) for name in row["ours"]["errors"]]
    ratios = [ours / theirs for ours, theirs in errors if ours > 0 and theirs > 0]
    return math.exp(sum(map(math.log, ratios)) / len(ratios)) if ratios else 1.0


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    return [f"| {' | '.join(cells)} |" for cells in (head, ["---"] * len(head), *rows)]
