"""Reads the report of ``opforge.testing.leaks``: whether many calls leave more objects than a few."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from opforge.frozen import dataclass
from opforge.measure.json_fields import Entry
from opforge.measure.programs import Device, InstalledProject, left_out, run_program

TASK_QUEUES = (0, 1, 2)  # the values of TASK_QUEUE_ENABLE: off, first level, second level


@dataclass(frozen=True)
class Change:
    """A count before and after the calls."""

    before: int
    after: int


@dataclass(frozen=True)
class LeakRow:
    """One op, forward or backward, on one stream. ``live`` has the simulated device's counts; empty on hardware."""

    task_queue: int
    op: str
    what: str
    stream: str
    live: Mapping[str, Change]
    device_bytes: Change
    rss_bytes: Change
    grew: bool
    why: str


@dataclass(frozen=True)
class LeakReport:
    """All runs together."""

    device: Device
    calls: int
    rows: tuple[LeakRow, ...]
    left_out: tuple[str, ...] = ()  # ops with the reasons

    @property
    def grew(self) -> bool:
        """Whether any count grew."""
        return any(row.grew for row in self.rows)


def look_for_leaks(installed: InstalledProject, calls: int, arguments: Sequence[str] = ()) -> LeakReport:
    """Runs the program once for each TASK_QUEUE_ENABLE. Raises the errors of ``run_program``."""
    rows: list[LeakRow] = []
    for queue in TASK_QUEUES:
        ran = run_program(
            installed,
            "leaks",
            [f"--calls={calls}", *arguments],
            report=f"leaks_{queue}",
            environ={"TASK_QUEUE_ENABLE": str(queue)},
            judges=True,
        )
        found = parse_leaks(ran.report, queue)
        if ran.passed == any(row.grew for row in found):
            raise ran.report.error("`grew` and the program's exit status contradict each other")
        rows += found
    return LeakReport(ran.device, calls, tuple(rows), left_out(ran.report))


def parse_leaks(document: Entry, queue: int) -> tuple[LeakRow, ...]:
    """The rows of one run, with every field validated. Raises MeasureError."""
    if document.count("task_queue") != queue:
        raise document.error(f"`task_queue` is {document.count('task_queue')}, and {queue} was asked for")
    rows = tuple(_row(entry, queue) for entry in document.entries("rows"))
    if not rows:
        raise document.error("nothing was called")
    if document.flag("grew") != any(row.grew for row in rows):
        raise document.error("`grew` contradicts its rows")
    return rows


def _row(entry: Entry, queue: int) -> LeakRow:
    live = entry.maybe("live")
    return LeakRow(
        task_queue=queue,
        op=entry.text("op"),
        what=entry.text("what"),
        stream=entry.text("stream"),
        live={} if live is None else {kind: _change(live.entry(kind)) for kind in live.fields},
        device_bytes=_change(entry.entry("device_bytes")),
        rss_bytes=_change(entry.entry("rss_bytes")),
        grew=entry.flag("grew"),
        why=entry.text("why"),
    )


def _change(entry: Entry) -> Change:
    return Change(entry.count("before"), entry.count("after"))
