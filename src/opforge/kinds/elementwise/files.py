"""Renders the files of an elementwise op's kernel."""

from __future__ import annotations

from typing import TYPE_CHECKING

from opforge.frozen import dataclass
from opforge.kinds.elementwise.kernel import entry_form, kernel_form
from opforge.kinds.elementwise.tiling import host_tiling_form, tiling_form
from opforge.kinds.launcher import Direct, direct_of, launcher_files
from opforge.naming import snake
from opforge.render.ascendc.ascendc_files import kernel_files

if TYPE_CHECKING:
    from opforge.fileset import File
    from opforge.kinds.expression_kernel import ExpressionKernel

_FORMS = "kinds/elementwise"


@dataclass(frozen=True)
class DirectForm:
    """Context of ``kinds/elementwise/direct.cpp``."""

    direct: Direct
    init_arguments: tuple[str, ...]


def device_files(kernel: ExpressionKernel) -> tuple[File, ...]:
    """Kernel, entry and tiling."""
    op, plan = kernel.op, kernel.vector
    return kernel_files(
        _FORMS,
        snake(op.type),
        host_tiling=host_tiling_form(op, kernel.expression, plan),
        entry=entry_form(plan),
        kernel=kernel_form(op, plan),
        tiling=tiling_form(op, plan),
    )


def launch_files(kernel: ExpressionKernel) -> tuple[File, ...]:
    """The programs that launch the kernel without aclnn."""
    direct = direct_of(kernel, "KERNEL_TYPE_AIV_ONLY", "workspace")
    return launcher_files(kernel, _FORMS, DirectForm(direct, entry_form(kernel.vector).init_arguments))
