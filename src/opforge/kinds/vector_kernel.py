"""The part that kernels of elementwise ops and of ops with rows share: contexts of their entry and their tiling.

Each kind has forms of its own, and a context of its own for the kernel class.
"""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

from opforge.frozen import dataclass
from opforge.ir.rows import counts
from opforge.kinds.launcher import DirectForm, direct_form, launcher_files, trial_files
from opforge.naming import snake
from opforge.render.ascendc.ascendc_files import kernel_files
from opforge.render.ascendc.cpp_names import TensorNames, tensor_names
from opforge.render.ascendc.entry import addresses
from opforge.render.ascendc.members import (
    Bind,
    Column,
    GivenFlag,
    Member,
    bound_inputs,
    call_attributes,
    compute_parameters,
    flags,
    number_flags,
    scalar_members,
    vector_columns,
)
from opforge.render.ascendc.scalars import HostScalars, computed_scalars, dimension
from opforge.render.ascendc.vector_code import input_queue
from opforge.spec.axes import LAST

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

    from opforge.fileset import File
    from opforge.ir.graph import Graph
    from opforge.kinds.expression_kernel import ExpressionKernel
    from opforge.plan.vector_model import Argument, Plan
    from opforge.spec.axes import Axes
    from opforge.spec.combinations import Row
    from opforge.spec.model import OpSpec


_WORKSPACE = "userWorkspace"  # the kernel's own part of the workspace


@dataclass(frozen=True)
class EntryForm:
    """Context of ``entry.cpp``. ``along``: a second kernel takes rows along the innermost dimension.

    ``sums``: there are results that are sums over all rows, for which cores wait.
    """

    op_type: str
    stem: str
    coupled: bool
    sums: bool
    parameters: tuple[str, ...]
    types: tuple[str, ...]
    init_arguments: tuple[str, ...]
    along: bool


@dataclass(frozen=True)
class RowsDirectForm(DirectForm):
    """Context of ``kinds/rows/direct.cpp``. ``along``: a second kernel takes rows along the innermost dimension."""

    along: bool


@dataclass(frozen=True)
class TilingForm:
    """Context of ``tiling.h``. ``across``: rows lie across tiles, or ``along`` them as well.

    ``multiplies``: matrix products come first. ``spreads``: all cores may read parts of each row. ``sums``: there are
    sums over all rows. ``bypasses``: there are inputs that may stay out of the L2 cache.
    """

    op_type: str
    guard: str
    flags: tuple[GivenFlag, ...]
    scalars: tuple[Member, ...]
    strides: tuple[str, ...]
    across: bool
    along: bool
    spread_keys: str
    multiplies: bool
    spreads: bool
    sums: bool
    bypasses: bool


@dataclass(frozen=True)
class HostStrides:
    """A strides member of the tiling data and the index of its tensor: the results' common shape follows the inputs."""

    index: int
    name: str


@dataclass(frozen=True)
class HostTilingForm:
    """Context of ``host_tiling.h``.

    ``results``: the shapes of the results as expressions over the broadcast shape; none if each has that shape.
    ``bypassing``: the inputs that may stay out of the L2 cache.
    ``axes``: the values of rows::Axes, or none: then ``axis`` is the source of the reduced dimension, which is
    ``axis_name`` in messages. ``passes``: the values of rows::Passes. ``leading``: how leading dimensions
    meet, of symbols::Leading. ``unsqueezed``: for each input, whether it lacks the dimension of a row, or none.
    ``sums`` counts the results that are sums over all rows.
    ``input_shape`` is the shape of input i as a C++ expression, ``input_shapes`` those of all.
    ``along_columns``, ``along_reserved`` and ``along_kept`` are those of a second kernel, for rows along the innermost
    dimension.
    """

    op_type: str
    stem: str
    guard: str
    input_count: int
    output_count: int
    results: tuple[str, ...]
    axes: str
    axis: str
    axis_name: str
    passes: tuple[str, ...]
    leading: str
    coupled: bool
    numbers_elements: bool
    unsqueezed: tuple[str, ...]
    input_shape: str
    input_shapes: str
    reduced: str
    optional: bool
    optional_count: int
    flags: tuple[GivenFlag, ...]
    numbers: tuple[str, ...]
    binds: tuple[Bind, ...]
    columns: tuple[Column, ...]
    bypassing: tuple[int, ...]
    reserved: int
    reserved_ub: str
    kept: int
    sums: int
    plan_rows: str
    along_columns: tuple[Column, ...]
    along_reserved: int
    along_kept: int
    attrs: tuple[Member, ...]
    strides: tuple[HostStrides, ...]
    scalars: HostScalars
    compute_parameters: tuple[str, ...]


@dataclass(frozen=True)
class ReadTensor:
    """An input that the kernel reads: its queue, the queue's type, and the variable for its offset in GM."""

    queue: str
    type: str
    place: str
    arguments: tuple[str, ...]


def device_files(
    kernel: ExpressionKernel,
    forms: str,
    kernel_form: DataclassInstance,
    passes: tuple[int, ...] = (),
    along: Plan | None = None,
) -> tuple[File, ...]:
    """Kernel, entry and tiling.

    ``forms`` is the folder of the kind, ``kernel_form`` the context of its kernel.h. ``passes``: the values of
    rows::Passes, for kernels of rows. ``along``: the plan of a second kernel, whose file is apart.
    """
    op, plan = kernel.op, kernel.vector
    return kernel_files(
        forms,
        snake(op.type),
        host_tiling=host_tiling_form(op, kernel.expression, plan, passes, along=along),
        entry=entry_form(plan, synchronised=kernel.synchronised, along=along is not None),
        kernel=kernel_form,
        tiling=tiling_form(op, kernel.expression, plan),
    )


def launch_files(kernel: ExpressionKernel, forms: str) -> tuple[File, ...]:
    """The programs that launch the kernel without aclnn."""
    return launcher_files(kernel, forms, _direct_form(kernel))


def plan_trial_files(kernel: ExpressionKernel, forms: str, row: Row) -> tuple[File, ...]:
    """The program that tries plans of the kernel for one combination of dtypes."""
    return trial_files(kernel, forms, _direct_form(kernel, row), row)


def _direct_form(kernel: ExpressionKernel, row: Row | None = None) -> DirectForm:
    arguments = entry_form(kernel.vector, synchronised=kernel.synchronised).init_arguments
    if kernel.synchronised:
        plain = direct_form(kernel, "KERNEL_TYPE_MIX_AIV_1_0", _WORKSPACE, arguments, row)
        fields = {each.name: getattr(plain, each.name) for each in dataclasses.fields(plain)}
        return RowsDirectForm(**fields, along=bool(kernel.expression.axes.dim))
    return direct_form(kernel, "KERNEL_TYPE_AIV_ONLY", "workspace", arguments, row)


def entry_form(plan: Plan, *, synchronised: bool, along: bool = False) -> EntryForm:
    """The entry function, which CANN calls once per core. ``synchronised``: Init takes the workspace."""
    workspace = (_WORKSPACE,) if synchronised else ()
    tensors = [tensor_names(a) for a in plan.arguments]
    return EntryForm(
        op_type=plan.op_type,
        stem=snake(plan.op_type),
        coupled=plan.coupled,
        sums=plan.sums > 0,
        parameters=addresses(tensors, "workspace", "tiling"),
        types=tuple(t.macro for t in tensors),
        init_arguments=(*(t.address for t in tensors), *workspace, "tilingData", "pipe"),
        along=along,
    )


def tiling_form(op: OpSpec, graph: Graph, plan: Plan, *, multiplies: bool = False, spreads: bool = True) -> TilingForm:
    """The tiling struct, which host and kernel share."""
    return TilingForm(
        op_type=plan.op_type,
        guard=snake(plan.op_type).upper(),
        flags=flags(op),
        scalars=scalar_members(plan.scalars),
        strides=tuple(each.name for each in host_strides(plan, graph.axes)),
        across=not graph.axes.along,
        along=bool(graph.axes.dim),
        spread_keys="Tiling keys 2 and 5" if graph.axes.dim else "Tiling key 2",
        multiplies=multiplies,
        spreads=spreads,
        sums=plan.sums > 0,
        bypasses=spreads and bool(plan.read_once),
    )


def host_tiling_form(
    op: OpSpec,
    graph: Graph,
    plan: Plan,
    passes: tuple[int, ...] = (),
    *,
    alike: bool = False,
    along: Plan | None = None,
    bypasses: bool = True,
) -> HostTilingForm:
    """The host's tiling function. ``alike``: leading dimensions of inputs must be equal.

    ``along``: the plan of a second kernel, for rows along the innermost dimension. ``bypasses``: inputs may stay out of
    the L2 cache.
    """
    once = {i for each in (plan, along) if each for i, a in enumerate(each.inputs) if a in each.read_once}
    alike |= graph.axes.alike
    stem, unsqueezed = snake(op.type), _unsqueezed(op)
    reduced = f"rows::AxisOf(shape, {dimension(op, graph.axes.dim)})" if graph.axes.dim else "kAxes"
    optional = any(tensor.optional for tensor in op.inputs)
    return HostTilingForm(
        op_type=op.type,
        stem=stem,
        guard=stem.upper(),
        input_count=len(plan.inputs),
        output_count=len(plan.outputs),
        results=row_shapes(graph, reduced),
        axes=host_axes(graph.axes),
        axis=dimension(op, graph.dim),
        axis_name=graph.axes.attribute or "dim",
        passes=tuple(map(str, passes)),
        leading="kEqual" if alike else "kBroadcast",
        coupled=plan.coupled,
        numbers_elements=plan.numbers or counts(op, graph),
        unsqueezed=unsqueezed,
        input_shape="InputShape(call, i)" if unsqueezed else "call.inputs[i]",
        input_shapes="inputs" if optional or unsqueezed else "call.inputs",
        reduced=reduced,
        optional=optional,
        optional_count=len(flags(op)),
        flags=flags(op),
        numbers=number_flags(op),
        binds=bound_inputs(op, alike=alike),
        columns=vector_columns(op, plan),
        bypassing=tuple(sorted(once)) if bypasses else (),
        reserved=plan.reserved,
        reserved_ub="kReservedUb" if along is None else "reservedUb",
        kept=plan.kept,
        sums=plan.sums,
        plan_rows="0" if plan.sums else "call.plan.tileRows",  # sums depend on which rows are in a tile
        along_columns=vector_columns(op, along) if along is not None else (),
        along_reserved=along.reserved if along is not None else 0,
        along_kept=along.kept if along is not None else 0,
        attrs=call_attributes(op, graph, plan.scalars),
        strides=host_strides(plan, graph.axes),
        scalars=computed_scalars(op, graph, plan.scalars),
        compute_parameters=compute_parameters(op),
    )


def _unsqueezed(op: OpSpec) -> tuple[str, ...]:
    """For each input whether it lacks the dimension of a row, in C++; none if all have it."""
    flags = tuple("true" if tensor.unsqueezed else "false" for tensor in op.inputs)
    return flags if "true" in flags else ()


def read_tensor(tensor: TensorNames, argument: Argument, *, optional: bool) -> ReadTensor:
    """How the kernel reads an input, tile by tile."""
    queue = input_queue(tensor, argument, optional=optional)
    return ReadTensor(tensor.queue, queue, tensor.place, ("grid", "origin", f"tiling->{tensor.strides}"))


def host_strides(plan: Plan, axes: Axes) -> tuple[HostStrides, ...]:
    """The strides in the tiling data: of each tensor that is read, and of the results unless a row is the last dim."""
    read = tuple(HostStrides(i, tensor_names(a).strides) for i, a in enumerate(plan.inputs) if a.moved)
    return read if axes == LAST else (*read, HostStrides(len(plan.inputs), "outputStrides"))


def host_axes(axes: Axes) -> str:
    """The values of the members of rows::Axes; none if a call gives them."""
    if axes.dim:
        return ""
    bits = sum(1 << (-axis - 1) for axis in axes.at)
    return f"{bits}U, {'true' if axes.whole else 'false'}"


def row_shapes(graph: Graph, reduced: str = "kAxes") -> tuple[str, ...]:
    """The shapes of the results as expressions over ``shape``; none if each has that shape.

    ``reduced``: the rows::Axes as such an expression.
    """
    if all(output.row is None and not output.summed for output in graph.outputs):
        return ()
    one = f"rows::OneForRow(shape, {reduced}, {{}})"
    shapes = {None: "shape", "kept": one.format("true"), "dropped": one.format("false")}
    return tuple("rows::OfRow(shape)" if output.summed else shapes[output.row] for output in graph.outputs)
