"""Contexts of an elementwise op's tiling: the struct that host and kernel share, and the host's tiling function."""

from __future__ import annotations

from opforge.frozen import dataclass
from opforge.ir.graph import Graph
from opforge.naming import snake
from opforge.plan.vector_model import Plan
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
from opforge.spec.model import OpSpec


@dataclass(frozen=True)
class TilingForm:
    """Context of ``kinds/elementwise/tiling.h``."""

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
    """Context of ``kinds/elementwise/host_tiling.h``."""

    op_type: str
    stem: str
    guard: str
    input_count: int
    coupled: bool
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


def tiling_form(op: OpSpec, plan: Plan) -> TilingForm:
    """The tiling struct of an elementwise op."""
    strides = tuple(tensor_names(a).strides for a in plan.inputs if a.moved)
    return TilingForm(plan.op_type, snake(plan.op_type).upper(), flags(op), scalar_members(plan.scalars), strides)


def host_tiling_form(op: OpSpec, graph: Graph, plan: Plan) -> HostTilingForm:
    """The host's tiling of an elementwise op."""
    stem = snake(op.type)
    return HostTilingForm(
        op_type=op.type,
        stem=stem,
        guard=stem.upper(),
        input_count=len(plan.inputs),
        coupled=plan.coupled,
        optional=any(tensor.optional for tensor in op.inputs),
        flags=flags(op),
        numbers=number_flags(op),
        binds=bound_inputs(op),
        columns=vector_columns(plan),
        reserved=plan.reserved,
        attrs=call_attributes(op, graph, plan.scalars),
        strides=tuple(HostStrides(i, tensor_names(a).strides) for i, a in enumerate(plan.inputs) if a.moved),
        scalars=computed_scalars(op, graph, plan.scalars),
        compute_parameters=compute_parameters(op),
    )
