"""Renders the files of the kernel of an op with matrix products."""

from __future__ import annotations

from typing import TYPE_CHECKING

from opforge.kinds.launcher import DirectForm, direct_form, launcher_files, trial_files
from opforge.kinds.products.cube_kernel import cube_direct_form, cube_entry_form, cube_kernel_form
from opforge.kinds.products.kernel import matmul_entry_form, matmul_kernel_form
from opforge.kinds.products.shared_sums import shared_sums_direct_form, shared_sums_entry_form
from opforge.kinds.products.tiling import matmul_host_tiling_form, matmul_tiling_form
from opforge.naming import snake
from opforge.render.ascendc.ascendc_files import form_file

if TYPE_CHECKING:
    from opforge.fileset import File
    from opforge.kinds.products.kernel import MatmulEntryForm
    from opforge.kinds.products.plan import MatmulPlan
    from opforge.kinds.products.product_kernel import ProductKernel
    from opforge.spec.combinations import Row

_FORMS = "kinds/products"
_CUBES = "kinds/products/cubes"
_PARTS = "kinds/products/parts"
_FUSED = "kinds/products/fused"


def device_files(kernel: ProductKernel) -> tuple[File, ...]:
    """Kernel, entry and tiling."""
    op, plan, stem = kernel.op, kernel.plan, snake(kernel.op.type)
    host = form_file(
        f"op_host/{stem}_host_tiling.h",
        f"{_FORMS}/host_tiling.h",
        matmul_host_tiling_form(op, kernel.expression, plan),
    )
    body = cube_kernel_form(op, plan) if plan.cubes_alone else matmul_kernel_form(op, plan)
    return (
        host,
        form_file(f"op_kernel/{stem}.cpp", f"{_forms(plan)}/entry.cpp", _entry_form(plan)),
        form_file(f"op_kernel/{stem}_kernel.h", f"{_CUBES if plan.cubes_alone else _FORMS}/kernel.h", body),
        form_file(f"op_kernel/{stem}_tiling.h", f"{_FORMS}/tiling.h", matmul_tiling_form(op, plan)),
    )


def launch_files(kernel: ProductKernel) -> tuple[File, ...]:
    """The programs that launch the kernel without aclnn."""
    return launcher_files(kernel, _forms(kernel.plan), _direct_form(kernel))


def plan_trial_files(kernel: ProductKernel, row: Row) -> tuple[File, ...]:
    """The program that tries plans of the kernel for one combination of dtypes."""
    return trial_files(kernel, _forms(kernel.plan), _direct_form(kernel, row), row)


def _forms(plan: MatmulPlan) -> str:
    if plan.shares_sums:
        return _PARTS if plan.cubes_alone else _FUSED
    return _CUBES if plan.cubes_alone else _FORMS


def _entry_form(plan: MatmulPlan) -> MatmulEntryForm:
    if plan.shares_sums:
        return shared_sums_entry_form(plan)
    return cube_entry_form(plan) if plan.cubes_alone else matmul_entry_form(plan)


def _direct_form(kernel: ProductKernel, row: Row | None = None) -> DirectForm:
    if kernel.plan.shares_sums:
        return shared_sums_direct_form(kernel, row)
    if kernel.plan.cubes_alone:
        return cube_direct_form(kernel, row)
    entry = _entry_form(kernel.plan)
    return direct_form(kernel, "KERNEL_TYPE_MIX_AIC_1_2", entry.workspace, entry.init_arguments, row)
