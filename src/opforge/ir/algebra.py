"""Arithmetic on the nodes of a graph that is being built, with the simplifications that gradients need."""

from __future__ import annotations

from opforge.ir.builder import GraphBuilder
from opforge.ir.graph import Node


class Algebra:
    """Arithmetic that simplifies ``x * 1``, ``x / 1`` and ``-(-x)``, and moves signs out of products and quotients.

    ``x / z - y / z`` is ``(x - y) / z``. ``(x / z) * y`` is ``x * (y / z)`` where the graph had that quotient before.
    """

    def __init__(self, builder: GraphBuilder) -> None:
        self.builder = builder

    def number(self, value: float) -> int:
        """The node of a number."""
        return self.builder.const(value)

    def apply(self, op: str, *operands: int) -> int:
        """The node of any function, as it is."""
        return self.builder.apply(op, *operands)

    def neg(self, x: int) -> int:
        """``-x``."""
        node = self.builder.nodes[x]
        return node.operands[0] if node.op == "neg" else self.apply("neg", x)

    def add(self, x: int, y: int) -> int:
        """``x + y``."""
        node = self.builder.nodes[y]
        return self.sub(x, node.operands[0]) if node.op == "neg" else self.apply("add", x, y)

    def sub(self, x: int, y: int) -> int:
        """``x - y``."""
        left, right = self.builder.nodes[x], self.builder.nodes[y]
        if left.op == right.op == "div" and left.operands[1] == right.operands[1]:
            return self.div(self.sub(left.operands[0], right.operands[0]), left.operands[1])
        return self.apply("sub", x, y)

    def mul(self, x: int, y: int) -> int:
        """``x * y``."""
        for one, other in ((x, y), (y, x)):
            node = self.builder.nodes[one]
            if self._is(one, 1.0):
                return other
            if self._is(one, -1.0):
                return self.neg(other)
            if node.op == "neg":
                return self.neg(self.mul(node.operands[0], other))
            if node.op == "div" and (quotient := self._quotient_before(node, other)) is not None:
                return self.apply("mul", node.operands[0], quotient)
        return self.apply("mul", x, y)

    def div(self, x: int, y: int) -> int:
        """``x / y``."""
        node = self.builder.nodes[x]
        if node.op == "neg":
            return self.neg(self.div(node.operands[0], y))
        return x if self._is(y, 1.0) else self.apply("div", x, y)

    def _is(self, node: int, value: float) -> bool:
        return self.builder.nodes[node].op == "const" and self.builder.nodes[node].value == value

    def _quotient_before(self, quotient: Node, x: int) -> int | None:
        """The quotient of ``x`` and the divisor of ``quotient``, if the graph has had it earlier."""
        wanted = (x, quotient.operands[1])
        before = self.builder.nodes[: quotient.id]
        return next((node.id for node in before if node.op == "div" and node.operands == wanted), None)
