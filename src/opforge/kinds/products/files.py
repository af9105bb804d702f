"""Renders the files of the kernel of an op with matrix products."""

from __future__ import annotations

from typing import TYPE_CHECKING

from opforge.kinds.launcher import DirectForm, direct_form, launcher_files, trial_files
from opforge.kinds.products.kernel import matmul_entry_form, matmul_kernel_form
from opforge.kinds.products.tiling import matmul_host_tiling_form, matmul_tiling_form
from opforge.naming import snake
from opforge.render.ascendc.ascendc_files import kernel_files

if TYPE_CHECKING:
    from opforge.fileset import File
    from opforge.kinds.products.product_kernel import ProductKernel
    from opforge.spec.combinations import Row

_FORMS = "kinds/products"


def device_files(kernel: ProductKernel) -> tuple[File, ...]:
    """Kernel, entry and tiling."""
    op, plan = kernel.op, kernel.plan
    return kernel_files(
        _FORMS,
        snake(op.type),
        host_tiling=matmul_host_tiling_form(op, kernel.expression, plan),
        entry=matmul_entry_form(plan),
        kernel=matmul_kernel_form(op, plan),
        tiling=matmul_tiling_form(op, plan),
    )


def launch_files(kernel: ProductKernel) -> tuple[File, ...]:
    """The programs that launch the kernel without aclnn."""
    return launcher_files(kernel, _FORMS, _direct_form(kernel))


def plan_trial_files(kernel: ProductKernel, row: Row) -> tuple[File, ...]:
    """The program that tries plans of the kernel for one combination of dtypes."""
    return trial_files(kernel, _FORMS, _direct_form(kernel, row), row)


def _direct_form(kernel: ProductKernel, row: Row | None = None) -> DirectForm:
    arguments = matmul_entry_form(kernel.plan).init_arguments
    return direct_form(kernel, "KERNEL_TYPE_MIX_AIC_1_2", "userWorkspace", arguments, row)
