"""The kernel IR: a typed expression graph, independent of SoC and C++.

Every node is computed in its ``dtype``. An explicit cast from the tensor's dtype follows each load, and an explicit
cast back precedes each output, so the graph shows every rounding of the kernel.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from opforge.frozen import dataclass
from opforge.spec.axes import LAST, Axes
from opforge.spec.language import INTEGER_ONLY, REDUCTIONS, TOTALS

RowDimension = Literal["kept", "dropped", "one"]

# Elementwise operators with tensor operands, by arity. Each has a meaning (ir.evaluate), a derivative
# (ir.derivative_rules), a spelling (render) and a test; tests/house_rules checks that the tables agree.
UNARY = (
    *("neg", "abs", "sign", "exp", "log", "sqrt", "rsqrt", "reciprocal", "tanh", "erf"),
    *("relu", "sigmoid", "silu", "gelu", "gelu_tanh", "detach"),
    *("log1p", "expm1", "log2", "exp2", "sin", "cos", "floor", "ceil", "trunc", "round"),
    *("sinh", "cosh", "asinh", "acosh", "atanh", "asin", "acos", "atan", "erfc", "erfinv", "logit"),
)
BINARY = ("add", "sub", "mul", "div", "min", "max", "pow", "atan2", "fmod", "leaky_relu")
COMPARE = ("ge", "gt", "le", "lt", "eq", "ne")  # the results are 0.0 or 1.0 in float32
TERNARY = ("where",)  # the first operand is a tensor of 0.0 and 1.0
OPERATORS = (*UNARY, *BINARY, *COMPARE, *TERNARY)
MEASURES = ("size", "rows", "arange")  # of a stored input's shape alone
# These also compute in int32, if all operands are int32; the condition of `where` is a mask.
INTEGER = ("neg", "add", "sub", "mul", "min", "max", "fmod", "abs", "sign", "relu", "where", *INTEGER_ONLY, *COMPARE)


@dataclass(frozen=True)
class Node:
    """One value of the graph. ``id`` is its index in ``Graph.nodes``; operands come before it.

    ``op`` is ``input`` (``name`` set), ``attr`` (scalar attribute, ``name`` set), ``says``, ``const`` (``value`` set),
    ``cast`` (to ``dtype``), ``matmul``, ``given_or``, ``size``, ``rows``, ``arange``, or one of OPERATORS,
    INTEGER_ONLY, which compute only in int32, REDUCTIONS and TOTALS.
    ``dtype`` is ``float32``, ``int32`` or ``storage``: the dtype of the tensor's column, a template parameter of the
    kernel.
    ``scalar`` says that the value is a number, not a tensor: an attribute, a literal, a size, or computed from these
    only.

    Integers are computed in int32. A cast with ``text``, a dtype or ``x.dtype``, that of the tensor x, wraps them
    around in that dtype.

    A cast rounds as torch's ``.to()``: between floats to nearest even, from float32 to an integer toward zero. An input
    of dtype bool is cast to float32 as 0.0 or 1.0; values cast to bool storage are 0.0 or 1.0.

    ``matmul`` is a product of two inputs as stored, accumulated in float32. The cube core reads 16-bit types, so the
    operands are ``input`` nodes, not their casts. Leading dimensions of the first are rows. ``transposed`` says which
    operands have their last two dimensions exchanged, and ``name`` is the product's name. ``given_or`` is its operand,
    an optional input's cast, or the number ``value`` if the input is left out.

    ``size`` is the extent of dimension ``axis`` of its operand, a stored input, as a number; ``axis`` counts from the
    end, so -1 is the last one. Without ``axis`` it is the number of elements; a text is ``Axes.dim``. A
    reduction is over the dimensions ``Graph.axes``, which stay with extent 1.

    ``rows`` is the number of rows of its operand, a stored input of the shape of all inputs, as a number. One of TOTALS
    reduces a value with one element for each row to one element.

    ``attr`` is a number, or the element ``element`` of a list.

    ``says`` is 1.0 if the str attribute ``name`` is ``text``, otherwise 0.0.

    ``arange`` is a tensor: 0, 1, 2, ... along the reduced dimension of its operand, a stored input; the others have
    extent 1. The reductions of the graph are then over one dimension.
    """

    id: int
    op: str
    operands: tuple[int, ...] = ()
    dtype: str = "float32"
    name: str | None = None
    value: float | None = None
    scalar: bool = False
    transposed: tuple[bool, bool] = (False, False)
    axis: int | str | None = None
    text: str | None = None
    element: int | None = None

    @property
    def subscript(self) -> str:
        """``[element]`` if it is an element of a list attribute; otherwise empty."""
        return "" if self.element is None else f"[{self.element}]"


@dataclass(frozen=True)
class Output:
    """A named result and its node, of dtype ``storage``.

    ``row``: it has one element for each row: the reduced dimensions are ``kept`` with extent 1, or ``dropped``; or it
    is ``one`` element, made of all rows. Other results have the broadcast shape of all inputs.
    ``summed``: it is the sum of the node over all rows, computed in the node's compute dtype: one element for each
    element of a row.
    """

    name: str
    node: int
    row: RowDimension | None = None
    summed: bool = False


@dataclass(frozen=True)
class Graph:
    """Nodes in topological order, and the outputs in declaration order. ``axes`` is what reductions are over.

    The elements that are reduced to one are a *row*, whatever their dimensions. The inputs ``unsqueezed`` have one
    element for each row and not the last dimension, which is reduced: their nodes have extent 1 there.
    """

    nodes: tuple[Node, ...]
    outputs: tuple[Output, ...]
    axes: Axes = LAST
    unsqueezed: frozenset[str] = frozenset()

    def __getitem__(self, node: int) -> Node:
        return self.nodes[node]

    @property
    def inputs(self) -> tuple[str, ...]:
        """The names of the tensors that it reads, in order of first use."""
        return tuple(n.name for n in self.nodes if n.op == "input" and n.name is not None)

    @property
    def attrs(self) -> frozenset[str]:
        """The names of the attributes that it reads, also for a dimension."""
        return frozenset((self.dim, *(n.name or "" for n in self.nodes if n.op in ("attr", "says"))))

    @property
    def whole_attrs(self) -> tuple[str, ...]:
        """The attributes, and the elements of lists, used in int32 arithmetic."""
        return tuple(f"{n.name}{n.subscript}" for n in self.nodes if n.op == "attr" and n.dtype == "int32")

    @property
    def list_lengths(self) -> Mapping[str, int]:
        """The list attributes that it reads, and how many elements each must have."""
        return dict(sorted((n.name or "", n.element + 1) for n in self.nodes if n.element is not None))

    @property
    def dim(self) -> str:
        """The dimension that it reduces or measures, if only a call knows it, as ``Axes.dim``; otherwise empty."""
        return self.axes.dim or next((node.axis for node in self.nodes if isinstance(node.axis, str)), "")

    @property
    def reductions(self) -> tuple[Node, ...]:
        """The reductions, in order; empty for an elementwise op."""
        return tuple(n for n in self.nodes if n.op in REDUCTIONS)

    @property
    def totals(self) -> tuple[Node, ...]:
        """The values reduced to one element of all rows, in order."""
        return tuple(n for n in self.nodes if n.op in TOTALS)

    @property
    def sums(self) -> tuple[Output, ...]:
        """The results that are sums over all rows, in order."""
        return tuple(output for output in self.outputs if output.summed)

    @property
    def products(self) -> tuple[Node, ...]:
        """The matrix products, in order; empty for an elementwise op."""
        return tuple(n for n in self.nodes if n.op == "matmul")
