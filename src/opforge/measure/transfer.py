"""What of a simulated run is true of hardware as well: bytes moved, buffers filled, how evenly cores work."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from opforge.measure.bench import BenchRow, Core


@dataclass(frozen=True)
class Balance:
    """The launched cores of one kind. ``ratio`` is the most work of a core over the mean: 1.0 is even."""

    kind: str
    cores: int
    busy: int  # that had any work
    ratio: float


@dataclass(frozen=True)
class Transfer:
    """A row of a benchmark, without its times. Bytes; None where nothing was counted or there is nothing to compare."""

    measured: int | None
    fused: int
    unfused: int | None
    over_fused: float | None  # measured over what a fused kernel has to move at least
    saved: float | None  # what PyTorch's own operators move over what was measured, or else over `fused`
    occupancy: tuple[tuple[str, float], ...]  # name of the buffer, and its share in use, 0 to 1
    balance: tuple[Balance, ...]


def transfer(row: BenchRow) -> Transfer:
    """What transfers of one row."""
    traffic = row.traffic
    measured = traffic.measured
    moved = traffic.fused if measured is None else measured
    kinds = sorted({core.kind for core in row.cores})
    return Transfer(
        measured=measured,
        fused=traffic.fused,
        unfused=traffic.unfused,
        over_fused=None if measured is None or not traffic.fused else measured / traffic.fused,
        saved=None if traffic.unfused is None or not moved else traffic.unfused / moved,
        occupancy=tuple((memory.name, memory.peak / memory.capacity) for memory in row.memory if memory.capacity),
        balance=tuple(
            balance for kind in kinds if (balance := _balance(kind, [c for c in row.cores if c.kind == kind]))
        ),
    )


def _balance(kind: str, cores: Sequence[Core]) -> Balance | None:
    """By what such cores are for: multiplications, elements, else bytes and at last instructions; None for no work."""
    measures = (
        [core.macs for core in cores],
        [core.vector_elements for core in cores],
        [core.moved for core in cores],
        [core.instructions for core in cores],
    )
    work = next((found for found in measures if any(found)), None)
    if work is None:
        return None
    return Balance(kind, len(work), sum(map(bool, work)), max(work) * len(work) / sum(work))
