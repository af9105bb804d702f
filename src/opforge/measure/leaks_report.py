"""Makes the report of ``opforge test --leaks``: a row for each op, direction, stream and TASK_QUEUE_ENABLE."""

from __future__ import annotations

from opforge.measure import quantities as q
from opforge.measure.leaks_results import Change, LeakReport, LeakRow
from opforge.measure.table import Table, left, right


def table(report: LeakReport) -> Table:
    """The counts before and after the calls."""
    rows = tuple(
        (
            str(row.task_queue),
            row.op,
            row.what,
            row.stream,
            _live(row),
            _bytes(row.device_bytes),
            _bytes(row.rss_bytes),
            f"GREW: {row.why}" if row.grew else "no growth",
        )
        for row in report.rows
    )
    columns = (
        *left("TASK_QUEUE_ENABLE", "op", "what", "stream"),
        *right("live objects", "device memory", "host memory"),
        *left("verdict"),
    )
    return Table(f"Before and after {report.calls:,} calls", columns, rows)


def summary(report: LeakReport) -> str:
    """The verdict in one line."""
    grown = [row for row in report.rows if row.grew]
    if not grown:
        return f"no growth over {report.calls:,} calls, with TASK_QUEUE_ENABLE 0, 1 and 2"
    first = grown[0]
    where = f"{first.op} {first.what}, {first.stream} stream, TASK_QUEUE_ENABLE={first.task_queue}"
    return f"something grows in {len(grown)} of {len(report.rows)} runs of calls; the first is {where}: {first.why}"


def _live(row: LeakRow) -> str:
    counts = [change for kind, change in row.live.items() if not kind.endswith("_bytes")]
    if not counts:
        return q.NOTHING
    return f"{sum(count.before for count in counts):,} to {sum(count.after for count in counts):,}"


def _bytes(change: Change) -> str:
    return f"{q.size(change.before)} to {q.size(change.after)}"
