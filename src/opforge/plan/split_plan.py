"""A way to split a kernel's work over cores and tiles, which `opforge tune` may find."""

from __future__ import annotations

from opforge.frozen import dataclass


@dataclass(frozen=True)
class SplitPlan:
    """How to split a kernel's work: the members of host_tiling::Plan. What is 0 is left to the host tiling."""

    cores: int = 0
    tile_elements: int = 0
    tile_rows: int = 0
    tile_columns: int = 0

    @property
    def chosen(self) -> dict[str, int]:
        """The members that are not left to the host tiling, by name."""
        return {name: value for name, value in vars(self).items() if value}


@dataclass(frozen=True)
class RankedPlan:
    """A plan, and the work of its busiest core, which only ranks the plans of one kernel at one size."""

    plan: SplitPlan
    work: float
