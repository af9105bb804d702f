"""The files of a kernel that its author writes: a skeleton, and its tiling."""

from __future__ import annotations

from typing import TYPE_CHECKING

from opforge.kinds.handwritten.skeleton import (
    handwritten_entry_form,
    handwritten_host_tiling_form,
    handwritten_kernel_form,
    handwritten_tiling_form,
)
from opforge.naming import snake
from opforge.render.ascendc.ascendc_files import kernel_files

if TYPE_CHECKING:
    from opforge.fileset import File
    from opforge.kinds.handwritten.plan import HandwrittenPlan
    from opforge.spec.model import OpSpec


def device_files(op: OpSpec, plan: HandwrittenPlan) -> tuple[File, ...]:
    """Skeleton, entry and tiling."""
    return kernel_files(
        "kinds/handwritten",
        snake(op.type),
        host_tiling=handwritten_host_tiling_form(op, plan),
        entry=handwritten_entry_form(op, plan),
        kernel=handwritten_kernel_form(plan),
        tiling=handwritten_tiling_form(op, plan),
    )
