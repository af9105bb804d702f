"""What op_host computes for the kernel: the parts of the expression that depend on attributes alone.

In float32 and int32 as the kernel would, which wraps integers around.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from opforge.errors import InternalError
from opforge.ir.graph import Graph, Node
from opforge.naming import lower_camel
from opforge.plan.vector_model import HostScalar
from opforge.render.ascendc.instruction_spelling import float_literal
from opforge.render.layout import COLUMNS, assign, fill
from opforge.spec.model import AttrSpec, OpSpec

# Every operator of the IR, on floats: operands a, b and c. min and max pass a NaN on, as torch.minimum and
# torch.maximum do.
SPELLINGS: dict[str, str] = {
    "cast": "{a}",
    "neg": "-{a}",
    "abs": "std::fabs({a})",
    "exp": "std::exp({a})",
    "log": "std::log({a})",
    "sqrt": "std::sqrt({a})",
    "rsqrt": "1.0f / std::sqrt({a})",
    "reciprocal": "1.0f / {a}",
    "tanh": "std::tanh({a})",
    "erf": "std::erf({a})",
    "silu": "{a} / (1.0f + std::exp(-{a}))",
    "sigmoid": "1.0f / (1.0f + std::exp(-{a}))",
    "relu": "{a} > 0.0f || std::isnan({a}) ? {a} : 0.0f",
    "gelu": "0.5f * {a} * std::erfc(-0.70710678f * {a})",
    "gelu_tanh": "{a} / (1.0f + std::exp(-1.5957691f * ({a} + 0.044715f * {a} * {a} * {a})))",
    "sign": "{a} > 0.0f ? 1.0f : {a} < 0.0f ? -1.0f : 0.0f",
    "add": "{a} + {b}",
    "sub": "{a} - {b}",
    "mul": "{a} * {b}",
    "div": "{a} / {b}",
    "min": "{a} < {b} || std::isnan({a}) ? {a} : {b}",
    "max": "{a} > {b} || std::isnan({a}) ? {a} : {b}",
    "pow": "std::pow({a}, {b})",
    "leaky_relu": "{a} > 0.0f ? {a} : {a} * {b}",
    "ge": "{a} >= {b} ? 1.0f : 0.0f",
    "gt": "{a} > {b} ? 1.0f : 0.0f",
    "le": "{a} <= {b} ? 1.0f : 0.0f",
    "lt": "{a} < {b} ? 1.0f : 0.0f",
    "eq": "{a} == {b} ? 1.0f : 0.0f",
    "ne": "{a} != {b} ? 1.0f : 0.0f",
    "where": "{a} != 0.0f ? {b} : {c}",
}
# Those that compute in int32, on operands that are int64_t.
INTEGER_SPELLINGS: dict[str, str] = {
    "neg": "-{a}",
    "add": "{a} + {b}",
    "sub": "{a} - {b}",
    "mul": "{a} * {b}",
    "min": "std::min({a}, {b})",
    "max": "std::max({a}, {b})",
}

# C++ types of what op_host computes.
SCALAR_TYPES = {"float32": "float", "int32": "int32_t"}

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


def spelled(operator: str, operands: Sequence[str]) -> str:
    """An operator of SPELLINGS on its operands."""
    return SPELLINGS[operator].format(a=operands[0], b=operands[min(1, len(operands) - 1)], c=operands[-1])


def _local(node: Node) -> str:
    if node.op != "attr" or not node.name:
        return f"valueOf{node.id}"
    return f"{lower_camel(node.name)}{'Value' if node.dtype == 'float32' else 'Integer'}"


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
    found = dict(_attr_of(op, node) for node in _needed(graph, scalars) if node.op == "attr")
    return tuple(found[index] for index in sorted(found))


def attribute_lines(op: OpSpec, graph: Graph, scalars: tuple[HostScalar, ...]) -> tuple[str, ...]:
    """The body of ReadAttributes: from CANN's context into ``Call``; nothing where no attribute is needed."""
    lines: list[str] = []
    for attr in tiling_attributes(op, graph, scalars):
        index, pointer = op.attrs.index(attr), f"{lower_camel(attr.name)}Pointer"
        lines += [
            f"const {CTYPES[attr.type]}* {pointer} = attrs->{_GETTERS[attr.type]}({index});",
            f"if ({pointer} == nullptr) {{",
            f'    return Refuse(kOpType, "attribute {attr.name} is missing");',
            "}",
            *(_fits_int32(attr, pointer) if attr.name in graph.whole_attrs else ()),
            f"call->{attr_member(attr)} = *{pointer};",
        ]
    return tuple(lines)


def _fits_int32(attr: AttrSpec, pointer: str) -> tuple[str, ...]:
    """Refuses what the kernel's int32 cannot hold."""
    head, value = f"if (static_cast<int32_t>(*{pointer}) !=", f"*{pointer}) {{"
    message = f'"attribute {attr.name} does not fit int32"'
    refused = fill("return Refuse(", ["kOpType", message], ");", indent=8)
    return (
        f"{head} {value}" if len(f"    {head} {value}") <= COLUMNS else f"{head}\n        {value}",
        f"    {refused}",
        "}",
    )


def scalar_lines(op: OpSpec, graph: Graph, scalars: tuple[HostScalar, ...]) -> tuple[str, ...]:
    """The body of SetScalars: from ``Call`` into the tiling data; nothing where the plan asks for no scalars."""
    needed = _needed(graph, scalars)
    lines = [
        _declared(f"const {SCALAR_TYPES[_dtype(node)]} {_local(node)}", _value(op, graph, node)) for node in needed
    ]
    lines += [f"tiling->{s.name} = {_local(graph[s.node])};" for s in scalars]
    return tuple(lines)


def _declared(target: str, value: str) -> str:
    """A whole call, as a cast is, breaks where clang-format would break it."""
    head, bracket, rest = value.partition("(")
    if not bracket or not rest.endswith(")") or " " in head:
        return f"{target} = {value};"
    return assign(target, f"{head}(", [rest[:-1]], ");", indent=4)


def _dtype(node: Node) -> str:
    return "int32" if node.dtype == "int32" else "float32"


def _value(op: OpSpec, graph: Graph, node: Node) -> str:
    whole = _dtype(node) == "int32"
    if node.op == "attr":
        attr = _attr_of(op, node)[1]
        value = f"call.{attr_member(attr)}"
        return value if attr.type == "float" and not whole else f"static_cast<{SCALAR_TYPES[_dtype(node)]}>({value})"
    if node.op == "const" and node.value is not None:
        return str(int(node.value)) if whole else _constant(node.value)
    operands = [_local(graph[i]) for i in node.operands]
    if node.op == "cast" and _dtype(node) != _dtype(graph[node.operands[0]]):
        return f"static_cast<{SCALAR_TYPES[_dtype(node)]}>({operands[0]})"
    if not whole or node.op == "cast":
        return spelled(node.op, operands)
    wide = [f"int64_t{{{operand}}}" for operand in operands]
    return f"static_cast<int32_t>({INTEGER_SPELLINGS[node.op].format(a=wide[0], b=wide[-1])})"
