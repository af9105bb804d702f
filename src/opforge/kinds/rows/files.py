"""Renders the files of an op with rows's kernel."""

from __future__ import annotations

from typing import TYPE_CHECKING

from opforge.frozen import dataclass
from opforge.kinds.launcher import Direct, direct_of, launcher_files
from opforge.kinds.rows.kernel import entry_form, kernel_form
from opforge.kinds.rows.tiling import host_tiling_form, tiling_form
from opforge.naming import snake
from opforge.render.ascendc.ascendc_files import kernel_files

if TYPE_CHECKING:
    from opforge.fileset import File
    from opforge.kinds.rows.rows_kernel import RowsKernel

_FORMS = "kinds/rows"


@dataclass(frozen=True)
class DirectForm:
    """Context of ``kinds/rows/direct.cpp``."""

    direct: Direct
    init_arguments: tuple[str, ...]


def device_files(kernel: RowsKernel) -> tuple[File, ...]:
    """Kernel, entry and tiling."""
    op, plan = kernel.op, kernel.plan
    return kernel_files(
        _FORMS,
        snake(op.type),
        host_tiling=host_tiling_form(op, kernel.expression, plan),
        entry=entry_form(plan),
        kernel=kernel_form(op, plan),
        tiling=tiling_form(op, plan),
    )


def launch_files(kernel: RowsKernel) -> tuple[File, ...]:
    """The programs that launch the kernel without aclnn."""
    direct = direct_of(kernel, "KERNEL_TYPE_AIV_ONLY", "workspace")
    return launcher_files(kernel, _FORMS, DirectForm(direct, entry_form(kernel.plan).init_arguments))
