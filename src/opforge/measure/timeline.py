"""Converts timelines of kernels on the simulated device, ``$OPFORGE_SIM_TRACE``, to Chrome traces and SVG.

All times are estimates. Each line of the file has the constants of the estimate with their sources.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any
from xml.sax.saxutils import escape

from opforge.errors import MeasureError
from opforge.frozen import dataclass
from opforge.measure.time_model import TimeEstimate, Work, estimate, launch_work

VARIABLE = "OPFORGE_SIM_TRACE"
_SCHEMA = 3
_FREQUENCY = "clock"
_UNITS = {"V": "elements", "M": "multiplications"}  # the unit of an event's amount; bytes on other pipes
_PIPES = ("S", "MTE2", "MTE1", "V", "M", "FIX", "MTE3")  # in the order of the data flow
# by Okabe and Ito, for colour-blind readers
_COLOURS = dict(zip(_PIPES, ("#999999", "#0072b2", "#56b4e9", "#009e73", "#d55e00", "#cc79a7", "#e69f00"), strict=True))


@dataclass(frozen=True)
class Event:
    """One instruction: its pipe, its start and duration in cycles, and its place in the source."""

    pipe: str
    start: int
    cycles: int
    api: str
    file: str
    line: int
    amount: int  # bytes, elements or multiplications


@dataclass(frozen=True)
class Core:
    """One core of a launch. ``kind`` is aiv, aic or aicore.

    Only the first instructions are events; ``left_out`` counts the others, and ``last`` is the end of all.
    """

    kind: str
    block: int
    sub: int
    events: tuple[Event, ...]
    left_out: int = 0
    last: int = 0

    @property
    def end(self) -> int:
        """The end of its last instruction."""
        return self.last

    def busy(self, pipe: str) -> int:
        """Busy cycles of one pipe."""
        return sum(event.cycles for event in self.events if event.pipe == pipe)


@dataclass(frozen=True)
class Estimate:
    """A constant of the model, and its source."""

    name: str
    value: float
    unit: str
    source: str
    kind: str = "guess"  # documented, derived, fitted or guess


@dataclass(frozen=True)
class Timeline:
    """One launch."""

    op: str
    object: str  # the kernel's object file
    soc: str
    block_dim: int
    tiling_key: int
    estimates: tuple[Estimate, ...]
    cores: tuple[Core, ...]
    work: Work

    @property
    def time(self) -> TimeEstimate:
        """The estimate of the whole launch: its start and the memory that all cores share."""
        return estimate([self.work], self.soc)

    @property
    def dtypes(self) -> str:
        """The dtypes of the kernel's inputs, from the JSON file beside it; "" without that file."""
        file = Path(self.object).with_suffix(".json")
        if not file.is_file():
            return ""
        inputs = json.loads(file.read_text(encoding="utf-8")).get("supportInfo", {}).get("inputs", [])
        return "-".join(dict.fromkeys(str(given["dtype"]) for given in inputs))

    @property
    def name(self) -> str:
        """The op, with its dtypes if known."""
        return f"{self.op} {self.dtypes}".rstrip()

    @property
    def cycles(self) -> int:
        """From the start to the end of the last core."""
        return max((core.end for core in self.cores), default=0)

    @property
    def left_out(self) -> int:
        """The number of instructions that are not shown."""
        return sum(core.left_out for core in self.cores)

    @property
    def cycles_per_us(self) -> float:
        """The clock."""
        return next(e.value for e in self.estimates if e.name == _FREQUENCY)

    @property
    def microseconds(self) -> float:
        """The same in microseconds."""
        return self.cycles / self.cycles_per_us


def read_timelines(file: Path) -> Iterator[Timeline]:
    """The timelines in launch order, lazily. Raises MeasureError for a file of another simulator version."""
    if file.is_file():
        with file.open(encoding="utf-8") as lines:
            yield from (_timeline(json.loads(line)) for line in lines)


def first_of_each(timelines: Iterable[Timeline]) -> list[Timeline]:
    """The first launch of each combination of kernel, tiling key and number of blocks."""
    first: dict[tuple[str, int, int], Timeline] = {}
    for timeline in timelines:
        first.setdefault((timeline.object, timeline.tiling_key, timeline.block_dim), timeline)
    return sorted(first.values(), key=lambda t: (t.op, t.dtypes, t.tiling_key, t.block_dim))


def _timeline(line: dict[str, Any]) -> Timeline:
    if line.get("schema") != _SCHEMA:
        raise MeasureError(
            f"the time line of the simulated device has schema {line.get('schema')}, this opforge reads {_SCHEMA}",
            hint="opforge build makes the simulated device that goes with this opforge",
        )
    return Timeline(
        line["op"],
        line["object"],
        line["soc"],
        line["block_dim"],
        line["tiling_key"],
        tuple(Estimate(**estimate) for estimate in line["estimates"]),
        tuple(
            Core(
                core["kind"],
                core["block"],
                core["sub"],
                tuple(Event(*event) for event in core["events"]),
                core["left_out"],
                core["last"],
            )
            for core in line["cores"]
        ),
        launch_work(line),
    )


def chrome_trace(timelines: Sequence[Timeline]) -> str:
    """A trace for chrome://tracing and Perfetto: a process per core, a thread per pipe, launches in sequence."""
    return json.dumps(
        {
            "traceEvents": list(_chrome_events(timelines)),
            "displayTimeUnit": "ns",
            "otherData": {"estimates": [vars(e) for e in timelines[0].estimates] if timelines else []},
        }
    )


def _chrome_events(timelines: Sequence[Timeline]) -> Iterator[dict[str, Any]]:
    begin, process = 0.0, 0
    for timeline in timelines:
        scale = timeline.cycles_per_us
        for core in timeline.cores:
            process += 1
            name = f"{timeline.name}: block {core.block} {core.kind} {core.sub} (estimated)"
            yield {"ph": "M", "pid": process, "name": "process_name", "args": {"name": name}}
            busy = {event.pipe for event in core.events}
            for thread, pipe in enumerate(_PIPES):
                if pipe not in busy:
                    continue
                yield {
                    "ph": "M",
                    "pid": process,
                    "tid": thread,
                    "name": "thread_sort_index",
                    "args": {"sort_index": thread},
                }
                yield {"ph": "M", "pid": process, "tid": thread, "name": "thread_name", "args": {"name": pipe}}
            for event in core.events:
                yield {
                    "ph": "X",
                    "pid": process,
                    "tid": _PIPES.index(event.pipe),
                    "name": event.api,
                    "ts": begin + event.start / scale,
                    "dur": event.cycles / scale,
                    "args": {
                        "at": f"{event.file}:{event.line}",
                        "cycles": event.cycles,
                        _UNITS.get(event.pipe, "bytes"): event.amount,
                    },
                }
        begin += timeline.microseconds


def picture(timeline: Timeline, *, most_cores: int = 8) -> str:
    """An SVG of one launch: a row for each busy pipe of its first cores."""
    rows = [
        (core, pipe)
        for core in timeline.cores[:most_cores]
        for pipe in _PIPES
        if any(e.pipe == pipe for e in core.events)
    ]
    left, width, height, top = 150, 1200, 18, 56
    scale = width / max(timeline.cycles, 1)
    bottom = top + height * len(rows)
    size = f'width="{left + width + 20}" height="{bottom + 40}"'
    total = f"{timeline.cycles} cycles, {timeline.microseconds:.1f} us, estimated"
    title = escape(f"{timeline.name} on {timeline.soc}, {timeline.block_dim} blocks: {total}")
    style = 'font-family="sans-serif" font-size="11" style="background:#ffffff"'  # readable on dark pages, too
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" {size} {style}>',
        f'<text x="8" y="20" font-size="14">{title}</text>',
    ]
    if len(timeline.cores) > most_cores:
        parts.append(f'<text x="8" y="38">the first {most_cores} of {len(timeline.cores)} cores</text>')
    for row, (core, pipe) in enumerate(rows):
        y = top + row * height
        parts.append(f'<text x="8" y="{y + 13}">block {core.block} {core.kind} {core.sub}: {pipe}</text>')
        for event in core.events:
            if event.pipe == pipe:
                said = f"{event.api} {event.file}:{event.line}, {event.cycles} cycles from {event.start}"
                x, wide = left + event.start * scale, max(event.cycles * scale, 0.3)
                box = f'x="{x:.2f}" y="{y + 2}" width="{wide:.2f}" height="{height - 4}"'
                parts.append(f'<rect {box} fill="{_COLOURS[pipe]}"><title>{escape(said)}</title></rect>')
    for tick in range(5):
        x, cycles = left + width * tick / 4, timeline.cycles * tick // 4
        parts.append(f'<line x1="{x}" x2="{x}" y1="{top}" y2="{bottom}" stroke="#cccccc"/>')
        parts.append(f'<text x="{x}" y="{bottom + 16}" text-anchor="middle">{cycles}</text>')
    parts.append(f'<text x="8" y="{bottom + 16}">cycles</text>')
    return "\n".join([*parts, "</svg>"]) + "\n"
