"""Renders the scalars that op_host computes for the kernel: the parts of the expression without tensors.

They are computed in float32 and int32, as in the kernel. Integers wrap around.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from opforge.errors import InternalError
from opforge.frozen import dataclass
from opforge.ir.graph import Graph, Node
from opforge.naming import lower_camel
from opforge.plan.vector_model import HostScalar
from opforge.program import Variable
from opforge.render.ascendc.instruction_spelling import float_literal, string_literal
from opforge.spec.model import AttrSpec, OpSpec

# Newton's method from 0 never passes the inverse of erf, which is concave above 0.
_ERFINV = (
    "[](double y) {{ double size = std::fabs(y); double x = 0.0; for (int step = 0; step < 40; ++step) {{ "
    "x += (size < 0.5 ? size - std::erf(x) : std::erfc(x) - (1.0 - size)) * 0.88622692545275794 * std::exp(x * x); }} "
    "return static_cast<float>(size < 1.0 ? std::copysign(x, y) : y / std::sqrt(1.0 - size)); }}({a})"
)

# Every operator of the IR on floats, with operands a, b and c. min and max propagate NaN, as torch.minimum and
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
    "detach": "{a}",
    "sign": "{a} > 0.0f ? 1.0f : {a} < 0.0f ? -1.0f : 0.0f",
    "log1p": "std::log1p({a})",
    "expm1": "std::expm1({a})",
    "log2": "std::log2({a})",
    "exp2": "std::exp2({a})",
    "sin": "std::sin({a})",
    "cos": "std::cos({a})",
    "sinh": "std::sinh({a})",
    "cosh": "std::cosh({a})",
    "asinh": "std::asinh({a})",
    "acosh": "std::acosh({a})",
    "atanh": "std::atanh({a})",
    "asin": "std::asin({a})",
    "acos": "std::acos({a})",
    "atan": "std::atan({a})",
    "erfc": "std::erfc({a})",
    "erfinv": _ERFINV,
    "logit": "std::log({a} / (1.0f - {a}))",
    "floor": "std::floor({a})",
    "ceil": "std::ceil({a})",
    "trunc": "std::trunc({a})",
    "round": "std::nearbyint({a})",
    "add": "{a} + {b}",
    "sub": "{a} - {b}",
    "mul": "{a} * {b}",
    "div": "{a} / {b}",
    "min": "{a} < {b} || std::isnan({a}) ? {a} : {b}",
    "max": "{a} > {b} || std::isnan({a}) ? {a} : {b}",
    "pow": "std::pow({a}, {b})",
    "atan2": "std::atan2({a}, {b})",
    "fmod": "std::fmod({a}, {b})",
    "leaky_relu": "{a} > 0.0f ? {a} : {a} * {b}",
    "ge": "{a} >= {b} ? 1.0f : 0.0f",
    "gt": "{a} > {b} ? 1.0f : 0.0f",
    "le": "{a} <= {b} ? 1.0f : 0.0f",
    "lt": "{a} < {b} ? 1.0f : 0.0f",
    "eq": "{a} == {b} ? 1.0f : 0.0f",
    "ne": "{a} != {b} ? 1.0f : 0.0f",
    "where": "{a} != 0.0f ? {b} : {c}",
}
# The operators that compute in int32. Their operands are int64_t.
INTEGER_SPELLINGS: dict[str, str] = {
    "neg": "-{a}",
    "add": "{a} + {b}",
    "sub": "{a} - {b}",
    "mul": "{a} * {b}",
    "min": "std::min({a}, {b})",
    "max": "std::max({a}, {b})",
}

# C++ types of the scalars that op_host computes.
SCALAR_TYPES = {"float32": "float", "int32": "int32_t"}

# C++ types of the attributes that expressions may use.
CTYPES = {"float": "float", "int": "int64_t", "bool": "bool", "str": "std::string"}
CTYPES |= {f"list_{type_}": f"std::vector<{CTYPES[type_]}>" for type_ in ("float", "int", "bool")}


@dataclass(frozen=True)
class Assigned:
    """A member of a struct, and the expression that is assigned to it."""

    member: str
    value: str


@dataclass(frozen=True)
class HostScalars:
    """The parts of the expression that depend only on attributes. Forms call this context ``scalars``."""

    variables: tuple[Variable, ...]
    members: tuple[Assigned, ...]


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
        if node.id in wanted and node.op != "size":
            wanted.update(node.operands)
    return [n for n in graph.nodes if n.id in wanted]


def spelled(operator: str, operands: Sequence[str]) -> str:
    """The spelling of an operator of SPELLINGS with its operands."""
    return SPELLINGS[operator].format(a=operands[0], b=operands[min(1, len(operands) - 1)], c=operands[-1])


def _local(node: Node) -> str:
    if node.op != "attr" or not node.name:
        return f"valueOf{node.id}"
    element = "" if node.element is None else node.element
    return f"{lower_camel(node.name)}{'Value' if node.dtype == 'float32' else 'Integer'}{element}"


def _attr_of(op: OpSpec, node: Node) -> tuple[int, AttrSpec]:
    index, attr = next((i, a) for i, a in enumerate(op.attrs) if a.name == node.name)
    if attr.type not in CTYPES:
        raise InternalError(f"attribute {attr.name} of type {attr.type} in an expression")
    return index, attr


def attr_member(attr: AttrSpec) -> str:
    """The member of the host tiling's ``Call`` that holds an attribute."""
    return f"{lower_camel(attr.name)}Attr"


def dimension(op: OpSpec, dim: str) -> str:
    """The source of a dimension that an attribute of the call gives, or a number."""
    return next((f"call.{attr_member(attr)}" for attr in op.attrs if attr.name == dim), dim)


def tiling_attributes(op: OpSpec, graph: Graph, scalars: tuple[HostScalar, ...]) -> tuple[AttrSpec, ...]:
    """The attributes that the tiling data depends on: members of ``Call``, in declaration order."""
    found = dict(_attr_of(op, node) for node in _needed(graph, scalars) if node.op in ("attr", "says"))
    found |= {index: attr for index, attr in enumerate(op.attrs) if attr.name == graph.dim}
    return tuple(found[index] for index in sorted(found))


def computed_scalars(op: OpSpec, graph: Graph, scalars: tuple[HostScalar, ...]) -> HostScalars:
    """The body of SetScalars, which computes tiling data from ``Call``. It is empty if the plan needs no scalars."""
    needed = _needed(graph, scalars)
    return HostScalars(
        variables=tuple(Variable(SCALAR_TYPES[_dtype(n)], _local(n), _value(op, graph, n)) for n in needed),
        members=tuple(Assigned(s.name, _local(graph[s.node])) for s in scalars),
    )


def _dtype(node: Node) -> str:
    return "int32" if node.dtype == "int32" else "float32"


def _value(op: OpSpec, graph: Graph, node: Node) -> str:
    whole = _dtype(node) == "int32"
    if node.op == "attr":
        attr = _attr_of(op, node)[1]
        value = f"call.{attr_member(attr)}{node.subscript}"
        own = attr.type.endswith("float") and not whole
        return value if own else f"static_cast<{SCALAR_TYPES[_dtype(node)]}>({value})"
    if node.op == "says":
        return f"call.{attr_member(_attr_of(op, node)[1])} == {string_literal(node.text or '')} ? 1.0f : 0.0f"
    if node.op == "const" and node.value is not None:
        return str(int(node.value)) if whole else _constant(node.value)
    if node.op == "size":
        index = next(i for i, t in enumerate(op.inputs) if t.name == graph[node.operands[0]].name)
        given = f"call.inputs[{index}]"
        extent = f"host_tiling::ElementsOf({given})"
        if isinstance(node.axis, str):
            extent = f"rows::ExtentOf({given}, {dimension(op, node.axis)})"
        elif node.axis is not None:
            extent = f"host_tiling::Extent({given}, {-1 - node.axis})"
        return f"static_cast<{SCALAR_TYPES[_dtype(node)]}>({extent})"
    operands = [_local(graph[i]) for i in node.operands]
    if node.op == "cast" and _dtype(node) != _dtype(graph[node.operands[0]]):
        return f"static_cast<{SCALAR_TYPES[_dtype(node)]}>({operands[0]})"
    if not whole or node.op in ("cast", "where"):
        return spelled(node.op, operands)
    wide = [f"int64_t{{{operand}}}" for operand in operands]
    return f"static_cast<int32_t>({INTEGER_SPELLINGS[node.op].format(a=wide[0], b=wide[-1])})"
