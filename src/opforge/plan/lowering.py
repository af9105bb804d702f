"""From the kernel IR's operators to Ascend C's vector instructions, on values that have no place yet.

``neg`` becomes ``Muls`` by -1, ``silu`` becomes ``x / (1 + exp(-x))``, a comparison becomes ``Compare`` and ``Select``.
Matrix products come in as values, as inputs do: only what is computed of them is lowered here.
Division is always ``Div``: multiplying by a reciprocal would round twice, but for powers of two, where it is exact.
"""

from __future__ import annotations

import dataclasses
import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from opforge.errors import InternalError
from opforge.ir.builder import GELU_CUBE, GELU_SLOPE
from opforge.plan.model import HostScalar, ScalarOperand

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from opforge.ir.graph import Graph, Node

FLOAT32_MAX = 3.4028234663852886e38

_TENSOR_TENSOR = {"add": "Add", "sub": "Sub", "mul": "Mul", "div": "Div", "min": "Min", "max": "Max"}
_TENSOR_SCALAR = {"add": "Adds", "mul": "Muls", "min": "Mins", "max": "Maxs", "leaky_relu": "LeakyRelu"}
_MODES = {"ge": "GE", "gt": "GT", "le": "LE", "lt": "LT", "eq": "EQ"}
_MIRRORED = {"GE": "LE", "GT": "LT", "LE": "GE", "LT": "GT", "EQ": "EQ"}


@dataclass(frozen=True)
class Value:
    """A tile of numbers on its way: loaded from an input, or computed by a step. A ``mask`` has one bit per element.

    ``product`` is the name of the matrix product that it is a tile of, in float32. ``otherwise`` is the number that
    stands for an optional ``input`` where it is not given.
    """

    id: int
    input: str | None = None
    mask: bool = False
    product: str | None = None
    otherwise: float | None = None


@dataclass(frozen=True)
class Step:
    """An instruction on values: ``target = name(sources, scalar)``."""

    name: str
    target: Value
    sources: tuple[Value, ...]
    scalar: ScalarOperand | None = None
    mode: str | None = None


@dataclass(frozen=True)
class Lowered:
    """A whole graph as steps: inputs and products it starts from, output values by name, numbers for the host."""

    inputs: tuple[Value, ...]  # loaded element by element, in order; not those that only products read
    products: tuple[Value, ...]  # in the graph's order
    steps: tuple[Step, ...]
    outputs: tuple[tuple[str, Value], ...]
    scalars: tuple[HostScalar, ...]


@dataclass
class _Lowering:
    graph: Graph
    taken_names: frozenset[str]
    steps: list[Step] = field(default_factory=list)
    inputs: list[Value] = field(default_factory=list)
    products: list[Value] = field(default_factory=list)
    values: dict[int, Value] = field(default_factory=dict)
    scalars: dict[int, HostScalar] = field(default_factory=dict)
    count: int = 0

    def value(self, *, name: str | None = None, mask: bool = False) -> Value:
        self.count += 1
        return Value(self.count - 1, name, mask)

    def load(self, value: Value) -> Value:
        self.inputs.append(value)
        return value

    def emit(self, name: str, *sources: Value, scalar: ScalarOperand | None = None, mode: str | None = None) -> Value:
        target = self.value(mask=name.startswith("Compare"))
        self.steps.append(Step(name, target, sources, scalar, mode))
        return target

    def scalar_of(self, node: Node) -> ScalarOperand:
        """A finite literal stands in the kernel; all else comes in the tiling data, computed by op_host."""
        if node.value is not None and abs(node.value) <= FLOAT32_MAX:
            return ScalarOperand(value=node.value)
        if node.id not in self.scalars:
            name = node.name if node.op == "attr" and node.name else self._fresh_name()
            self.scalars[node.id] = HostScalar(name, node.id)
        return ScalarOperand(name=self.scalars[node.id].name)

    def _fresh_name(self) -> str:
        used = {*self.taken_names, *(s.name for s in self.scalars.values())}
        return next(name for i in range(len(used) + 1) if (name := f"scalar{i}") not in used)

    def filled(self, scalar: ScalarOperand) -> Value:
        return self.emit("Duplicate", scalar=scalar)


def _literal(value: float) -> ScalarOperand:
    return ScalarOperand(value=value)


def _negative(scalar: ScalarOperand) -> ScalarOperand:
    if scalar.value is not None:
        return ScalarOperand(value=-scalar.value)
    return ScalarOperand(name=scalar.name, negated=not scalar.negated)


def _exact_reciprocal(scalar: ScalarOperand) -> float | None:
    """1/value where that is a normal float32 and loses nothing: powers of two."""
    if scalar.value is None or scalar.value == 0:
        return None
    mantissa, exponent = math.frexp(scalar.value)
    return 1.0 / scalar.value if abs(mantissa) == 0.5 and -124 < exponent < 126 else None


def _selected(low: _Lowering, mask: Value) -> Value:
    """1.0 where the mask is set, else 0.0."""
    ones = low.filled(_literal(1.0))
    return low.emit("Select", mask, ones, scalar=_literal(0.0))


def _sigmoid_divisor(low: _Lowering, x: Value) -> Value:
    """1 + exp(-x): infinite for very negative x, so that what it divides goes to 0 as it should."""
    negated = low.emit("Muls", x, scalar=_literal(-1.0))
    return low.emit("Adds", low.emit("Exp", negated), scalar=_literal(1.0))


def _sigmoid(low: _Lowering, x: Value) -> Value:
    divisor = _sigmoid_divisor(low, x)
    return low.emit("Div", low.filled(_literal(1.0)), divisor)


def _sign(low: _Lowering, x: Value) -> Value:
    above = _selected(low, low.emit("CompareScalar", x, scalar=_literal(0.0), mode="GT"))
    below = _selected(low, low.emit("CompareScalar", x, scalar=_literal(0.0), mode="LT"))
    return low.emit("Sub", above, below)


def _gelu_tanh(low: _Lowering, x: Value) -> Value:
    """As x / (1 + exp(-2u)), with 2u = x * (SLOPE + SLOPE * CUBE * x^2)."""
    square = low.emit("Mul", x, x)
    curved = low.emit("Muls", square, scalar=_literal(-GELU_SLOPE * GELU_CUBE))
    exponent = low.emit("Mul", low.emit("Adds", curved, scalar=_literal(-GELU_SLOPE)), x)
    return low.emit("Div", x, low.emit("Adds", low.emit("Exp", exponent), scalar=_literal(1.0)))


# Every unary operator of the IR.
UNARY: dict[str, Callable[[_Lowering, Value], Value]] = {
    "neg": lambda low, x: low.emit("Muls", x, scalar=_literal(-1.0)),
    "abs": lambda low, x: low.emit("Abs", x),
    "exp": lambda low, x: low.emit("Exp", x),
    "silu": lambda low, x: low.emit("Div", x, _sigmoid_divisor(low, x)),
    "sigmoid": _sigmoid,
    "sign": _sign,
    "relu": lambda low, x: low.emit("Relu", x),
    "gelu_tanh": _gelu_tanh,
}


def _leaky_relu(low: _Lowering, x: Value, slope: Value) -> Value:
    """max(x, 0) + slope * min(x, 0), for a slope that is a finite tensor: one of the two is zero."""
    above = low.emit("Maxs", x, scalar=_literal(0.0))
    return low.emit("Add", above, low.emit("Mul", low.emit("Mins", x, scalar=_literal(0.0)), slope))


def _tensor_scalar(low: _Lowering, op: str, x: Value, scalar: ScalarOperand) -> Value:
    """``x op scalar``."""
    if op in _MODES:
        return _selected(low, low.emit("CompareScalar", x, scalar=scalar, mode=_MODES[op]))
    if op == "sub":
        return low.emit("Adds", x, scalar=_negative(scalar))
    if op == "div":
        reciprocal = _exact_reciprocal(scalar)
        if reciprocal is not None:
            return low.emit("Muls", x, scalar=_literal(reciprocal))
        return low.emit("Div", x, low.filled(scalar))
    return low.emit(_TENSOR_SCALAR[op], x, scalar=scalar)


def _scalar_tensor(low: _Lowering, op: str, scalar: ScalarOperand, x: Value) -> Value:
    """``scalar op x``."""
    if op in _MODES:
        return _selected(low, low.emit("CompareScalar", x, scalar=scalar, mode=_MIRRORED[_MODES[op]]))
    if op == "sub":  # s - x == (-x) + s, exactly
        return low.emit("Adds", low.emit("Muls", x, scalar=_literal(-1.0)), scalar=scalar)
    if op == "div":
        return low.emit("Div", low.filled(scalar), x)
    if op == "leaky_relu":
        return _leaky_relu(low, low.filled(scalar), x)
    return low.emit(_TENSOR_SCALAR[op], x, scalar=scalar)


def _binary(low: _Lowering, node: Node) -> Value:
    left, right = (low.graph[i] for i in node.operands)
    if right.scalar:
        return _tensor_scalar(low, node.op, low.values[left.id], low.scalar_of(right))
    if left.scalar:
        return _scalar_tensor(low, node.op, low.scalar_of(left), low.values[right.id])
    a, b = low.values[left.id], low.values[right.id]
    if node.op in _MODES:
        return _selected(low, low.emit("Compare", a, b, mode=_MODES[node.op]))
    if node.op == "leaky_relu":
        return _leaky_relu(low, a, b)
    return low.emit(_TENSOR_TENSOR[node.op], a, b)


def _cast(low: _Lowering, node: Node, optional: Mapping[int, float | None]) -> Value:
    source = low.graph[node.operands[0]]
    if source.op == "input":
        return low.load(dataclasses.replace(low.value(name=source.name), otherwise=optional.get(node.id)))
    return low.filled(low.scalar_of(source)) if source.scalar else low.values[source.id]


def lower(graph: Graph) -> Lowered:
    """The graph as vector instructions. Casts between storage and float32 are the tile's business, not steps."""
    names = frozenset(n.name for n in graph.nodes if n.name) | {o.name for o in graph.outputs}
    low = _Lowering(graph, names)
    optional = {node.operands[0]: node.value for node in graph.nodes if node.op == "given_or"}
    for node in graph.nodes:
        if node.scalar:
            continue  # computed by op_host, where a tensor needs it
        if node.op == "input":
            continue  # loaded by its cast; products read theirs themselves
        if node.op == "matmul":
            low.values[node.id] = dataclasses.replace(low.value(), product=node.name)
            low.products.append(low.values[node.id])
        elif node.op == "cast":
            low.values[node.id] = _cast(low, node, optional)
        elif node.op == "given_or":
            low.values[node.id] = low.values[node.operands[0]]
        elif node.op in UNARY:
            low.values[node.id] = UNARY[node.op](low, low.values[node.operands[0]])
        elif len(node.operands) == 2:
            low.values[node.id] = _binary(low, node)
        else:
            raise InternalError(f"the IR operator {node.op!r} has no vector instructions")
    outputs = []
    for output in graph.outputs:
        node = graph[output.node]
        outputs.append((output.name, low.filled(low.scalar_of(node)) if node.scalar else low.values[node.id]))
    inputs, products, steps = tuple(low.inputs), tuple(low.products), tuple(low.steps)
    return Lowered(inputs, products, steps, tuple(outputs), tuple(low.scalars.values()))
