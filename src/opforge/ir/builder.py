"""Builds graphs node by node: merges equal nodes, folds constants, drops unused nodes.

Constants are Python floats; they are rounded to float32 once, where an operator combines them with a tensor.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType

from opforge.ir.graph import COMPARE, MEASURES, Graph, Node, Output, RowDimension
from opforge.ir.legality import COMPUTE, STORAGE, WHOLE, verify
from opforge.spec.axes import LAST, Axes
from opforge.spec.language import FLOAT32_MAX, REDUCTIONS, TOTALS

# gelu_tanh(x) = x * sigmoid(GELU_SLOPE * (x + GELU_CUBE * x^3)), since (1 + tanh(u)) / 2 is sigmoid(2 * u).
# torch.nn.functional.gelu(approximate="tanh") has the same numbers.
GELU_SLOPE = 2 * math.sqrt(2 / math.pi)
GELU_CUBE = 0.044715

_COMMUTATIVE = ("add", "mul")  # to the bit; min and max are not, for zeros of different sign


_LARGEST = f"the largest number is {FLOAT32_MAX!r}"


class ConstantError(Exception):
    """A constant subexpression has no finite float32 value, or no int32 value; the message says which."""

    def __init__(self, message: str, hint: str = "write the intended number") -> None:
        super().__init__(message)
        self.hint = hint


class GraphBuilder:
    """Collects nodes; ``finish`` returns the graph."""

    def __init__(self) -> None:
        self.nodes: list[Node] = []
        self._known: dict[Node, int] = {}

    def input(self, name: str, dtype: str = COMPUTE) -> int:
        """An input, loaded: cast from its storage dtype to float32 or int32."""
        return self._add(Node(0, "cast", (self._stored(name),), dtype))

    def cast(self, node: int, dtype: str, narrow: str | None = None) -> int:
        """A value as float32 or int32; the node itself if it has that dtype.

        With ``narrow``, a dtype or ``x.dtype``, an int32 that wraps around in that dtype.
        """
        if self.nodes[node].dtype == dtype and narrow is None:
            return node
        return self._add(Node(0, "cast", (node,), dtype, text=narrow))

    def matmul(self, left: str, right: str, transposed: tuple[bool, bool], name: str) -> int:
        """The product of two inputs as stored, accumulated in float32, with its ``name``."""
        operands = self._stored(left), self._stored(right)
        return self._add(Node(0, "matmul", operands, COMPUTE, name, transposed=transposed))

    def size(self, name: str, axis: int | str | None, dtype: str = COMPUTE) -> int:
        """The extent of an input's dimension ``axis``, counted from the end (-1), or the number of its elements."""
        return self._add(Node(0, "size", (self._stored(name),), dtype, scalar=True, axis=axis))

    def rows(self, name: str, dtype: str = COMPUTE) -> int:
        """The number of rows of an input."""
        return self._add(Node(0, "rows", (self._stored(name),), dtype, scalar=True))

    def arange(self, name: str) -> int:
        """The numbers of the elements of a row of an input."""
        return self._add(Node(0, "arange", (self._stored(name),)))

    def measure(self, node: Node, name: str) -> int:
        """The same size or numbers as ``node``, of MEASURES, for the input ``name``."""
        if node.op == "rows":
            return self.rows(name, node.dtype)
        return self.arange(name) if node.op == "arange" else self.size(name, node.axis, node.dtype)

    def copy(self, graph: Graph, node: Node, value: Mapping[int, int]) -> int | None:
        """A node of another graph, whose nodes before it are ``value`` here; None for a stored tensor."""
        if node.op == "cast" and graph[node.operands[0]].op == "input":
            return self.input(graph[node.operands[0]].name or "", node.dtype)
        if node.op == "input" or (node.op == "cast" and node.dtype == STORAGE):
            return None
        if node.op == "attr":
            return self.attr(node.name or "", node.dtype, node.element)
        if node.op == "says":
            return self.says(node.name or "", node.text or "")
        if node.op in MEASURES:
            return self.measure(node, graph[node.operands[0]].name or "")
        if node.op == "const":
            return self.const(node.value or 0.0, node.dtype)
        operands = [value[operand] for operand in node.operands]
        return self.cast(operands[0], node.dtype, node.text) if node.op == "cast" else self.apply(node.op, *operands)

    def given_or(self, name: str, value: float) -> int:
        """An optional input, or ``value`` if it is left out."""
        return self._add(Node(0, "given_or", (self.input(name),), value=float(value)))

    def _stored(self, name: str) -> int:
        return self._add(Node(0, "input", name=name, dtype=STORAGE))

    def attr(self, name: str, dtype: str = COMPUTE, element: int | None = None) -> int:
        """A scalar attribute, or an element of a list."""
        return self._add(Node(0, "attr", name=name, dtype=dtype, scalar=True, element=element))

    def says(self, name: str, text: str) -> int:
        """Whether a str attribute is this text, as a number."""
        return self._add(Node(0, "says", name=name, scalar=True, text=text))

    def const(self, value: float, dtype: str = COMPUTE) -> int:
        """A literal.

        Raises:
            ConstantError: it is finite but not in float32, or not a valid int32.
        """
        if dtype == WHOLE and not -(2**31) <= value < 2**31:
            raise ConstantError(f"{value:.0f} does not fit in int32", "cast the tensor to float32")
        if math.isnan(value):
            raise ConstantError("it is not a number")
        if FLOAT32_MAX < abs(value) < math.inf:
            raise ConstantError(f"{value:g} does not fit in float32", _LARGEST)
        return self._add(Node(0, "const", dtype=dtype, value=float(value), scalar=True))

    def apply(self, op: str, *operands: int) -> int:
        """An operator applied to nodes of one dtype; folded if all are constants. Masks are float32."""
        dtype = COMPUTE if op in COMPARE else self.nodes[operands[-1]].dtype
        if op in REDUCTIONS or op in TOTALS:
            return self._add(Node(0, op, operands, dtype))
        given = [v for o in operands if self.nodes[o].op == "const" and (v := self.nodes[o].value) is not None]
        if given and len(given) == len(operands):
            return self.const(_fold(op, given), dtype)
        known = self._known_choice(*operands) if op == "where" else None
        if known is not None:
            return known
        scalar = all(self.nodes[o].scalar for o in operands)
        if op in _COMMUTATIVE:
            turned = self._known.get(Node(0, op, operands[::-1], dtype, scalar=scalar))
            if turned is not None:
                return turned
        return self._add(Node(0, op, operands, dtype, scalar=scalar))

    def _known_choice(self, condition: int, one: int, other: int) -> int | None:
        """The value that ``where`` has for a literal condition, or the literal that it has for NaN and for others.

        A condition that is a number becomes a tensor so (``spec.masks``).
        """
        asked = self.nodes[condition]
        value = asked.value if asked.op == "const" else None
        if one == other and self.nodes[one].op == "const" and asked.op == "ne" and len(set(asked.operands)) == 1:
            return one
        chosen = one if value else other
        return chosen if value is not None and not self.nodes[chosen].scalar else None

    def finish(
        self, outputs: dict[str, int], rows: Mapping[str, RowDimension] = MappingProxyType({}), axes: Axes = LAST
    ) -> Graph:
        """The graph of these outputs, each cast to its storage dtype. ``rows``: see ``Output.row``."""
        stored = {
            name: self._add(Node(0, "cast", (node,), STORAGE, scalar=self.nodes[node].scalar))
            for name, node in outputs.items()
        }
        graph = pruned(self.nodes, stored, rows, axes)
        verify(graph)
        return graph

    def _add(self, node: Node) -> int:
        # -0.0 == 0.0 in Python, but they are two constants: the node's name puts the sign into the key.
        key = dataclasses.replace(node, name="-0") if node.value == 0 and math.copysign(1, node.value) < 0 else node
        if key not in self._known:
            self._known[key] = len(self.nodes)
            self.nodes.append(dataclasses.replace(node, id=len(self.nodes)))
        return self._known[key]


def pruned(
    nodes: Sequence[Node],
    outputs: Mapping[str, int],
    rows: Mapping[str, RowDimension] = MappingProxyType({}),
    axes: Axes = LAST,
) -> Graph:
    """The graph of these outputs, without unused nodes."""
    live: set[int] = set()
    todo = list(outputs.values())
    while todo:
        place = todo.pop()
        if place not in live:
            live.add(place)
            todo += nodes[place].operands
    number = {old: new for new, old in enumerate(sorted(live))}
    kept = tuple(
        dataclasses.replace(nodes[old], id=new, operands=tuple(number[o] for o in nodes[old].operands))
        for old, new in number.items()
    )
    made = tuple(Output(name, number[place], rows.get(name)) for name, place in outputs.items())
    return Graph(kept, made, axes if any(node.op in (*REDUCTIONS, "rows", "arange") for node in kept) else LAST)


def _fold(op: str, values: list[float]) -> float:
    try:
        return float(FOLDS[op](*values))
    except ZeroDivisionError:
        raise ConstantError("it divides by zero") from None
    except OverflowError:
        raise ConstantError("it does not fit in float32", _LARGEST) from None
    except ValueError:  # raised by the math module: a root or logarithm outside its domain
        raise ConstantError(f"`{op}` is undefined for it") from None


def _sigmoid(x: float) -> float:
    return 1 / (1 + math.exp(-x)) if x >= 0 else math.exp(x) / (1 + math.exp(x))


def _erfinv(x: float) -> float:
    """The inverse of math.erf. Newton's method from 0 never passes it, since erf is concave above 0."""
    if not abs(x) < 1:
        raise ValueError("math domain error")
    size, value = abs(x), 0.0
    for _ in range(40):
        rest = size - math.erf(value) if size < 0.5 else math.erfc(value) - (1 - size)
        value += rest * math.sqrt(math.pi) / 2 * math.exp(value * value)
    return math.copysign(value, x)


FOLDS: dict[str, Callable[..., float]] = {
    "neg": lambda x: -x,
    "abs": abs,
    "exp": math.exp,
    "silu": lambda x: x * _sigmoid(x),
    "sigmoid": _sigmoid,
    "sign": lambda x: (x > 0) - (x < 0),
    "relu": lambda x: max(x, 0.0),
    "log": math.log,
    "sqrt": math.sqrt,
    "rsqrt": lambda x: 1 / math.sqrt(x),
    "reciprocal": lambda x: 1 / x,
    "tanh": math.tanh,
    "erf": math.erf,
    "gelu": lambda x: x * 0.5 * (1 + math.erf(x * math.sqrt(0.5))),
    "gelu_tanh": lambda x: x * _sigmoid(GELU_SLOPE * (x + GELU_CUBE * x**3)),
    "detach": lambda x: x,
    "log1p": math.log1p,
    "expm1": math.expm1,
    "log2": math.log2,
    "exp2": lambda x: 2.0**x,
    "sin": math.sin,
    "cos": math.cos,
    "sinh": math.sinh,
    "cosh": math.cosh,
    "asinh": math.asinh,
    "acosh": math.acosh,
    "atanh": math.atanh,
    "asin": math.asin,
    "acos": math.acos,
    "atan": math.atan,
    "erfc": math.erfc,
    "erfinv": _erfinv,
    "logit": lambda x: math.log(x / (1 - x)),
    "floor": math.floor,
    "ceil": math.ceil,
    "trunc": math.trunc,
    "round": round,
    "add": lambda x, y: x + y,
    "sub": lambda x, y: x - y,
    "mul": lambda x, y: x * y,
    "div": lambda x, y: x / y,
    "min": min,
    "max": max,
    "pow": math.pow,
    "atan2": math.atan2,
    "fmod": math.fmod,
    "leaky_relu": lambda x, slope: x if x > 0 else x * slope,
    "ge": lambda x, y: x >= y,
    "gt": lambda x, y: x > y,
    "le": lambda x, y: x <= y,
    "lt": lambda x, y: x < y,
    "eq": lambda x, y: x == y,
    "ne": lambda x, y: x != y,
    "where": lambda condition, x, y: x if condition else y,
}
