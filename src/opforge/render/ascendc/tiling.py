"""Tiling of one elementwise op: the struct that both sides see, and the header that computes it on the host."""

from __future__ import annotations

from dataclasses import dataclass

from opforge.dtypes import DTYPES
from opforge.ir.graph import Graph
from opforge.naming import snake
from opforge.plan.model import HostScalar, Plan
from opforge.render.ascendc.names import tensor_names
from opforge.render.ascendc.scalars import CTYPES, attr_member, scalar_lines, tiling_attributes
from opforge.spec.model import OpSpec


@dataclass(frozen=True)
class TilingForm:
    """Context of ``op_kernel/op_tiling.h``."""

    op_type: str
    guard: str
    scalars: tuple[str, ...]
    strides: tuple[str, ...]


@dataclass(frozen=True)
class HostStrides:
    """A strides member of the tiling data and the index of its input."""

    index: int
    name: str


@dataclass(frozen=True)
class CallAttr:
    """An attribute that the tiling data depends on, as a member of the host's ``Call``."""

    ctype: str
    member: str


@dataclass(frozen=True)
class HostTilingForm:
    """Context of ``op_host/elementwise_host_tiling.h``."""

    op_type: str
    stem: str
    guard: str
    input_count: int
    columns: tuple[str, ...]
    reserved: int
    attrs: tuple[CallAttr, ...]
    strides: tuple[HostStrides, ...]
    scalar_lines: tuple[str, ...]


def call_attributes(op: OpSpec, graph: Graph, scalars: tuple[HostScalar, ...]) -> tuple[CallAttr, ...]:
    """Members of ``Call`` beside the shapes, in declaration order of the attributes."""
    return tuple(CallAttr(CTYPES[a.type], attr_member(a)) for a in tiling_attributes(op, graph, scalars))


def tiling_form(plan: Plan) -> TilingForm:
    """The tiling struct of an elementwise op."""
    strides = tuple(tensor_names(a).strides for a in plan.inputs if a.moved)
    return TilingForm(plan.op_type, snake(plan.op_type).upper(), tuple(s.name for s in plan.scalars), strides)


def _columns(plan: Plan) -> tuple[str, ...]:
    lines = []
    for column in range(len(plan.arguments[0].dtypes)):
        names = ", ".join(DTYPES[a.dtypes[column]].name for a in plan.inputs)
        narrowest = min(DTYPES[a.dtypes[column]].size for a in plan.arguments)
        lines += [f"// {names}", f"{{{plan.bytes_per_element(column)}, {narrowest}}},"]
    return tuple(lines)


def host_tiling_form(op: OpSpec, graph: Graph, plan: Plan) -> HostTilingForm:
    """How an elementwise op is tiled on the host."""
    stem = snake(op.type)
    return HostTilingForm(
        op_type=op.type,
        stem=stem,
        guard=stem.upper(),
        input_count=len(plan.inputs),
        columns=_columns(plan),
        reserved=plan.reserved,
        attrs=call_attributes(op, graph, plan.scalars),
        strides=tuple(HostStrides(i, tensor_names(a).strides) for i, a in enumerate(plan.inputs) if a.moved),
        scalar_lines=scalar_lines(op, graph, plan.scalars),
    )
