"""Ranks the plans by which the work of a kernel may be split, for `opforge tune`: each kind lists its own.

A plan is ranked by the work of its busiest core, without running any.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from opforge.plan.split_plan import RankedPlan

LINE = 512  # bytes of GM that are moved together


def ranked(plans: Iterable[RankedPlan]) -> tuple[RankedPlan, ...]:
    """The plans with the least work first; of equal work, those with more cores, then with larger tiles.

    Plans of which these are equal keep their order.
    """
    return tuple(sorted(plans, key=_order))


def _order(each: RankedPlan) -> tuple[float, ...]:
    plan = each.plan
    return (each.work, -plan.cores, -plan.tile_elements, -plan.tile_rows, -plan.tile_columns)


def ceil_div(value: int, step: int) -> int:
    """The number of steps that cover a value."""
    return -(-value // step)


def round_up(value: int, step: int) -> int:
    """The least multiple of a step that covers a value, at least one."""
    return max(ceil_div(value, step) * step, step)
