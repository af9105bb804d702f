"""What op_host computes for the kernel: the parts of the expression that depend on attributes alone, in float32."""

from __future__ import annotations

import math

from opforge.errors import InternalError
from opforge.ir.graph import Graph, Node
from opforge.naming import lower_camel
from opforge.plan.model import HostScalar
from opforge.render.ascendc.spelling import float_literal
from opforge.spec.model import AttrSpec, OpSpec

# Every operator of the IR, on floats. min and max pass a NaN on, as torch.minimum and torch.maximum do.
SPELLINGS: dict[str, str] = {
    "cast": "{a}",
    "neg": "-{a}",
    "abs": "std::fabs({a})",
    "exp": "std::exp({a})",
    "silu": "{a} / (1.0f + std::exp(-{a}))",
    "sigmoid": "1.0f / (1.0f + std::exp(-{a}))",
    "relu": "{a} > 0.0f || std::isnan({a}) ? {a} : 0.0f",
    "gelu_tanh": "{a} / (1.0f + std::exp(-1.5957691f * ({a} + 0.044715f * {a} * {a} * {a})))",
    "sign": "{a} > 0.0f ? 1.0f : {a} < 0.0f ? -1.0f : 0.0f",
    "add": "{a} + {b}",
    "sub": "{a} - {b}",
    "mul": "{a} * {b}",
    "div": "{a} / {b}",
    "min": "{a} < {b} || std::isnan({a}) ? {a} : {b}",
    "max": "{a} > {b} || std::isnan({a}) ? {a} : {b}",
    "leaky_relu": "{a} > 0.0f ? {a} : {a} * {b}",
    "ge": "{a} >= {b} ? 1.0f : 0.0f",
    "gt": "{a} > {b} ? 1.0f : 0.0f",
    "le": "{a} <= {b} ? 1.0f : 0.0f",
    "lt": "{a} < {b} ? 1.0f : 0.0f",
    "eq": "{a} == {b} ? 1.0f : 0.0f",
}

# C++ types of the attributes that expressions may read, and their getters in gert::RuntimeAttrs.
CTYPES = {"float": "float", "int": "int64_t"}
_GETTERS = {"float": "GetFloat", "int": "GetInt"}


def _constant(value: float) -> str:
    if math.isnan(value):
        return "std::numeric_limits<float>::quiet_NaN()"
    try:
        return float_literal(value)
    except (ValueError, OverflowError):
        return f"{'-' if value < 0 else ''}std::numeric_limits<float>::infinity()"


def _needed(graph: Graph, scalars: tuple[HostScalar, ...]) -> list[Node]:
    wanted = {s.node for s in scalars}
    for node in reversed(graph.nodes):
        if node.id in wanted:
            wanted.update(node.operands)
    return [n for n in graph.nodes if n.id in wanted]


def _local(node: Node) -> str:
    return f"{lower_camel(node.name)}Value" if node.op == "attr" and node.name else f"valueOf{node.id}"


def _attr_of(op: OpSpec, node: Node) -> tuple[int, AttrSpec]:
    index, attr = next((i, a) for i, a in enumerate(op.attrs) if a.name == node.name)
    if attr.type not in CTYPES:
        raise InternalError(f"attribute {attr.name} of type {attr.type} in an expression")
    return index, attr


def attr_member(attr: AttrSpec) -> str:
    """The member of the host tiling's ``Call`` that holds an attribute."""
    return f"{lower_camel(attr.name)}Attr"


def tiling_attributes(op: OpSpec, graph: Graph, scalars: tuple[HostScalar, ...]) -> tuple[AttrSpec, ...]:
    """The attributes that the tiling data depends on: members of ``Call``, in declaration order."""
    found = [_attr_of(op, node) for node in _needed(graph, scalars) if node.op == "attr"]
    return tuple(attr for _, attr in sorted(found, key=lambda pair: pair[0]))


def attribute_lines(op: OpSpec, graph: Graph, scalars: tuple[HostScalar, ...]) -> tuple[str, ...]:
    """The body of ReadAttributes: from CANN's context into ``Call``; nothing where no attribute is needed."""
    lines: list[str] = []
    for attr in tiling_attributes(op, graph, scalars):
        index, pointer = op.attrs.index(attr), f"{lower_camel(attr.name)}Pointer"
        lines += [
            f"const {CTYPES[attr.type]}* {pointer} = theAttrs->{_GETTERS[attr.type]}({index});",
            f"if ({pointer} == nullptr) {{",
            f'    return Refuse(kOpType, "attribute {attr.name} is missing");',
            "}",
            f"call->{attr_member(attr)} = *{pointer};",
        ]
    return tuple(lines)


def scalar_lines(op: OpSpec, graph: Graph, scalars: tuple[HostScalar, ...]) -> tuple[str, ...]:
    """The body of SetScalars: from ``Call`` into the tiling data; nothing where the plan asks for no scalars."""
    lines: list[str] = []
    for node in _needed(graph, scalars):
        if node.op == "attr":
            attr = _attr_of(op, node)[1]
            value = f"call.{attr_member(attr)}"
            given = value if attr.type == "float" else f"static_cast<float>({value})"
            lines.append(f"const float {_local(node)} = {given};")
        elif node.op == "const" and node.value is not None:
            lines.append(f"const float {_local(node)} = {_constant(node.value)};")
        else:
            operands = [_local(graph[i]) for i in node.operands]
            value = SPELLINGS[node.op].format(a=operands[0], b=operands[-1])
            lines.append(f"const float {_local(node)} = {value};")
    lines += [f"tiling->{s.name} = {_local(graph[s.node])};" for s in scalars]
    return tuple(lines)
