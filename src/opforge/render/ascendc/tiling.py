"""Tiling of one elementwise op: the struct that both sides see, and the header that computes it on the host."""

from __future__ import annotations

from dataclasses import dataclass

from opforge.dtypes import DTYPES
from opforge.ir.graph import Graph
from opforge.naming import lower_camel, snake
from opforge.plan.model import HostScalar, Plan
from opforge.render.ascendc.cpp_layout import fill
from opforge.render.ascendc.cpp_names import tensor_names
from opforge.render.ascendc.scalars import CTYPES, SCALAR_TYPES, attr_member, scalar_lines, tiling_attributes
from opforge.spec.model import OpSpec, TensorSpec


@dataclass(frozen=True)
class GivenFlag:
    """A member of the tiling data that says whether an optional input is given, and the input's index."""

    index: int
    member: str


@dataclass(frozen=True)
class Bind:
    """An input's index, whether it may be missing, and its shape by symbols."""

    index: int
    optional: bool
    pattern: str


@dataclass(frozen=True)
class TilingForm:
    """Context of ``op_kernel/op_tiling.h``."""

    op_type: str
    guard: str
    flags: tuple[GivenFlag, ...]
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
    coupled: bool
    optional: bool
    flags: tuple[GivenFlag, ...]
    numbers: str
    binds: tuple[Bind, ...]
    columns: tuple[str, ...]
    reserved: int
    attrs: tuple[CallAttr, ...]
    strides: tuple[HostStrides, ...]
    scalar_lines: tuple[str, ...]
    compute_signature: str


def call_attributes(op: OpSpec, graph: Graph, scalars: tuple[HostScalar, ...]) -> tuple[CallAttr, ...]:
    """Members of ``Call`` beside the shapes, in declaration order of the attributes."""
    return tuple(CallAttr(CTYPES[a.type], attr_member(a)) for a in tiling_attributes(op, graph, scalars))


def given_member(name: str) -> str:
    """The flag of optional input ``name``."""
    return f"{lower_camel(name)}Given"


def flags(op: OpSpec) -> tuple[GivenFlag, ...]:
    """The flags of all optional inputs."""
    return tuple(GivenFlag(i, given_member(t.name)) for i, t in enumerate(op.inputs) if t.optional)


def pattern(tensor: TensorSpec) -> str:
    """A tensor's shape as symbols::Pattern."""
    dims = ", ".join(f'"{dim}"' for dim in tensor.dims)
    return f'{{"{tensor.name}", {{{dims}}}}}'


def binds(op: OpSpec) -> tuple[Bind, ...]:
    """The shapes of all inputs by symbols."""
    return tuple(Bind(i, t.optional, pattern(t)) for i, t in enumerate(op.inputs))


def scalar_members(scalars: tuple[HostScalar, ...]) -> tuple[str, ...]:
    """Members of the tiling data for numbers that op_host computes, with their types."""
    return tuple(f"{SCALAR_TYPES[s.dtype]} {s.name}" for s in scalars)


def compute_signature(op: OpSpec) -> str:
    """The head of the host tiling's Compute."""
    parameters = [
        "const platform_ascendc::PlatformAscendC& platform",
        "const Call& call",
        f"{op.type}TilingData* tiling",
        "host_tiling::Launch* launch",
    ]
    return fill("inline std::string Compute(", parameters, ")", room=2)


def tiling_form(op: OpSpec, plan: Plan) -> TilingForm:
    """The tiling struct of an elementwise op."""
    strides = tuple(tensor_names(a).strides for a in plan.inputs if a.moved)
    return TilingForm(plan.op_type, snake(plan.op_type).upper(), flags(op), scalar_members(plan.scalars), strides)


def _columns(plan: Plan) -> tuple[str, ...]:
    lines = []
    for column in range(len(plan.arguments[0].dtypes)):
        names = ", ".join(DTYPES[a.dtypes[column]].name for a in plan.inputs)
        lines += [f"// {names}", f"{{{plan.bytes_per_element(column)}, {plan.row_step(column)}}},"]
    return tuple(lines)


def _numbers(op: OpSpec) -> str:
    if not any(tensor.scalar for tensor in op.inputs):
        return ""
    return "{" + ", ".join("true" if tensor.scalar else "false" for tensor in op.inputs) + "}"


def _has_pattern(tensor: TensorSpec) -> bool:
    return tensor.dims != ("...",) and not tensor.scalar


def host_tiling_form(op: OpSpec, graph: Graph, plan: Plan) -> HostTilingForm:
    """How an elementwise op is tiled on the host."""
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
        binds=tuple(bind for bind in binds(op) if _has_pattern(op.inputs[bind.index])),
        columns=_columns(plan),
        reserved=plan.reserved,
        attrs=call_attributes(op, graph, plan.scalars),
        strides=tuple(HostStrides(i, tensor_names(a).strides) for i, a in enumerate(plan.inputs) if a.moved),
        scalar_lines=scalar_lines(op, graph, plan.scalars),
        compute_signature=compute_signature(op),
    )
