"""Extracts the numbers of a simulated run that also hold on hardware: bytes moved, buffers filled, core balance."""

from __future__ import annotations

from collections.abc import Sequence

from opforge.frozen import dataclass
from opforge.measure.bench_results import BenchRow, Core
from opforge.soc import soc_of_version


@dataclass(frozen=True)
class Balance:
    """The launched cores of one kind. ``ratio`` is the most work of a core over the mean: 1.0 is even."""

    kind: str
    cores: int
    chip: int | None  # the chip's number of such cores; None if unknown
    busy: int  # the launched cores that had work
    ratio: float
    instructions: int  # the most of a core


@dataclass(frozen=True)
class Transfer:
    """A row of a benchmark, without its times. None: nothing was counted, or there is no comparison."""

    measured: int | None
    fused: int
    unfused: int | None
    over_fused: float | None  # measured bytes over the minimum of a fused kernel
    saved: float | None  # unfused over fused bytes, both minimal
    occupancy: tuple[tuple[str, float], ...]  # name of the buffer, and its share in use, 0 to 1
    balance: tuple[Balance, ...]


def transfer(row: BenchRow, soc: str) -> Transfer:
    """The transferable numbers of one row, measured on the chip ``soc``."""
    traffic = row.traffic
    measured = traffic.measured
    kinds = sorted({core.kind for core in row.cores})
    return Transfer(
        measured=measured,
        fused=traffic.fused,
        unfused=traffic.unfused,
        over_fused=None if measured is None or not traffic.fused else measured / traffic.fused,
        saved=None if traffic.unfused is None or not traffic.fused else traffic.unfused / traffic.fused,
        occupancy=tuple((memory.name, memory.peak / memory.capacity) for memory in row.memory if memory.capacity),
        balance=tuple(
            balance for kind in kinds if (balance := _balance(kind, [c for c in row.cores if c.kind == kind], soc))
        ),
    )


def _balance(kind: str, cores: Sequence[Core], soc: str) -> Balance | None:
    """The balance by multiplications or elements, else bytes, else instructions; None without work."""
    measures = (
        [core.macs for core in cores],
        [core.vector_elements for core in cores],
        [core.moved for core in cores],
        [core.instructions for core in cores],
    )
    work = next((found for found in measures if any(found)), None)
    if work is None:
        return None
    return Balance(
        kind=kind,
        cores=len(cores),
        chip=_cores_of(soc, kind),
        busy=sum(map(bool, work)),
        ratio=max(work) * len(work) / sum(work),
        instructions=max(core.instructions for core in cores),
    )


def _cores_of(soc: str, kind: str) -> int | None:
    unit = soc_of_version(soc)
    version = next((v for v in unit.versions if v.name.lower() == soc.lower()), None) if unit is not None else None
    if version is None:
        return None
    return {"aiv": version.vector_cores, "aic": version.cube_cores}.get(kind)
