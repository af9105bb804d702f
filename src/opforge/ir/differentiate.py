"""Reverse mode on the kernel IR: an op's graph to the graph of its gradients.

``z = x * y`` (inputs x, y) becomes ``grad_x = grad_z * y; grad_y = grad_z * x`` (inputs grad_z, x, y). Values have the
broadcast shape of all inputs; whoever uses the graph sums a gradient to its input's shape. Subgradients are torch's:
``sign`` for abs; in max and min halves for both sides of a tie between tensors (torch.maximum), all of it for a tensor
that ties with a number (torch.clamp).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

from opforge.errors import InternalError
from opforge.ir.builder import GELU_CUBE, GELU_SLOPE, GraphBuilder
from opforge.ir.graph import Graph
from opforge.ir.verify import COMPUTE
from opforge.spec.model import OpSpec


class _Algebra:
    """Arithmetic on nodes that leaves out what changes nothing: ``x * 1``, ``x + 0``, ``x / 1``, ``-(-x)``."""

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


# Given the algebra, the gradient of a node's value, its operands and the value itself: a gradient per operand.
Rule: TypeAlias = Callable[[_Algebra, int, Sequence[int], int], Sequence[int | None]]


def _silu(a: _Algebra, grad: int, x: Sequence[int], _value: int) -> Sequence[int]:
    gate = a.apply("sigmoid", x[0])
    one = a.number(1.0)
    return [a.mul(grad, a.mul(gate, a.add(one, a.mul(x[0], a.sub(one, gate)))))]


def _sigmoid(a: _Algebra, grad: int, _x: Sequence[int], value: int) -> Sequence[int]:
    return [a.mul(a.mul(grad, a.sub(a.number(1.0), value)), value)]


def _relu(a: _Algebra, grad: int, x: Sequence[int], _value: int) -> Sequence[int]:
    # Not `x > 0`: where x is not a number, torch passes the gradient on.
    return [a.mul(grad, a.sub(a.number(1.0), a.apply("le", x[0], a.number(0.0))))]


def _gelu_tanh(a: _Algebra, grad: int, x: Sequence[int], _value: int) -> Sequence[int]:
    """Of x * s with s = sigmoid(v), v = SLOPE * (x + CUBE * x^3): s + x * s * (1 - s) * v'."""
    square, one = a.mul(x[0], x[0]), a.number(1.0)
    inner = a.mul(x[0], a.add(a.mul(square, a.number(GELU_SLOPE * GELU_CUBE)), a.number(GELU_SLOPE)))
    steep = a.add(a.mul(square, a.number(3 * GELU_SLOPE * GELU_CUBE)), a.number(GELU_SLOPE))
    gate = a.apply("sigmoid", inner)
    return [a.mul(grad, a.mul(gate, a.add(one, a.mul(a.mul(x[0], a.sub(one, gate)), steep))))]


def _leaky_relu(a: _Algebra, grad: int, x: Sequence[int], _value: int) -> Sequence[int]:
    above = a.apply("gt", x[0], a.number(0.0))  # 1 where the slope plays no part
    below = a.sub(a.number(1.0), above)
    return [a.mul(grad, a.add(above, a.mul(below, x[1]))), a.mul(grad, a.mul(below, x[0]))]


def _div(a: _Algebra, grad: int, x: Sequence[int], value: int) -> Sequence[int]:
    return [a.div(grad, x[1]), a.neg(a.div(a.mul(grad, value), x[1]))]


def _pick(below: str, below_or_equal: str, kept: str) -> Rule:
    """Of max and min: nothing goes to the side that lost; a tie is shared with a tensor, not with a number."""

    def rule(a: _Algebra, grad: int, x: Sequence[int], _value: int) -> Sequence[int]:
        def share(mine: int, other: int) -> int:
            if a.builder.nodes[other].scalar:
                return a.mul(grad, a.apply(kept, mine, other))
            lost = a.add(a.apply(below, mine, other), a.apply(below_or_equal, mine, other))  # 0, 1 for a tie, or 2
            return a.mul(grad, a.sub(a.number(1.0), a.mul(a.number(0.5), lost)))

        return [share(x[0], x[1]), share(x[1], x[0])]

    return rule


def _flat(_a: _Algebra, _grad: int, x: Sequence[int], _value: int) -> Sequence[None]:
    return [None] * len(x)


DERIVATIVE: dict[str, Rule] = {
    "neg": lambda a, grad, _x, _value: [a.neg(grad)],
    "abs": lambda a, grad, x, _value: [a.mul(grad, a.apply("sign", x[0]))],
    "exp": lambda a, grad, _x, value: [a.mul(grad, value)],
    "silu": _silu,
    "sigmoid": _sigmoid,
    "sign": _flat,
    "relu": _relu,
    "gelu_tanh": _gelu_tanh,
    "add": lambda _a, grad, _x, _value: [grad, grad],
    "sub": lambda a, grad, _x, _value: [grad, a.neg(grad)],
    "mul": lambda a, grad, x, _value: [a.mul(grad, x[1]), a.mul(grad, x[0])],
    "div": _div,
    "min": _pick("gt", "ge", kept="le"),
    "max": _pick("lt", "le", kept="ge"),
    "leaky_relu": _leaky_relu,
    "ge": _flat,
    "gt": _flat,
    "le": _flat,
    "lt": _flat,
    "eq": _flat,
}


def differentiate(op: OpSpec, graph: Graph) -> Graph:
    """The graph of ``grad_<input>`` for the op's inputs, from ``grad_<output>`` and the forward inputs.

    Inputs that no gradient needs do not occur in the graph (``Graph.inputs`` names those that do); an input on which no
    output depends smoothly has no gradient there. Attributes have none. Of an op with matrix products ``ir.backward``
    gives the parts: what is differentiated here is elementwise.
    """
    if any(node.op in ("matmul", "given_or") for node in graph.nodes):
        raise InternalError(f"differentiate: {op.type} is not elementwise")
    builder = GraphBuilder()
    algebra = _Algebra(builder)
    adjoint: dict[int, int] = {}
    for output in graph.outputs:
        grad = builder.input(f"grad_{output.name}")
        source = graph[output.node].operands[0]
        adjoint[source] = algebra.add(adjoint[source], grad) if source in adjoint else grad
    value = _copy(graph, builder, op)
    for node in reversed(graph.nodes):
        if node.id not in adjoint or node.op not in DERIVATIVE or node.scalar:
            continue
        operands = [value[o] for o in node.operands]
        gradients = DERIVATIVE[node.op](algebra, adjoint[node.id], operands, value[node.id])
        for operand, gradient in zip(node.operands, gradients, strict=True):
            if gradient is not None and not graph[operand].scalar:
                known = adjoint.get(operand)
                adjoint[operand] = gradient if known is None else algebra.add(known, gradient)
    loads = {
        graph[node.operands[0]].name: node.id for node in graph.nodes if node.op == "cast" and node.dtype == COMPUTE
    }
    grads = {f"grad_{t.name}": adjoint[loads[t.name]] for t in op.inputs if loads.get(t.name) in adjoint}
    return builder.finish(grads)


def _copy(graph: Graph, builder: GraphBuilder, op: OpSpec) -> dict[int, int]:
    """The forward's values in the new graph; what no gradient uses is dropped at the end."""
    for tensor in op.inputs:
        builder.input(tensor.name)
    value: dict[int, int] = {}
    for node in graph.nodes:
        if node.op == "attr":
            value[node.id] = builder.attr(node.name or "")
        elif node.value is not None:
            value[node.id] = builder.const(node.value)
        elif node.op == "cast":
            source = graph[node.operands[0]]
            if source.op == "input":
                value[node.id] = builder.input(source.name or "")
        elif node.op != "input":
            value[node.id] = builder.apply(node.op, *(value[o] for o in node.operands))
    return value
