"""A way to split a kernel's work over cores and tiles, which `opforge tune` may find."""

from __future__ import annotations

from opforge.frozen import dataclass


@dataclass(frozen=True)
class SplitPlan:
    """How to split a kernel's work: the members of host_tiling::Plan. What is 0 is left to the host tiling.

    Of products alone: ``inner_parts`` of K whose sums the cores share, ``load_blocks`` of K that one load brings to L1,
    and ``tile_group``, the rows of tiles that the cores take together, column by column.
    """

    cores: int = 0
    tile_elements: int = 0
    tile_rows: int = 0
    tile_columns: int = 0
    inner_parts: int = 0
    load_blocks: int = 0
    tile_group: int = 0

    @property
    def chosen(self) -> dict[str, int]:
        """The members that are not left to the host tiling, by name."""
        return {name: value for name, value in vars(self).items() if value}

    @property
    def measured(self) -> bool:
        """Whether an NPU alone can tell its gain: the model of time knows neither L2 hits nor the cost of a load."""
        return self.load_blocks > 0 or self.tile_group > 0


@dataclass(frozen=True)
class RankedPlan:
    """A plan, and the work of its busiest core, which only ranks the plans of one kernel at one size."""

    plan: SplitPlan
    work: float
