"""Reads the report of ``opforge.testing.bench``: each op beside PyTorch's own operators, on the same inputs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from opforge.frozen import dataclass
from opforge.measure.json_fields import Entry
from opforge.measure.programs import COUNTERS, Device, InstalledProject, left_out, nothing, run_program
from opforge.measure.time_model import Unfused, Work, unfused_of, work_of

_PICOSECOND = 1e-6  # microseconds: no call is faster
_TOO_MUCH = 1e18  # microseconds, or tokens in a second


@dataclass(frozen=True)
class Times:
    """Microseconds of one call, over the runs of one measurement."""

    median: float
    least: float
    most: float


@dataclass(frozen=True)
class Difference:
    """Absolute differences from the golden in float64."""

    most: float
    mean: float


@dataclass(frozen=True)
class Side:
    """One way to compute a case: the op's kernel, or PyTorch's own operators. ``peak`` is bytes of intermediates."""

    times: Times
    tokens_per_s: float
    peak: int | None
    error: Difference | None


@dataclass(frozen=True)
class Traffic:
    """Bytes between global memory and cores: as counted, and the minimum of a fused kernel."""

    fused: int
    unfused: int | None  # moved by the chain of PyTorch's own operators
    read: int | None  # None on devices without counters
    written: int | None

    @property
    def measured(self) -> int | None:
        """Bytes read and written, or None."""
        return None if self.read is None or self.written is None else self.read + self.written


@dataclass(frozen=True)
class Core:
    """The work of one core in all launches of one call. ``kind`` is aic, aiv or mix."""

    kind: str
    moved: int  # bytes from and to global memory
    vector_elements: int
    macs: int
    instructions: int


@dataclass(frozen=True)
class Memory:
    """The most bytes of an on-chip buffer (UB, L1, L0A ...) that a core used, and the buffer's size."""

    name: str
    peak: int
    capacity: int


@dataclass(frozen=True)
class BenchRow:
    """One op, dtype and size. A row without ``custom`` has only counts: its device ran one call, and took no times."""

    op: str
    dtype: str
    label: str
    shapes: Mapping[str, tuple[int, ...]]
    tokens: int
    custom: Side | None
    native: Side | None  # None if PyTorch has no equivalent, or the row only counts
    traffic: Traffic
    cores: tuple[Core, ...]
    memory: tuple[Memory, ...]
    work: tuple[Work, ...] = ()  # of each launch, for the model of time
    unfused: Unfused | None = None
    passed: bool | None = None  # whether the results are correct; None without a reference, and for counts


@dataclass(frozen=True)
class BenchReport:
    """A whole run."""

    device: Device
    rows: tuple[BenchRow, ...]
    left_out: tuple[str, ...] = ()  # ops with the reasons

    @property
    def passed(self) -> bool:
        """Whether no result is wrong."""
        return all(row.passed is not False for row in self.rows)


def bench(installed: InstalledProject, arguments: Sequence[str] = ()) -> BenchReport:
    """Runs the program, with the simulated device's counters on.

    Raises MeasureError if its exit status contradicts its report, and as ``run_program``.
    """
    counters = installed.reports / "launches.jsonl"
    counters.unlink(missing_ok=True)
    environ = {COUNTERS: installed.environ.get(COUNTERS, str(counters))}
    ran = run_program(installed, "bench", arguments, environ=environ, judges=True)
    report = parse_bench(ran.report, ran.device, arguments)
    ran.require_verdict(passed=report.passed)
    return report


def parse_bench(document: Entry, device: Device, arguments: Sequence[str] = ()) -> BenchReport:
    """The report, with every field validated. Raises MeasureError."""
    rows = tuple(_row(entry) for entry in document.entries("rows"))
    if not rows:
        raise nothing(document, "nothing was measured", arguments)
    return BenchReport(device, rows, left_out(document))


def _row(entry: Entry) -> BenchRow:
    shapes = entry.entry("shapes")
    custom = None if entry.is_null("custom_us") else _side(entry, "custom", "custom_us", "error")
    native = None if entry.is_null("native_us") else _side(entry, "native", "native_us", "native_error")
    row = BenchRow(
        op=entry.text("op"),
        dtype=entry.text("dtype"),
        label=entry.text("label"),
        shapes={name: shapes.counts(name) for name in shapes.fields},
        tokens=entry.count("tokens"),
        custom=custom,
        native=native,
        traffic=_traffic(entry.entry("gm_bytes")),
        cores=tuple(_core(core) for core in _listed(entry, "cores")),
        memory=_memory(entry.maybe("memory")),
        work=tuple(map(work_of, _optional(entry, "work"))),
        unfused=unfused_of(entry.entry("unfused")) if _has(entry, "unfused") else None,
        passed=entry.flag("passed") if _has(entry, "passed") else None,
    )
    if custom is None:
        if native is not None or row.passed is not None:
            raise entry.error("`custom_us` is null, and `native_us` or `passed` is not")
        if row.traffic.measured is None:
            raise entry.error("`custom_us` is null, and nothing was counted either")
    return row


def _side(entry: Entry, side: str, times: str, error: str) -> Side:
    peak, rate = entry.entry("peak_bytes"), entry.entry("tokens_per_s")
    return Side(
        times=_times(entry.entry(times)),
        tokens_per_s=_finite(rate, side),
        peak=None if peak.is_null(side) else peak.count(side),
        error=None if entry.is_null(error) else _difference(entry.entry(error)),
    )


def _times(entry: Entry) -> Times:
    times = Times(_finite(entry, "median"), _finite(entry, "min"), _finite(entry, "max"))
    if not _PICOSECOND <= times.least <= times.median <= times.most:
        raise entry.error(f"min {times.least}, median {times.median} and max {times.most} are not times of one thing")
    return times


def _finite(entry: Entry, name: str) -> float:
    value = entry.number(name)
    if not 0 <= value < _TOO_MUCH:
        raise entry.error(f"`{name}` is {value}, and not a number of 0 or more")
    return value


def _difference(entry: Entry) -> Difference:
    return Difference(entry.number("max"), entry.number("mean"))


def _traffic(entry: Entry) -> Traffic:
    measured = entry.maybe("measured")
    return Traffic(
        fused=entry.count("fused"),
        unfused=None if entry.is_null("unfused") else entry.count("unfused"),
        read=None if measured is None else measured.count("read"),
        written=None if measured is None else measured.count("written"),
    )


def _listed(entry: Entry, name: str) -> tuple[Entry, ...]:
    return () if entry.is_null(name) else entry.entries(name)


def _has(entry: Entry, name: str) -> bool:
    return name in entry.fields and not entry.is_null(name)


def _optional(entry: Entry, name: str) -> tuple[Entry, ...]:
    """The entries of a list that programs of other versions leave out."""
    return entry.entries(name) if _has(entry, name) else ()


def _core(entry: Entry) -> Core:
    return Core(
        kind=entry.text("kind"),
        moved=entry.count("gm_read") + entry.count("gm_written"),
        vector_elements=entry.count("vector_elements"),
        macs=entry.count("macs"),
        instructions=entry.count("instructions"),
    )


def _memory(entry: Entry | None) -> tuple[Memory, ...]:
    if entry is None:
        return ()
    peak, capacity = entry.entry("peak"), entry.entry("capacity")
    found = tuple(Memory(name, peak.count(name), capacity.count(name)) for name in peak.fields)
    for memory in found:
        if memory.peak > memory.capacity:
            raise peak.error(f"{memory.peak} bytes of {memory.name} are used, and there are {memory.capacity}")
    return found
