"""The kernel IR: a typed expression graph. It knows mathematics and dtypes, no SoC, no C++.

Every node's value is computed in ``dtype``; loads are followed by an explicit cast from the tensor's own dtype, and
outputs are preceded by an explicit cast back, so that what the kernel rounds, and where, can be read here.
"""

from __future__ import annotations

from opforge.frozen import dataclass

# Elementwise operators with tensor operands, by arity. Each has a meaning (ir.evaluate), a derivative
# (ir.differentiate), a spelling (render) and a test; tests/test_house_rules.py holds the four tables together.
UNARY = (
    *("neg", "abs", "sign", "exp", "log", "sqrt", "rsqrt", "reciprocal", "tanh", "erf"),
    *("relu", "sigmoid", "silu", "gelu", "gelu_tanh"),
)
BINARY = ("add", "sub", "mul", "div", "min", "max", "pow", "leaky_relu")
COMPARE = ("ge", "gt", "le", "lt", "eq", "ne")  # give 0.0 or 1.0 in float32
TERNARY = ("where",)  # the first operand is a tensor of 0.0 and 1.0
OPERATORS = (*UNARY, *BINARY, *COMPARE, *TERNARY)
INTEGER = ("neg", "add", "sub", "mul", "min", "max")  # those that compute in int32 as well, all operands alike


@dataclass(frozen=True)
class Node:
    """One value of the graph. ``id`` is its place in ``Graph.nodes``; operands always come before.

    ``op`` is ``input`` (``name`` set), ``attr`` (scalar attribute, ``name`` set), ``const`` (``value`` set),
    ``cast`` (to ``dtype``), ``matmul``, ``given_or``, or one of OPERATORS. ``dtype`` is ``float32``, ``int32`` or
    ``storage``: the dtype of the tensor's own column, which the kernel has as a template parameter. ``scalar`` says
    that the value is one number for the whole call (attributes, literals and what is computed of them alone), not a
    tensor.

    A cast rounds as torch's ``.to()``: between floats to nearest even, from float32 to an integer toward zero. An input
    of dtype bool is cast to float32 as 0.0 or 1.0; what is cast to bool storage is 0.0 or 1.0.

    ``matmul`` is a product of two inputs as stored, accumulated in float32: the cube reads 16-bit types itself, so its
    operands are ``input`` nodes and not their casts. Leading dimensions of the first are rows. ``transposed`` says
    which operands are used with their last two dimensions exchanged, and ``name`` is the product's own name.
    ``given_or`` is its operand, an optional input's cast, or the number ``value`` where the input is not given.
    """

    id: int
    op: str
    operands: tuple[int, ...] = ()
    dtype: str = "float32"
    name: str | None = None
    value: float | None = None
    scalar: bool = False
    transposed: tuple[bool, bool] = (False, False)


@dataclass(frozen=True)
class Output:
    """A named result: the node that gives it (in ``storage`` dtype)."""

    name: str
    node: int


@dataclass(frozen=True)
class Graph:
    """Nodes in topological order, and the outputs in declaration order."""

    nodes: tuple[Node, ...]
    outputs: tuple[Output, ...]

    def __getitem__(self, node: int) -> Node:
        return self.nodes[node]

    @property
    def inputs(self) -> tuple[str, ...]:
        """Names of the tensors it reads, in order of first use."""
        return tuple(n.name for n in self.nodes if n.op == "input" and n.name is not None)

    @property
    def whole_attrs(self) -> tuple[str, ...]:
        """The attributes that are computed with in int32."""
        names = (n.name for n in self.nodes if n.op == "attr" and n.dtype == "int32" and n.name is not None)
        return tuple(dict.fromkeys(names))

    @property
    def products(self) -> tuple[Node, ...]:
        """The matrix products, in order; an op without any is elementwise."""
        return tuple(n for n in self.nodes if n.op == "matmul")
