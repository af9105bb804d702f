"""Estimates how long a launch takes on hardware, from what the simulated device counts.

A launch takes its start and the longest of these: the slowest core with its pipes waiting for each other, the bytes
that all cores move through HBM, and those through L2. docs/how_fast.md says what the model knows and does not.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from opforge.frozen import dataclass
from opforge.measure.json_fields import Entry
from opforge.measure.time_constants import constants
from opforge.soc import soc_of_version, version_named

# Of tests/fidelity/results/times.json, whose test compares them: the error of elementwise ops and rows, each op
# estimated by constants that were fitted without it.
MEDIAN_ERROR = 0.12
ERROR_OF_MOST = 0.28
COMPARED = ("ascend910b", "ascend910_93")  # one column of constants

PIPES = ("S", "V", "MTE1", "MTE2", "MTE3", "M", "FIX")
_UNITS = {"V": "vector", "M": "cube", "S": "scalar", "FIX": "cube", "MTE1": "cube"}


@dataclass(frozen=True)
class Work:
    """The work of a launch: bytes of global memory, cycles of its slowest core. ``span`` is 0 if it is unknown."""

    read: int
    written: int
    read_once: int  # different bytes
    written_once: int
    crossed: int  # bytes of sectors that rows touch because they are not aligned
    macs: int
    span: int
    busy: Mapping[str, int]  # by pipe
    bypassed: int = 0  # of the bytes read, those that stay out of L2


@dataclass(frozen=True)
class Unfused:
    """The bytes of a chain of PyTorch's own operators. ``again`` are read after another operator wrote them."""

    read: int
    again: int
    written: int
    operators: int


@dataclass(frozen=True)
class TimeEstimate:
    """Microseconds of a launch, or of several, one after the other.

    ``bound`` is what takes the most: HBM, L2, vector, cube, scalar, transfers, waiting or launch. ``roofline`` is the
    share of the estimate that the hardware's peaks would take: 1 cannot be improved.
    """

    microseconds: float
    launch: float
    bound: str
    parts: Mapping[str, float]  # microseconds that each would take alone
    roofline: float
    compared: bool  # with measured times of this SoC


def estimate(works: Sequence[Work], soc: str, values: Mapping[str, float] | None = None) -> TimeEstimate:
    """The estimate of launches on a chip. ``values`` replaces constants."""
    known = {**{name: each.value for name, each in constants(soc).items()}, **(values or {})}
    parts = dict.fromkeys(("HBM", "L2", "vector", "cube", "scalar", "transfers", "waiting"), 0.0)
    total = peak = 0.0
    longest: dict[str, float] = dict.fromkeys(parts, 0.0)
    for work in works:
        own = _parts(work, soc, known)
        name = max(own, key=lambda part: own[part])
        longest[name] += own[name]
        total += own[name]
        parts = {part: parts[part] + own[part] for part in parts}
        peak += _roofline(work, soc, known)
    launch = known["launch"] * len(works)
    bound = "launch" if launch >= total else max(longest, key=lambda part: longest[part])
    if bound == "waiting":  # say what it mostly waits for
        busiest = max(("vector", "cube", "scalar", "HBM", "L2"), key=lambda part: parts[part])
        bound = busiest if parts[busiest] >= total / 2 else bound
    everything = total + launch
    return TimeEstimate(everything, launch, bound, parts, peak / everything if everything else 0.0, _compared(soc))


def unfused_microseconds(unfused: Unfused, macs: int, soc: str) -> float:
    """PyTorch's own operators: each is launched alone and takes as long as its bytes, products as their peak.

    What an operator writes stays in L2 as far as it fits, as for the op's own kernels.
    """
    known = {name: each.value for name, each in constants(soc).items()}
    written = unfused.written
    work = Work(unfused.read, written, unfused.read - unfused.again, written, 0, macs, 0, {})
    parts = _parts(work, soc, known)
    return unfused.operators * known["launch"] + max(parts["HBM"], parts["L2"], _cube(macs, soc, known))


def error_text(soc: str) -> str:
    """How far off an estimate for a chip may be."""
    if not _compared(soc):
        return "not compared with any measurement"
    return f"typically within {100 * MEDIAN_ERROR:.0f} %, 80 % of cases within {100 * ERROR_OF_MOST:.0f} %"


def _compared(soc: str) -> bool:
    found = soc_of_version(soc)
    return found is not None and found.name in COMPARED


def _parts(work: Work, soc: str, known: Mapping[str, float]) -> dict[str, float]:
    clock = known["clock"]
    cores = _cores(soc)
    missed = _missed(work, known)
    first = work.read_once / work.read if work.read else 1.0
    again = max(0, work.read - work.bypassed - _cached_once(work))
    hbm = _cached_once(work) + work.crossed * first + (again + work.written) * missed
    past = work.bypassed / known["hbm_bypass"]
    sharing = 1 + known["same_address"] * (min(cores, work.read / work.read_once) - 1) if work.read_once else 1.0
    l2 = (work.read * sharing / known["l2_read"] + work.written / known["l2_write"]) / cores / clock
    units = dict.fromkeys(("vector", "cube", "scalar", "transfers"), 0.0)
    for pipe, cycles in work.busy.items():
        unit = _UNITS.get(pipe, "transfers")
        units[unit] = max(units[unit], cycles / clock)
    return {"HBM": (hbm / known["hbm"] + past) / 1e3, "L2": l2, **units, "waiting": work.span / clock}


def _roofline(work: Work, soc: str, known: Mapping[str, float]) -> float:
    vector = work.busy.get("V", 0) / known["clock"]
    moved = (work.read_once + work.written_once * _missed(work, known)) / known["hbm_peak"] / 1e3
    return max(moved, vector, _cube(work.macs, soc, known))


def _missed(work: Work, known: Mapping[str, float]) -> float:
    """The share of bytes that L2 does not hold until they are read again, or that it writes back."""
    once = _cached_once(work) + work.written_once
    return max(0.0, 1 - known["l2_size"] / once) if once else 0.0


def _cached_once(work: Work) -> int:
    """The different bytes that are read into L2."""
    return max(0, work.read_once - work.bypassed)


def _cube(macs: int, soc: str, known: Mapping[str, float]) -> float:
    return macs / known["cube_width"] / _cores(soc) / known["clock"]


def _cores(soc: str) -> int:
    """The AI Cores of a chip, each with a cube unit."""
    version = version_named(soc)
    return version.cube_cores if version is not None else 24


def work_of(entry: Entry) -> Work:
    """One launch in a report. Raises MeasureError."""
    busy = entry.entry("busy")
    return Work(
        read=entry.count("read"),
        written=entry.count("written"),
        read_once=entry.count("read_once"),
        written_once=entry.count("written_once"),
        crossed=entry.count("crossed"),
        bypassed=entry.count("bypassed"),
        macs=entry.count("macs"),
        span=entry.count("span"),
        busy={pipe: busy.count(pipe) for pipe in PIPES},
    )


def unfused_of(entry: Entry) -> Unfused:
    """PyTorch's own operators in a report. Raises MeasureError."""
    found = Unfused(*(entry.count(name) for name in ("read", "again", "written", "operators")))
    if found.again > found.read:
        raise entry.error(f"{found.again} bytes are read again, and {found.read} in all")
    return found


def launch_work(line: Mapping[str, Any]) -> Work:
    """One launch as the simulated device writes it, with all its cores."""
    gm, cores = line["gm"], line["cores"]
    return Work(
        read=gm["read"],
        written=gm["written"],
        read_once=gm["read_once"],
        written_once=gm["written_once"],
        crossed=sum(core["crossed"] for core in cores),
        bypassed=sum(core["bypassed"] for core in cores),
        macs=sum(core["macs"] for core in cores),
        span=max((core["span"] for core in cores), default=0),
        busy={pipe: max((core["busy"][pipe] for core in cores), default=0) for pipe in PIPES},
    )
