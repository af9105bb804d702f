"""Makes the report of ``opforge bench``: its tables, and a page in Markdown with all of them."""

from __future__ import annotations

from opforge.measure import quantities as q
from opforge.measure.bench_results import BenchReport, BenchRow, Side
from opforge.measure.table import Table, left, right
from opforge.measure.time_model import TimeEstimate, error_text, estimate, unfused_microseconds
from opforge.measure.transfer import Balance, transfer

_CASE = ("op", "dtype", "case")

_TRANSFERS = (
    "The simulated device counted while the kernel ran; the counts are the same on hardware. GM is bytes between "
    "global memory and cores. Fused is the minimum of one kernel: each input and each output once. Unfused is the sum "
    "of these minima over PyTorch's own operators. Buffers: the peak use of a core's memory. Balance: the largest work "
    "of a core divided by the mean of all launched cores; 1.00 x is even. Instructions: the most of a core."
)
_ESTIMATE = (
    "Nothing was counted, because this device has no counters: the bytes are computed from the shapes. "
    "Fused is each input and each output once; unfused is the traffic of PyTorch's own operators."
)
_SIDES = "Custom is the op's kernel; native are PyTorch's own operators on the same inputs in the same run."
_SIMULATED = (
    "**Every time here is simulated**: it is the simulator's own run time on this machine and says nothing about an "
    "NPU. The numbers of the last table hold on hardware, too."
)


_VERDICTS = {True: "correct", False: "WRONG", None: q.NOTHING}


def summary(report: BenchReport) -> str:
    """The last line: how many results are correct."""
    judged = [row for row in report.rows if row.passed is not None]
    wrong = sum(not row.passed for row in judged)
    if not judged:
        return "no result was judged: no measured op has a reference"
    return f"{wrong} of {len(judged)} results are WRONG" if wrong else f"{len(judged)} results are correct"


def tables(report: BenchReport) -> tuple[Table, ...]:
    """Times, errors, and the counts that hold on hardware."""
    found = _times_table(report), _errors_table(report), _transfer_table(report)
    return (*found, _estimates_table(report)) if any(row.work for row in report.rows) else found


def markdown(report: BenchReport, plot: str) -> str:
    """The whole page; ``plot`` is the name of the picture beside it."""
    device = report.device
    name = q.marked(device.soc, simulated=device.simulated)
    parts = [
        "# Benchmark",
        f"{name}, PyTorch {device.torch}. {_SIDES}",
        *(f"Left out: {line}." for line in report.left_out),
        *([_SIMULATED] if device.simulated else []),
        f"![times, global memory traffic and core balance]({plot})",
        *(table.markdown().rstrip() for table in tables(report)),
    ]
    return "\n\n".join(parts) + "\n"


def _case(row: BenchRow) -> tuple[str, ...]:
    return row.op, row.dtype, row.label


def _times_table(report: BenchReport) -> Table:
    simulated = report.device.simulated
    rows = []
    for row in report.rows:
        sides = row.custom, row.native
        custom, native = (None if side is None else side.times.median for side in sides)
        ratio = None if custom is None or native is None else native / custom
        rows.append(
            (
                *_case(row),
                *(_time(side, simulated=simulated) for side in sides),
                q.NOTHING if ratio is None else q.marked(q.times(ratio), simulated=simulated),
                *(_rate(side, simulated=simulated) for side in sides),
            )
        )
    columns = (
        *left(*_CASE),
        *right("custom: median (min to max)", "native: median (min to max)", "native / custom"),
        *right("tokens, custom", "tokens, native"),
    )
    notes = ["Times of the simulator on this machine, not of an NPU."] if simulated else []
    if any(row.custom is None for row in report.rows):
        notes.append("Rows without times have the size of a layer of a real model: one call was counted, not timed.")
    return Table("Time of one call", columns, tuple(rows), " ".join(notes))


def _time(side: Side | None, *, simulated: bool) -> str:
    if side is None:
        return q.NOTHING
    times = side.times
    median, least, most = (q.microseconds(value) for value in (times.median, times.least, times.most))
    return q.marked(f"{median} ({least} to {most})", simulated=simulated)


def _rate(side: Side | None, *, simulated: bool) -> str:
    return q.NOTHING if side is None else q.marked(q.per_second(side.tokens_per_s), simulated=simulated)


def _errors_table(report: BenchReport) -> Table:
    rows = tuple(
        (*_case(row), _VERDICTS[row.passed], *_errors(row.custom), *_errors(row.native)) for row in report.rows
    )
    columns = (
        *left(*_CASE, "result"),
        *right("max error, custom", "mean error, custom", "intermediates, custom"),
        *right("max error, native", "mean error, native", "intermediates, native"),
    )
    return Table("Errors and memory", columns, rows, "Absolute errors against float64; peak memory of intermediates.")


def _errors(side: Side | None) -> tuple[str, str, str]:
    if side is None:
        return q.NOTHING, q.NOTHING, q.NOTHING
    if side.error is None:
        return q.NOTHING, q.NOTHING, q.size(side.peak)
    return q.error(side.error.most), q.error(side.error.mean), q.size(side.peak)


def _transfer_table(report: BenchReport) -> Table:
    rows = []
    for row in report.rows:
        found = transfer(row, report.device.soc)
        occupancy = ", ".join(f"{name} {q.percent(share)}" for name, share in found.occupancy if share)
        rows.append(
            (
                *_case(row),
                q.size(found.measured),
                q.size(found.fused),
                q.size(found.unfused),
                q.times(found.over_fused),
                q.times(found.saved),
                occupancy or q.NOTHING,
                "; ".join(map(_cores, found.balance)) or q.NOTHING,
                "; ".join(q.times(balance.ratio) for balance in found.balance) or q.NOTHING,
                "; ".join(f"{balance.instructions:,}" for balance in found.balance) or q.NOTHING,
            )
        )
    columns = (
        *left(*_CASE),
        *right("GM moved", "GM fused", "GM unfused", "moved / fused", "unfused / fused"),
        *left("buffers in use", "cores", "balance", "instructions"),
    )
    counted = any(row.traffic.measured is not None for row in report.rows)
    return Table("Counts that hold on hardware", columns, tuple(rows), _TRANSFERS if counted else _ESTIMATE)


def _estimates_table(report: BenchReport) -> Table:
    soc = report.device.soc
    rows = []
    for row in report.rows:
        found = estimated(row, soc)
        if found is None:
            continue
        time, unfused = found
        rows.append(
            (
                *_case(row),
                q.microseconds(time.microseconds),
                time.bound,
                q.percent(round(time.roofline, 3)),
                q.microseconds(time.launch),
                q.NOTHING if unfused is None else q.microseconds(unfused),
                q.NOTHING if unfused is None else q.times(unfused / time.microseconds),
            )
        )
    columns = (
        *left(*_CASE),
        *right("time, estimated"),
        *left("bound by"),
        *right("of the roofline", "launch", "unfused, estimated", "unfused / fused"),
    )
    notes = (
        f"Estimates for {soc}, {error_text(soc)}; docs/how_fast.md has the model. The roofline is the time at the "
        "hardware's peaks. Unfused assumes: each of PyTorch's own operators is launched alone, reads from L2 what an "
        "earlier one has written, and takes as long as its bytes need; products run at the cube units' peak."
    )
    return Table("Time on hardware, estimated", columns, tuple(rows), notes)


def estimated(row: BenchRow, soc: str) -> tuple[TimeEstimate, float | None] | None:
    """The op's kernels and PyTorch's own operators, in microseconds; None if nothing was counted."""
    if not row.work:
        return None
    unfused = None
    if row.unfused is not None:
        unfused = unfused_microseconds(row.unfused, sum(work.macs for work in row.work), soc)
    return estimate(row.work, soc), unfused


def _cores(balance: Balance) -> str:
    idle = balance.cores - balance.busy
    chip = f" of {balance.chip}" if balance.chip is not None else ""
    return f"{balance.cores}{chip} {balance.kind}" + (f", {idle} idle" if idle else "")
