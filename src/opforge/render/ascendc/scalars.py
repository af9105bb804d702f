"""What op_host computes for the kernel: the parts of the expression that depend on attributes alone, in float32."""

from __future__ import annotations

import math

from opforge.errors import InternalError
from opforge.ir.graph import Graph, Node
from opforge.naming import lower_camel
from opforge.plan.model import Plan
from opforge.render.ascendc.spelling import float_literal
from opforge.spec.model import OpSpec

# Every operator of the IR, on floats. min and max pass a NaN on, as torch.minimum and torch.maximum do.
SPELLINGS: dict[str, str] = {
    "cast": "{a}",
    "neg": "-{a}",
    "abs": "std::fabs({a})",
    "exp": "std::exp({a})",
    "silu": "{a} / (1.0f + std::exp(-{a}))",
    "sigmoid": "1.0f / (1.0f + std::exp(-{a}))",
    "sign": "{a} > 0.0f ? 1.0f : {a} < 0.0f ? -1.0f : 0.0f",
    "add": "{a} + {b}",
    "sub": "{a} - {b}",
    "mul": "{a} * {b}",
    "div": "{a} / {b}",
    "min": "{a} < {b} || std::isnan({a}) ? {a} : {b}",
    "max": "{a} > {b} || std::isnan({a}) ? {a} : {b}",
    "ge": "{a} >= {b} ? 1.0f : 0.0f",
    "gt": "{a} > {b} ? 1.0f : 0.0f",
    "le": "{a} <= {b} ? 1.0f : 0.0f",
    "lt": "{a} < {b} ? 1.0f : 0.0f",
    "eq": "{a} == {b} ? 1.0f : 0.0f",
}

_GETTERS = {"float": "GetFloat", "int": "GetInt"}


def _constant(value: float) -> str:
    if math.isnan(value):
        return "std::numeric_limits<float>::quiet_NaN()"
    try:
        return float_literal(value)
    except (ValueError, OverflowError):
        return f"{'-' if value < 0 else ''}std::numeric_limits<float>::infinity()"


def _needed(graph: Graph, plan: Plan) -> list[Node]:
    wanted = {s.node for s in plan.scalars}
    for node in reversed(graph.nodes):
        if node.id in wanted:
            wanted.update(node.operands)
    return [n for n in graph.nodes if n.id in wanted]


def _local(node: Node) -> str:
    return f"{lower_camel(node.name)}Value" if node.op == "attr" and node.name else f"valueOf{node.id}"


def _attr_lines(op: OpSpec, node: Node) -> list[str]:
    index, attr = next((i, a) for i, a in enumerate(op.attrs) if a.name == node.name)
    if attr.type not in _GETTERS:
        raise InternalError(f"attribute {attr.name} of type {attr.type} in an expression")
    pointer = f"{lower_camel(attr.name)}Attr"
    ctype = {"float": "float", "int": "int64_t"}[attr.type]
    value = f"*{pointer}" if attr.type == "float" else f"static_cast<float>(*{pointer})"
    return [
        f"const {ctype}* {pointer} = theAttrs->{_GETTERS[attr.type]}({index});",
        f"if ({pointer} == nullptr) {{",
        f'    return elementwise::Refuse(kOpType, "attribute {attr.name} is missing");',
        "}",
        f"const float {_local(node)} = {value};",
    ]


def scalar_lines(op: OpSpec, graph: Graph, plan: Plan) -> tuple[str, ...]:
    """The body of SetScalars, or nothing when the plan asks for no scalars."""
    lines: list[str] = []
    for node in _needed(graph, plan):
        if node.op == "attr":
            lines += _attr_lines(op, node)
        elif node.op == "const" and node.value is not None:
            lines.append(f"const float {_local(node)} = {_constant(node.value)};")
        else:
            operands = [_local(graph[i]) for i in node.operands]
            value = SPELLINGS[node.op].format(a=operands[0], b=operands[-1])
            lines.append(f"const float {_local(node)} = {value};")
    lines += [f"tiling->{s.name} = {_local(graph[s.node])};" for s in plan.scalars]
    return tuple(lines)
