"""How torch source spells the kernel IR: one table for tensors, one for scalars, and the writer that uses them.

The same text serves the golden reference and the backward. Tensors are float32, or float64 where float64 is given.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from opforge.errors import InternalError
from opforge.ir.graph import Graph, Node

# How tightly Python binds an expression: 0 comparison, 1 sum, 2 product, 3 sign, 4 call or name.
ATOM = 4


@dataclass(frozen=True)
class Spelling:
    """``form`` with {0} and {1} for the operands; how tightly the result binds, and what each operand must at least."""

    form: str
    binding: int = ATOM
    operands: tuple[int, ...] = (0, 0)


# {wide} is the name of the dtype that values are computed in.
TENSOR: Mapping[str, Spelling] = {
    "neg": Spelling("-{0}", 3, (3,)),
    "abs": Spelling("torch.abs({0})"),
    "exp": Spelling("torch.exp({0})"),
    "silu": Spelling("torch.nn.functional.silu({0})"),
    "sigmoid": Spelling("torch.sigmoid({0})"),
    "sign": Spelling("torch.sign({0})"),
    "relu": Spelling("torch.relu({0})"),
    "gelu_tanh": Spelling('torch.nn.functional.gelu({0}, approximate="tanh")'),
    "add": Spelling("{0} + {1}", 1, (1, 2)),
    "sub": Spelling("{0} - {1}", 1, (1, 2)),
    "mul": Spelling("{0} * {1}", 2, (2, 3)),
    "div": Spelling("{0} / {1}", 2, (2, 3)),
    "min": Spelling("torch.minimum({0}, {1})"),
    "max": Spelling("torch.maximum({0}, {1})"),
    "leaky_relu": Spelling("torch.where({0} > 0, {0}, {0} * {1})", ATOM, (3, 3)),
    "ge": Spelling("({0} >= {1}).to({wide})", ATOM, (1, 1)),
    "gt": Spelling("({0} > {1}).to({wide})", ATOM, (1, 1)),
    "le": Spelling("({0} <= {1}).to({wide})", ATOM, (1, 1)),
    "lt": Spelling("({0} < {1}).to({wide})", ATOM, (1, 1)),
    "eq": Spelling("({0} == {1}).to({wide})", ATOM, (1, 1)),
}

# Where one operand is a number: torch.minimum takes tensors only. {0} is the tensor, {1} the number.
WITH_NUMBER: Mapping[str, Spelling] = {
    "min": Spelling("torch.clamp({0}, max={1})"),
    "max": Spelling("torch.clamp({0}, min={1})"),
    "leaky_relu": Spelling("torch.nn.functional.leaky_relu({0}, {1})"),
}

# Both operands are numbers. What Python's own operators would refuse (1 / 0) is in the package's _scalars.py.
SCALAR: Mapping[str, Spelling] = {
    "neg": TENSOR["neg"],
    "abs": Spelling("_scalars.absolute({0})"),
    "exp": Spelling("_scalars.exp({0})"),
    "silu": Spelling("_scalars.silu({0})"),
    "sigmoid": Spelling("_scalars.sigmoid({0})"),
    "sign": Spelling("_scalars.sign({0})"),
    "relu": Spelling("_scalars.maximum({0}, 0.0)"),
    "gelu_tanh": Spelling("_scalars.gelu_tanh({0})"),
    "add": TENSOR["add"],
    "sub": TENSOR["sub"],
    "mul": TENSOR["mul"],
    "div": Spelling("_scalars.divide({0}, {1})"),
    "min": Spelling("_scalars.minimum({0}, {1})"),
    "max": Spelling("_scalars.maximum({0}, {1})"),
    "leaky_relu": Spelling("_scalars.leaky_relu({0}, {1})"),
    "ge": Spelling("float({0} >= {1})", ATOM, (1, 1)),
    "gt": Spelling("float({0} > {1})", ATOM, (1, 1)),
    "le": Spelling("float({0} <= {1})", ATOM, (1, 1)),
    "lt": Spelling("float({0} < {1})", ATOM, (1, 1)),
    "eq": Spelling("float({0} == {1})", ATOM, (1, 1)),
}

# An expression longer than this gets a local variable instead of standing inside another one, and so does the longest
# operand of one that would be longer than a line.
LONGEST_INLINE = 60
LONGEST_LINE = 90


@dataclass(frozen=True)
class Expression:
    """Source of one value, and how tightly it binds."""

    text: str
    binding: int = ATOM

    def within(self, least: int) -> str:
        """The text as an operand of something that wants at least this binding."""
        return self.text if self.binding >= least else f"({self.text})"


class Names:
    """Names for generated local variables that meet nothing of the user's."""

    def __init__(self, taken: Iterable[str]) -> None:
        self._taken = set(taken)

    def new(self, wanted: str) -> str:
        """``wanted``, with underscores behind it until it is free; now taken."""
        name = wanted
        while name in self._taken:
            name += "_"
        self._taken.add(name)
        return name


class Writer:
    """Writes the values of a graph as torch statements. Values used twice, and long ones, become local variables.

    ``names`` gives the Python name of each input, already widened, and of each attribute; ``given`` the name of each
    optional input, or the number in its stead, by the node that says so.
    """

    def __init__(
        self,
        graph: Graph,
        names: Mapping[str, str],
        local: Names,
        wide: str,
        given: Mapping[int, str] | None = None,
    ) -> None:
        self._graph = graph
        self._names = names
        self._given = given or {}
        self._local = local
        self._wide = wide
        self._known: dict[int, Expression] = {}
        self._uses = Counter(operand for node in graph.nodes for operand in node.operands)
        self._uses.update(result_of(graph, output.node) for output in graph.outputs)
        self.uses_scalars = False

    def value(self, node: int, lines: list[str]) -> Expression:
        """The expression of a node; assignments it needs are appended to ``lines``."""
        known = self._known.get(node)
        if known is not None:
            return known
        expression = self._spell(self._graph[node], lines)
        self._known[node] = expression
        if self._uses[node] > 1 or len(expression.text) > LONGEST_INLINE:
            return self._named(node, lines)
        return expression

    def _named(self, node: int, lines: list[str]) -> Expression:
        """The value of a node that was spelled, as a local variable where it is more than a name or number."""
        expression = self._known[node]
        if self._graph[node].op not in ("input", "attr", "const") and not expression.text.isidentifier():
            name = self._local.new(f"t{node}")
            lines.append(f"{name} = {expression.text}")
            self._known[node] = Expression(name)
        return self._known[node]

    def assign(self, node: int, name: str, lines: list[str], form: str = "{0}") -> None:
        """Append ``name = <the value of node>``, wrapped into ``form``; from here on the value has this name."""
        expression = self._known.get(node) or self._spell(self._graph[node], lines)
        lines.append(f"{name} = {form.format(expression.text)}")
        if form == "{0}":
            self._known[node] = Expression(name)

    def reached(self, root: int) -> frozenset[int]:
        """Every node that the value of ``root`` needs, itself included."""
        seen: set[int] = set()
        todo = [root]
        while todo:
            node = todo.pop()
            if node not in seen:
                seen.add(node)
                todo.extend(self._graph[node].operands)
        return frozenset(seen)

    def _spell(self, node: Node, lines: list[str]) -> Expression:
        if node.op in ("input", "attr"):
            return Expression(self._names[node.name or ""])
        if node.op == "const":
            text = number(node.value)
            return Expression(text, 3 if text.startswith("-") else ATOM)
        if node.op == "given_or":
            return Expression(self._given[node.id])
        operands = [self.value(i, lines) for i in node.operands]
        if sum(len(operand.text) for operand in operands) > LONGEST_LINE:
            longest = max(range(len(operands)), key=lambda i: len(operands[i].text))
            operands[longest] = self._named(node.operands[longest], lines)
        if node.op == "cast":
            return self._cast(node, operands[0])
        if node.op == "matmul":
            left, right = (operand.text for operand in operands)
            return Expression(product(left, right, node.transposed), 2)
        spelling, order = self._choose(node)
        self.uses_scalars |= "_scalars." in spelling.form
        texts = [operands[i].within(least) for i, least in zip(order, spelling.operands, strict=False)]
        return Expression(spelling.form.format(*texts, wide=self._wide), spelling.binding)

    def _cast(self, node: Node, operand: Expression) -> Expression:
        source = self._graph[node.operands[0]]
        if node.dtype != "storage" and source.dtype == "storage" and source.op == "input":
            return operand  # inputs are widened where they come in
        if node.scalar:
            return operand  # Python has one float
        if node.dtype == "storage":
            raise InternalError("a value is rounded, and it is no output")
        return Expression(f"{operand.within(ATOM)}.to({self._wide})")

    def _choose(self, node: Node) -> tuple[Spelling, tuple[int, ...]]:
        order = tuple(range(len(node.operands)))
        scalar = [self._graph[i].scalar for i in node.operands]
        table = SCALAR if all(scalar) else TENSOR
        if any(scalar) and not all(scalar) and node.op in WITH_NUMBER:
            return WITH_NUMBER[node.op], order if scalar[1] else order[::-1]
        if node.op not in table:
            raise InternalError(f"no torch spelling of {node.op}")
        return table[node.op], order


def product(left: str, right: str, transposed: tuple[bool, bool] = (False, False)) -> str:
    """The matrix product of two names."""
    return f"{left}{'.T' if transposed[0] else ''} @ {right}{'.T' if transposed[1] else ''}"


def result_of(graph: Graph, node: int) -> int:
    """The node whose value is rounded to an output's dtype: the operand of the last cast, if there is one."""
    last = graph[node]
    return last.operands[0] if last.op == "cast" and last.dtype == "storage" else node


def number(value: float | None) -> str:
    """A literal as Python writes it; infinities and not-a-number by name."""
    if value is None:
        raise InternalError("a constant without a value")
    if value != value:  # noqa: PLR0124  (not a number)
        return 'float("nan")'
    if value in (float("inf"), float("-inf")):
        return f'{"-" if value < 0 else ""}float("inf")'
    return repr(float(value))
