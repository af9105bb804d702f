"""Contexts of the tiling of an op with rows: the struct that host and kernel share, and the host's tiling function."""

from __future__ import annotations

from typing import TYPE_CHECKING

from opforge.frozen import dataclass
from opforge.naming import snake
from opforge.render.ascendc.cpp_names import tensor_names
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
from opforge.render.ascendc.scalars import HostScalars, computed_scalars

if TYPE_CHECKING:
    from opforge.ir.graph import Graph
    from opforge.kinds.rows.plan import RowsPlan
    from opforge.spec.model import OpSpec


@dataclass(frozen=True)
class TilingForm:
    """Context of ``kinds/rows/tiling.h``."""

    op_type: str
    guard: str
    flags: tuple[GivenFlag, ...]
    scalars: tuple[Member, ...]
    strides: tuple[str, ...]


@dataclass(frozen=True)
class HostStrides:
    """A strides member of the tiling data and the index of its input."""

    index: int
    name: str


@dataclass(frozen=True)
class HostTilingForm:
    """Context of ``kinds/rows/host_tiling.h``."""

    op_type: str
    stem: str
    guard: str
    input_count: int
    output_count: int
    results: tuple[str, ...]
    optional: bool
    flags: tuple[GivenFlag, ...]
    numbers: tuple[str, ...]
    binds: tuple[Bind, ...]
    columns: tuple[Column, ...]
    reserved: int
    attrs: tuple[Member, ...]
    strides: tuple[HostStrides, ...]
    scalars: HostScalars
    compute_parameters: tuple[str, ...]


def tiling_form(op: OpSpec, plan: RowsPlan) -> TilingForm:
    """The tiling struct of an op with rows."""
    strides = tuple(tensor_names(a).strides for a in plan.inputs if a.moved)
    return TilingForm(op.type, snake(op.type).upper(), flags(op), scalar_members(plan.whole.scalars), strides)


def host_tiling_form(op: OpSpec, graph: Graph, plan: RowsPlan) -> HostTilingForm:
    """The host's tiling of an op with rows."""
    stem, whole = snake(op.type), plan.whole
    return HostTilingForm(
        op_type=op.type,
        stem=stem,
        guard=stem.upper(),
        input_count=len(plan.inputs),
        output_count=len(plan.outputs),
        results=_results(graph),
        optional=any(tensor.optional for tensor in op.inputs),
        flags=flags(op),
        numbers=number_flags(op),
        binds=bound_inputs(op),
        columns=vector_columns(whole),
        reserved=whole.reserved,
        attrs=call_attributes(op, graph, whole.scalars),
        strides=tuple(HostStrides(i, tensor_names(a).strides) for i, a in enumerate(plan.inputs) if a.moved),
        scalars=computed_scalars(op, graph, whole.scalars),
        compute_parameters=compute_parameters(op),
    )


def _results(graph: Graph) -> tuple[str, ...]:
    """The shapes of the results as expressions over the broadcast shape; none if each has that shape."""
    if all(output.row is None for output in graph.outputs):
        return ()
    shapes = {None: "shape", "kept": "rows::OneForRow(shape, true)", "dropped": "rows::OneForRow(shape, false)"}
    return tuple(shapes[output.row] for output in graph.outputs)
