"""Reverse mode on the kernel IR: derives the graph of the gradients from an op's graph.

``z = x * y`` (inputs x, y) becomes ``grad_x = grad_z * y; grad_y = grad_z * x`` (inputs grad_z, x, y). Values have the
broadcast shape of all inputs; the caller sums a gradient to its input's shape. Subgradients are torch's: ``sign`` for
abs. In max and min, a tie between tensors gives each side half of the gradient (torch.maximum); a tie with a number
gives the tensor all of it (torch.clamp). Integers and masks have no gradient and pass none on.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TypeAlias

from opforge.dtypes import DTYPES
from opforge.errors import InternalError
from opforge.ir.builder import GELU_CUBE, GELU_SLOPE, GraphBuilder
from opforge.ir.graph import Graph
from opforge.ir.legality import COMPUTE, STORAGE
from opforge.ir.rows import row_extent, row_values
from opforge.spec.axes import Axes
from opforge.spec.model import OpSpec


class _Algebra:
    """Arithmetic on nodes that simplifies ``x * 1``, ``x + 0``, ``x / 1`` and ``-(-x)``."""

    def __init__(self, builder: GraphBuilder) -> None:
        self.builder = builder

    def number(self, value: float) -> int:
        return self.builder.const(value)

    def _is(self, node: int, value: float) -> bool:
        return self.builder.nodes[node].op == "const" and self.builder.nodes[node].value == value

    def neg(self, x: int) -> int:
        node = self.builder.nodes[x]
        return node.operands[0] if node.op == "neg" else self.builder.apply("neg", x)

    def add(self, x: int, y: int) -> int:
        if self.builder.nodes[y].op == "neg":
            return self.sub(x, self.builder.nodes[y].operands[0])
        return self.builder.apply("add", x, y)

    def sub(self, x: int, y: int) -> int:
        return self.builder.apply("sub", x, y)

    def mul(self, x: int, y: int) -> int:
        for one, other in ((x, y), (y, x)):
            if self._is(one, 1.0):
                return other
            if self._is(one, -1.0):
                return self.neg(other)
        return self.builder.apply("mul", x, y)

    def div(self, x: int, y: int) -> int:
        return x if self._is(y, 1.0) else self.builder.apply("div", x, y)

    def apply(self, op: str, *operands: int) -> int:
        return self.builder.apply(op, *operands)


# From the algebra, the gradient of a node's value, its operands and the value: a gradient per operand.
Rule: TypeAlias = Callable[[_Algebra, int, Sequence[int], int], Sequence[int | None]]


def _silu(a: _Algebra, grad: int, x: Sequence[int], _value: int) -> Sequence[int]:
    gate = a.apply("sigmoid", x[0])
    one = a.number(1.0)
    return [a.mul(grad, a.mul(gate, a.add(one, a.mul(x[0], a.sub(one, gate)))))]


def _sigmoid(a: _Algebra, grad: int, _x: Sequence[int], value: int) -> Sequence[int]:
    return [a.mul(a.mul(grad, a.sub(a.number(1.0), value)), value)]


def _tanh(a: _Algebra, grad: int, x: Sequence[int], _value: int) -> Sequence[int]:
    """Of tanh(x), 4e / (1 + e)^2 with e = exp(-2 |x|): 1 - tanh(x)^2 cancels if tanh(x) is near 1."""
    shrunk = a.apply("exp", a.mul(a.apply("abs", x[0]), a.number(-2.0)))
    divisor = a.add(shrunk, a.number(1.0))
    return [a.mul(grad, a.div(a.mul(shrunk, a.number(4.0)), a.mul(divisor, divisor)))]


def _where(a: _Algebra, grad: int, x: Sequence[int], _value: int) -> Sequence[int | None]:
    zero = a.number(0.0)
    return [None, a.apply("where", x[0], grad, zero), a.apply("where", x[0], zero, grad)]


def _relu(a: _Algebra, grad: int, x: Sequence[int], _value: int) -> Sequence[int]:
    # Not `x > 0`: if x is NaN, torch passes the gradient on.
    return [a.apply("where", a.apply("le", x[0], a.number(0.0)), a.number(0.0), grad)]


def _rsqrt(a: _Algebra, grad: int, _x: Sequence[int], value: int) -> Sequence[int]:
    cube = a.mul(a.mul(value, value), value)
    return [a.mul(a.mul(grad, a.number(-0.5)), cube)]


def _erf(a: _Algebra, grad: int, x: Sequence[int], _value: int) -> Sequence[int]:
    slope = a.apply("exp", a.neg(a.mul(x[0], x[0])))
    return [a.mul(a.mul(grad, a.number(2 / math.sqrt(math.pi))), slope)]


def _erfc(a: _Algebra, grad: int, x: Sequence[int], value: int) -> Sequence[int | None]:
    (of_erf,) = _erf(a, grad, x, value)
    return [a.neg(of_erf)]


def _erfinv(a: _Algebra, grad: int, _x: Sequence[int], value: int) -> Sequence[int]:
    slope = a.apply("exp", a.mul(value, value))
    return [a.mul(a.mul(grad, a.number(math.sqrt(math.pi) / 2)), slope)]


def _logit(a: _Algebra, grad: int, x: Sequence[int], _value: int) -> Sequence[int]:
    """1 / (x * (1 - x)), and NaN where logit is: the root is."""
    product = a.mul(x[0], a.sub(a.number(1.0), x[0]))
    return [a.div(grad, a.add(product, a.mul(a.apply("sqrt", product), a.number(0.0))))]


def _square_plus(a: _Algebra, x: int, number: float) -> int:
    return a.add(a.mul(x, x), a.number(number))


def _one_minus_square(a: _Algebra, x: int) -> int:
    """1 - x^2 as a product, which keeps the digits near 1."""
    one = a.number(1.0)
    return a.mul(a.sub(one, x), a.add(x, one))


def _atan2(a: _Algebra, grad: int, x: Sequence[int], _value: int) -> Sequence[int]:
    square = a.add(a.mul(x[0], x[0]), a.mul(x[1], x[1]))
    zero = a.number(0.0)
    part = a.apply("where", a.apply("eq", square, zero), zero, a.div(grad, square))  # torch's is 0 at the origin
    return [a.mul(part, x[1]), a.neg(a.mul(part, x[0]))]


_NEAR = 2.0**-60  # a smaller x^2 vanishes in float32 beside 1


def _gelu(a: _Algebra, grad: int, x: Sequence[int], value: int) -> Sequence[int]:
    """Of x * c, where c is the normal distribution function: c + x * density(x).

    c is gelu(x) / x, and one half near 0, since 1 + erf(x / sqrt(2)) cancels for negative x.
    """
    square = a.mul(x[0], x[0])
    near = a.apply("le", square, a.number(_NEAR))
    below = a.apply("where", near, a.number(0.5), a.div(value, x[0]))
    bell = a.apply("exp", a.mul(square, a.number(-0.5)))
    density = a.mul(bell, a.number(1 / math.sqrt(2 * math.pi)))
    return [a.mul(grad, a.add(below, a.mul(x[0], density)))]


def _pow(a: _Algebra, grad: int, x: Sequence[int], value: int) -> Sequence[int | None]:
    """For the base, exponent * base^(exponent - 1); for the exponent, base^exponent * log(base); 0 where torch's is."""
    base, exponent = x
    zero, scalar = a.number(0.0), [a.builder.nodes[node].scalar for node in x]
    of_base = of_exponent = None
    if not scalar[0]:
        steep = a.mul(exponent, a.apply("pow", base, a.sub(exponent, a.number(1.0))))
        of_base = a.mul(grad, steep)
        if not scalar[1]:
            of_base = a.apply("where", a.apply("eq", exponent, zero), zero, of_base)
    if not scalar[1]:
        of_exponent = a.mul(grad, a.mul(value, a.apply("log", base)))
        flat = a.apply("ge", exponent, zero)  # 0 to a nonnegative power
        if not scalar[0]:
            still = a.apply("where", a.apply("eq", base, zero), zero, of_exponent)
            of_exponent = a.apply("where", flat, still, of_exponent)
        elif a.builder.nodes[base].op != "const":  # a condition must depend on a tensor
            of_exponent = a.apply("where", a.mul(flat, a.apply("eq", base, zero)), zero, of_exponent)
    return [of_base, of_exponent]


def _gelu_tanh(a: _Algebra, grad: int, x: Sequence[int], _value: int) -> Sequence[int]:
    """Of x * s with s = sigmoid(v), v = SLOPE * (x + CUBE * x^3): s + x * s * (1 - s) * v'; 1 - s is sigmoid(-v)."""
    square = a.mul(x[0], x[0])
    inner = a.mul(x[0], a.add(a.mul(square, a.number(GELU_SLOPE * GELU_CUBE)), a.number(GELU_SLOPE)))
    steep = a.add(a.mul(square, a.number(3 * GELU_SLOPE * GELU_CUBE)), a.number(GELU_SLOPE))
    gate, rest = a.apply("sigmoid", inner), a.apply("sigmoid", a.neg(inner))
    return [a.mul(grad, a.mul(gate, a.add(a.number(1.0), a.mul(a.mul(x[0], rest), steep))))]


def _leaky_relu(a: _Algebra, grad: int, x: Sequence[int], _value: int) -> Sequence[int]:
    above, zero = a.apply("gt", x[0], a.number(0.0)), a.number(0.0)  # 1 where the slope does not matter
    return [a.apply("where", above, grad, a.mul(grad, x[1])), a.apply("where", above, zero, a.mul(grad, x[0]))]


def _mul(a: _Algebra, grad: int, x: Sequence[int], _value: int) -> Sequence[int | None]:
    if x[0] == x[1]:
        return [a.mul(a.mul(grad, a.number(2.0)), x[0]), None]
    return [a.mul(grad, x[1]), a.mul(grad, x[0])]


def _div(a: _Algebra, grad: int, x: Sequence[int], value: int) -> Sequence[int]:
    return [a.div(grad, x[1]), a.neg(a.div(a.mul(grad, value), x[1]))]


def _pick(lost: str, kept: str) -> Rule:
    """For max and min: the losing side gets nothing; a tie is shared with a tensor, not with a number."""

    def rule(a: _Algebra, grad: int, x: Sequence[int], _value: int) -> Sequence[int | None]:
        zero, half = a.number(0.0), a.number(0.5)

        def share(mine: int, other: int) -> int | None:
            if a.builder.nodes[mine].scalar:
                return None
            if a.builder.nodes[other].scalar:
                return a.apply("where", a.apply(kept, mine, other), grad, zero)
            shared = a.apply("where", a.apply("eq", x[0], x[1]), a.mul(grad, half), grad)
            return a.apply("where", a.apply(lost, mine, other), zero, shared)

        return [share(x[0], x[1]), share(x[1], x[0])]

    return rule


def _flat(_a: _Algebra, _grad: int, x: Sequence[int], _value: int) -> Sequence[None]:
    return [None] * len(x)


def _extreme(a: _Algebra, grad: int, x: Sequence[int], value: int) -> Sequence[int]:
    """Elements of a row that are equal to the result share the gradient, as in torch.amax."""
    equal = a.apply("eq", x[0], value)
    return [a.mul(grad, a.div(equal, a.apply("sum", equal)))]


DERIVATIVE: dict[str, Rule] = {
    "sum": lambda _a, grad, _x, _value: [grad],
    "amax": _extreme,
    "amin": _extreme,
    "neg": lambda a, grad, _x, _value: [a.neg(grad)],
    "abs": lambda a, grad, x, _value: [a.mul(grad, a.apply("sign", x[0]))],
    "exp": lambda a, grad, _x, value: [a.mul(grad, value)],
    "silu": _silu,
    "sigmoid": _sigmoid,
    "sign": _flat,
    "relu": _relu,
    "log": lambda a, grad, x, _value: [a.div(grad, x[0])],
    "sqrt": lambda a, grad, _x, value: [a.div(grad, a.mul(value, a.number(2.0)))],
    "rsqrt": _rsqrt,
    "reciprocal": lambda a, grad, _x, value: [a.neg(a.mul(grad, a.mul(value, value)))],
    "tanh": _tanh,
    "erf": _erf,
    "gelu": _gelu,
    "gelu_tanh": _gelu_tanh,
    "detach": _flat,
    "log1p": lambda a, grad, x, _value: [a.div(grad, a.add(x[0], a.number(1.0)))],
    "expm1": lambda a, grad, x, _value: [a.mul(grad, a.apply("exp", x[0]))],  # value + 1 cancels near -1
    "log2": lambda a, grad, x, _value: [a.div(grad, a.mul(x[0], a.number(math.log(2))))],
    "exp2": lambda a, grad, _x, value: [a.mul(grad, a.mul(value, a.number(math.log(2))))],
    "sin": lambda a, grad, x, _value: [a.mul(grad, a.apply("cos", x[0]))],
    "cos": lambda a, grad, x, _value: [a.neg(a.mul(grad, a.apply("sin", x[0])))],
    "sinh": lambda a, grad, x, _value: [a.mul(grad, a.apply("cosh", x[0]))],
    "cosh": lambda a, grad, x, _value: [a.mul(grad, a.apply("sinh", x[0]))],
    "asinh": lambda a, grad, x, _value: [a.mul(grad, a.apply("rsqrt", _square_plus(a, x[0], 1.0)))],
    "acosh": lambda a, grad, x, _value: [a.mul(grad, a.apply("rsqrt", _square_plus(a, x[0], -1.0)))],
    "atanh": lambda a, grad, x, _value: [a.div(grad, _one_minus_square(a, x[0]))],
    "asin": lambda a, grad, x, _value: [a.mul(grad, a.apply("rsqrt", _one_minus_square(a, x[0])))],
    "acos": lambda a, grad, x, _value: [a.neg(a.mul(grad, a.apply("rsqrt", _one_minus_square(a, x[0]))))],
    "atan": lambda a, grad, x, _value: [a.div(grad, _square_plus(a, x[0], 1.0))],
    "erfc": _erfc,
    "erfinv": _erfinv,
    "logit": _logit,
    "floor": _flat,
    "ceil": _flat,
    "trunc": _flat,
    "round": _flat,
    "add": lambda _a, grad, _x, _value: [grad, grad],
    "sub": lambda a, grad, _x, _value: [grad, a.neg(grad)],
    "mul": _mul,
    "div": _div,
    "min": _pick(lost="gt", kept="le"),
    "max": _pick(lost="lt", kept="ge"),
    "pow": _pow,
    "atan2": _atan2,
    "leaky_relu": _leaky_relu,
    "ge": _flat,
    "gt": _flat,
    "le": _flat,
    "lt": _flat,
    "eq": _flat,
    "ne": _flat,
    "where": _where,
}


def differentiate(op: OpSpec, graph: Graph) -> Graph:
    """The graph of ``grad_<input>`` for the op's inputs, from ``grad_<output>`` and the forward inputs.

    The graph contains only inputs that a gradient needs (``Graph.inputs``), and gradients only of inputs on which an
    output depends smoothly. Attributes have no gradient. The graph must be elementwise; ``ir.backward`` splits an op
    with matrix products.

    Raises:
        InternalError: no input has a gradient; ``gradients`` returns None in this case.
    """
    made = gradients(op, graph)
    if made is None:
        raise InternalError(f"differentiate: {op.type} has no gradient")
    return made


def gradients(op: OpSpec, graph: Graph) -> Graph | None:
    """Like ``differentiate``, but None if no output depends smoothly on an input."""
    if any(node.op in ("matmul", "given_or") for node in graph.nodes):
        raise InternalError(f"differentiate: {op.type} is not elementwise")
    builder = GraphBuilder()
    algebra = _Algebra(builder)
    adjoint: dict[int, int] = {}
    rows = row_values(graph.nodes)
    floating = {t.name for t in (*op.inputs, *op.outputs) if all(DTYPES[dtype].floating for dtype in t.dtypes)}
    for output in graph.outputs:
        source = graph[output.node].operands[0]
        if graph[source].dtype != COMPUTE or output.name not in floating:
            continue
        grad = builder.input(f"grad_{output.name}")
        if source in rows and output.row is None:
            grad = _over_row(builder, grad, op, graph.axes)
        adjoint[source] = algebra.add(adjoint[source], grad) if source in adjoint else grad
    value = _copy(graph, builder, op)
    for node in reversed(graph.nodes):
        if node.id not in adjoint or node.op not in DERIVATIVE or node.scalar:
            continue
        operands = [value[o] for o in node.operands]
        each = DERIVATIVE[node.op](algebra, adjoint[node.id], operands, value[node.id])
        for operand, gradient in zip(node.operands, each, strict=True):
            if gradient is not None and not graph[operand].scalar:
                whole = operand in rows and node.id not in rows
                own = _over_row(builder, gradient, op, graph.axes) if whole else gradient
                known = adjoint.get(operand)
                adjoint[operand] = own if known is None else algebra.add(known, own)
    loads = {graph[n.operands[0]].name: n.id for n in graph.nodes if n.op == "cast" and n.dtype == COMPUTE}
    grads = {
        f"grad_{tensor.name}": adjoint[loads[tensor.name]]
        for tensor in op.inputs
        if tensor.name in floating and not tensor.scalar and loads.get(tensor.name) in adjoint
    }
    return builder.finish(grads, axes=graph.axes) if grads else None


def _over_row(builder: GraphBuilder, gradient: int, op: OpSpec, axes: Axes) -> int:
    """The gradient of a value that stands for a whole row: the sum over the row."""
    if gradient not in row_values(builder.nodes):
        return builder.apply("sum", gradient)
    return builder.apply("mul", gradient, row_extent(op, axes, builder))  # it is the same for the whole row


def _copy(graph: Graph, builder: GraphBuilder, op: OpSpec) -> dict[int, int]:
    """Copies the forward's nodes to the new graph; unused ones are dropped at the end."""
    loaded = {graph[n.operands[0]].name: n.dtype for n in graph.nodes if n.op == "cast" and n.dtype != STORAGE}
    for tensor in op.inputs:
        builder.input(tensor.name, loaded.get(tensor.name, COMPUTE))
    value: dict[int, int] = {}
    for node in graph.nodes:
        if node.op == "attr":
            value[node.id] = builder.attr(node.name or "", node.dtype)
        elif node.op == "size":
            value[node.id] = builder.size(graph[node.operands[0]].name or "", node.axis, node.dtype)
        elif node.value is not None:
            value[node.id] = builder.const(node.value, node.dtype)
        elif node.op == "cast":
            source = graph[node.operands[0]]
            if source.op == "input":
                value[node.id] = builder.input(source.name or "", node.dtype)
            elif node.dtype != STORAGE:
                value[node.id] = builder.cast(value[node.operands[0]], node.dtype)
        elif node.op != "input":
            value[node.id] = builder.apply(node.op, *(value[o] for o in node.operands))
    return value
