"""Contexts of an elementwise op's tiling: the struct that host and kernel share, and the host's tiling function."""

from __future__ import annotations

from opforge.dtypes import DTYPES
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
    binds,
    call_attributes,
    compute_parameters,
    flags,
    scalar_members,
)
from opforge.render.ascendc.scalars import HostScalars, computed_scalars
from opforge.spec.model import OpSpec, TensorSpec


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


def _columns(plan: Plan) -> tuple[Column, ...]:
    columns = []
    for column in range(len(plan.arguments[0].dtypes)):
        names = ", ".join(DTYPES[a.dtypes[column]].name for a in plan.inputs)
        columns.append(Column(names, (str(plan.bytes_per_element(column)), str(plan.row_step(column)))))
    return tuple(columns)


def _numbers(op: OpSpec) -> tuple[str, ...]:
    if not any(tensor.scalar for tensor in op.inputs):
        return ()
    return tuple("true" if tensor.scalar else "false" for tensor in op.inputs)


def bound_inputs(op: OpSpec) -> tuple[Bind, ...]:
    """The inputs whose shapes are checked by symbols."""
    return tuple(bind for bind in binds(op) if _has_pattern(op.inputs[bind.index]))


def _has_pattern(tensor: TensorSpec) -> bool:
    return tensor.dims != ("...",) and not tensor.scalar


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
        numbers=_numbers(op),
        binds=bound_inputs(op),
        columns=_columns(plan),
        reserved=plan.reserved,
        attrs=call_attributes(op, graph, plan.scalars),
        strides=tuple(HostStrides(i, tensor_names(a).strides) for i, a in enumerate(plan.inputs) if a.moved),
        scalars=computed_scalars(op, graph, plan.scalars),
        compute_parameters=compute_parameters(op),
    )
