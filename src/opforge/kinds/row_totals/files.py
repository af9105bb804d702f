"""Renders the files of the kernel of an op that reduces the values of all rows.

Its two parts have the kernel class, the tiling data and the host tiling of an op with rows.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from opforge.dtypes import DTYPES
from opforge.frozen import dataclass
from opforge.ir.totals_cut import part_columns
from opforge.kinds.launcher import DirectForm, direct_form, launcher_files
from opforge.kinds.rows.kernel import kernel_form
from opforge.kinds.vector_kernel import host_tiling_form, tiling_form
from opforge.naming import snake
from opforge.render.ascendc.ascendc_files import form_file
from opforge.render.ascendc.cpp_names import tensor_names
from opforge.render.ascendc.entry import addresses
from opforge.render.ascendc.members import Member, call_attributes, compute_parameters
from opforge.render.ascendc.trials import launched_row

if TYPE_CHECKING:
    from collections.abc import Mapping

    from opforge.fileset import File
    from opforge.kinds.row_totals.plan import PlannedPart, RowTotalsPlan
    from opforge.kinds.row_totals.row_totals_kernel import RowTotalsKernel

_ROWS = "kinds/rows"
_FORMS = "kinds/row_totals"
_VALUES = "rowValues"  # in the workspace


@dataclass(frozen=True)
class RowTotalsEntryForm:
    """Context of ``kinds/row_totals/entry.cpp``: template arguments of both kernels, and those of ``Init``."""

    op_type: str
    stem: str
    parameters: tuple[str, ...]
    row_types: tuple[str, ...]
    row_arguments: tuple[str, ...]
    total_types: tuple[str, ...]
    total_arguments: tuple[str, ...]


@dataclass(frozen=True)
class RowTotalsDirectForm(DirectForm):
    """Context of ``kinds/row_totals/direct.cpp``; ``types`` and ``init_arguments`` are those of the rows."""

    total_types: tuple[str, ...]
    total_arguments: tuple[str, ...]


@dataclass(frozen=True)
class RowTotalsTilingForm:
    """Context of ``kinds/row_totals/tiling.h``."""

    op_type: str
    stem: str
    guard: str


@dataclass(frozen=True)
class RowTotalsHostTilingForm:
    """Context of ``kinds/row_totals/host_tiling.h``.

    ``columns``: for each combination of types, that of the rows and that of the totals. ``attrs`` are the members of
    ``Call``, ``row_attrs`` and ``total_attrs`` those of the parts.
    """

    op_type: str
    stem: str
    guard: str
    input_count: int
    output_count: int
    value_count: int
    optional: bool
    columns: tuple[tuple[str, str], ...]
    attrs: tuple[Member, ...]
    row_attrs: tuple[Member, ...]
    total_attrs: tuple[Member, ...]
    compute_parameters: tuple[str, ...]


def device_files(kernel: RowTotalsKernel) -> tuple[File, ...]:
    """Kernels, entry and tiling."""
    plan, stem = kernel.plan, snake(kernel.op.type)
    return (
        form_file(f"op_host/{stem}_host_tiling.h", f"{_FORMS}/host_tiling.h", _host_tiling_form(kernel)),
        form_file(f"op_kernel/{stem}.cpp", f"{_FORMS}/entry.cpp", _entry_form(kernel)),
        form_file(
            f"op_kernel/{stem}_tiling.h",
            f"{_FORMS}/tiling.h",
            RowTotalsTilingForm(kernel.op.type, stem, stem.upper()),
        ),
        *_part_files(plan.rows, spreads=True),
        *_part_files(plan.totals, spreads=False),
    )


def _part_files(planned: PlannedPart, *, spreads: bool) -> tuple[File, ...]:
    op, graph, plan = planned.part.op, planned.part.graph, planned.plan
    stem, passes = snake(op.type), plan.pass_counts if spreads else ()
    return (
        form_file(
            f"op_host/{stem}_host_tiling.h",
            f"{_ROWS}/host_tiling.h",
            host_tiling_form(op, graph, plan.whole, passes, alike=True, bypasses=spreads),
        ),
        form_file(f"op_kernel/{stem}_kernel.h", f"{_ROWS}/kernel.h", kernel_form(op, plan, spreads=spreads)),
        form_file(
            f"op_kernel/{stem}_tiling.h", f"{_ROWS}/tiling.h", tiling_form(op, graph, plan.whole, spreads=spreads)
        ),
    )


def launch_files(kernel: RowTotalsKernel) -> tuple[File, ...]:
    """The programs that launch the kernel without aclnn."""
    plan = kernel.plan
    _, row = launched_row(kernel.op, kernel.socs[0].name)
    stored = {a.name: DTYPES[dtype].kernel for a, dtype in zip(plan.arguments, row, strict=True)}
    plain = direct_form(kernel, "KERNEL_TYPE_MIX_AIV_1_0", _VALUES, _row_arguments(plan))
    direct = RowTotalsDirectForm(
        op_type=plain.op_type,
        stem=plain.stem,
        dtypes=plain.dtypes,
        parameters=plain.parameters,
        kernel_type=plain.kernel_type,
        types=_types(plan.rows, stored),
        init_arguments=plain.init_arguments,
        total_types=_types(plan.totals, stored),
        total_arguments=_total_arguments(plan),
    )
    return launcher_files(kernel, _FORMS, direct)


def _entry_form(kernel: RowTotalsKernel) -> RowTotalsEntryForm:
    plan = kernel.plan
    tensors = [tensor_names(a) for a in plan.arguments]
    stored = {a.name: names.macro for a, names in zip(plan.arguments, tensors, strict=True)}
    return RowTotalsEntryForm(
        op_type=kernel.op.type,
        stem=snake(kernel.op.type),
        parameters=addresses(tensors, "workspace", "tiling"),
        row_types=_types(plan.rows, stored),
        row_arguments=_row_arguments(plan),
        total_types=_types(plan.totals, stored),
        total_arguments=_total_arguments(plan),
    )


def _types(planned: PlannedPart, stored: Mapping[str, str]) -> tuple[str, ...]:
    """The template arguments of a part's kernel: the values of rows are float32."""
    return tuple(stored.get(a.name, "float") for a in planned.plan.arguments)


def _value(number: int) -> str:
    """The address of a value of the rows, or of what follows the last one in the workspace."""
    steps = {0: "", 1: " + tilingData.valueBytes"}
    return f"{_VALUES}{steps.get(number, f' + {number} * tilingData.valueBytes')}"


def _row_arguments(plan: RowTotalsPlan) -> tuple[str, ...]:
    values = tuple(map(_value, range(len(plan.values) + 1)))
    return (*(tensor_names(a).address for a in plan.rows.plan.inputs), *values, "tilingData.rows", "pipe")


def _total_arguments(plan: RowTotalsPlan) -> tuple[str, ...]:
    values = tuple(map(_value, range(len(plan.values))))
    return (*values, *(tensor_names(a).address for a in plan.outputs), "tilingData.totals", "pipe")


def _host_tiling_form(kernel: RowTotalsKernel) -> RowTotalsHostTilingForm:
    op, plan, stem = kernel.op, kernel.plan, snake(kernel.op.type)
    row_attrs, total_attrs = (
        call_attributes(each.part.op, each.part.graph, each.plan.whole.scalars) for each in (plan.rows, plan.totals)
    )
    columns = zip(part_columns(op, plan.rows.part.op), part_columns(op, plan.totals.part.op), strict=True)
    return RowTotalsHostTilingForm(
        op_type=op.type,
        stem=stem,
        guard=stem.upper(),
        input_count=len(op.inputs),
        output_count=len(op.outputs),
        value_count=len(plan.values),
        optional=any(tensor.optional for tensor in op.inputs),
        columns=tuple((str(row), str(total)) for row, total in columns),
        attrs=tuple(dict.fromkeys((*row_attrs, *total_attrs))),
        row_attrs=row_attrs,
        total_attrs=total_attrs,
        compute_parameters=compute_parameters(op),
    )
