"""Writes the kernel IR as torch source: a table for tensors, a table for scalars, and the writer.

The golden reference and the backward use the same text. Floats are computed in float32, or in float64 for float64
inputs. Comparisons and bool inputs are tensors of bool until a number is needed.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping
from types import MappingProxyType

from opforge.errors import InternalError
from opforge.frozen import dataclass
from opforge.ir.graph import COMPARE, MEASURES, Graph, Node
from opforge.ir.legality import COMPUTE, STORAGE, WHOLE
from opforge.render.torch.integer_spelling import OF_INTEGERS, of_integers
from opforge.render.torch.row_spelling import extent, numbers, reduction, row_count
from opforge.render.torch.statements import Statements
from opforge.spec.language import REDUCTIONS, TOTALS

# How tightly Python binds an expression: 0 comparison, 1 sum, 2 product, 3 sign, 4 call or name.
ATOM = 4


@dataclass(frozen=True)
class Spelling:
    """``form`` has {0} and {1} for operands. ``binding`` is the result's; ``operands`` are the required ones."""

    form: str
    binding: int = ATOM
    operands: tuple[int, ...] = (0, 0)


_CURVES = ("sinh", "cosh", "asinh", "acosh", "atanh", "asin", "acos", "atan", "erfc", "erfinv", "logit")
TENSOR: Mapping[str, Spelling] = {
    **{name: Spelling(f"torch.{name}({{0}})") for name in _CURVES},
    "neg": Spelling("-{0}", 3, (3,)),
    "abs": Spelling("torch.abs({0})"),
    "exp": Spelling("torch.exp({0})"),
    "silu": Spelling("torch.nn.functional.silu({0})"),
    "sigmoid": Spelling("torch.sigmoid({0})"),
    "sign": Spelling("torch.sign({0})"),
    "relu": Spelling("torch.relu({0})"),
    "log": Spelling("torch.log({0})"),
    "sqrt": Spelling("torch.sqrt({0})"),
    "rsqrt": Spelling("torch.rsqrt({0})"),
    "reciprocal": Spelling("torch.reciprocal({0})"),
    "tanh": Spelling("torch.tanh({0})"),
    "erf": Spelling("torch.erf({0})"),
    # torch.nn.functional.gelu returns NaN for infinities in float32 on the CPU. Below -100, GELU is 0.
    "gelu": Spelling("torch.clamp({0}, min=-100.0) * 0.5 * (1.0 + torch.erf({0} * 0.7071067811865476))", 2, (2,)),
    "detach": Spelling("{0}.detach()", ATOM, (ATOM,)),
    "gelu_tanh": Spelling('torch.nn.functional.gelu({0}, approximate="tanh")'),
    "log1p": Spelling("torch.log1p({0})"),
    "expm1": Spelling("torch.expm1({0})"),
    "log2": Spelling("torch.log2({0})"),
    "exp2": Spelling("torch.exp2({0})"),
    "sin": Spelling("torch.sin({0})"),
    "cos": Spelling("torch.cos({0})"),
    "floor": Spelling("torch.floor({0})"),
    "ceil": Spelling("torch.ceil({0})"),
    "trunc": Spelling("torch.trunc({0})"),
    "round": Spelling("torch.round({0})"),
    "add": Spelling("{0} + {1}", 1, (1, 2)),
    "sub": Spelling("{0} - {1}", 1, (1, 2)),
    "mul": Spelling("{0} * {1}", 2, (2, 3)),
    "div": Spelling("{0} / {1}", 2, (2, 3)),
    "min": Spelling("torch.minimum({0}, {1})"),
    "max": Spelling("torch.maximum({0}, {1})"),
    "pow": Spelling("torch.pow({0}, {1})"),
    "atan2": Spelling("torch.atan2({0}, {1})"),
    "fmod": Spelling("torch.fmod({0}, {1})"),
    "leaky_relu": Spelling("torch.where({0} > 0, {0}, {0} * {1})", ATOM, (3, 3)),
    "ge": Spelling("{0} >= {1}", 0, (1, 1)),
    "gt": Spelling("{0} > {1}", 0, (1, 1)),
    "le": Spelling("{0} <= {1}", 0, (1, 1)),
    "lt": Spelling("{0} < {1}", 0, (1, 1)),
    "eq": Spelling("{0} == {1}", 0, (1, 1)),
    "ne": Spelling("{0} != {1}", 0, (1, 1)),
    "where": Spelling("torch.where({0}, {1}, {2})", ATOM, (0, 0, 0)),
}

# Spellings for one operand that is a number: torch.minimum takes only tensors. {0} is the tensor, {1} the number.
WITH_NUMBER: Mapping[str, Spelling] = {
    "min": Spelling("torch.clamp({0}, max={1})"),
    "max": Spelling("torch.clamp({0}, min={1})"),
    "leaky_relu": Spelling("torch.nn.functional.leaky_relu({0}, {1})"),
}

# Spellings for a first operand that is a number: torch takes none there.
NUMBER_FIRST: Mapping[str, Spelling] = {
    name: Spelling(f"torch.{name}(torch.full_like({{1}}, {{0}}), {{1}})") for name in ("atan2", "fmod")
}

# `x != x`: linters refuse it.
IS_NAN = Spelling("torch.isnan({0})")

# Spellings for operands that are all numbers. The package's _scalars.py has the operators that raise in Python (1 / 0).
SCALAR: Mapping[str, Spelling] = {
    **{name: Spelling(f"_scalars.{name}({{0}})") for name in _CURVES},
    "neg": TENSOR["neg"],
    "abs": Spelling("_scalars.absolute({0})"),
    "exp": Spelling("_scalars.exp({0})"),
    "silu": Spelling("_scalars.silu({0})"),
    "sigmoid": Spelling("_scalars.sigmoid({0})"),
    "sign": Spelling("_scalars.sign({0})"),
    "relu": Spelling("_scalars.maximum({0}, 0.0)"),
    "log": Spelling("_scalars.log({0})"),
    "sqrt": Spelling("_scalars.root({0})"),
    "rsqrt": Spelling("_scalars.divide(1.0, _scalars.root({0}))"),
    "reciprocal": Spelling("_scalars.divide(1.0, {0})"),
    "tanh": Spelling("_scalars.tanh({0})"),
    "erf": Spelling("_scalars.erf({0})"),
    "gelu": Spelling("_scalars.gelu({0})"),
    "detach": Spelling("{0}"),
    "gelu_tanh": Spelling("_scalars.gelu_tanh({0})"),
    "log1p": Spelling("_scalars.log1p({0})"),
    "expm1": Spelling("_scalars.expm1({0})"),
    "log2": Spelling("_scalars.log2({0})"),
    "exp2": Spelling("_scalars.exp2({0})"),
    "sin": Spelling("_scalars.sin({0})"),
    "cos": Spelling("_scalars.cos({0})"),
    "floor": Spelling("_scalars.floor({0})"),
    "ceil": Spelling("_scalars.ceil({0})"),
    "trunc": Spelling("_scalars.trunc({0})"),
    "round": Spelling("_scalars.round({0})"),
    "add": TENSOR["add"],
    "sub": TENSOR["sub"],
    "mul": TENSOR["mul"],
    "div": Spelling("_scalars.divide({0}, {1})"),
    "min": Spelling("_scalars.minimum({0}, {1})"),
    "max": Spelling("_scalars.maximum({0}, {1})"),
    "pow": Spelling("_scalars.power({0}, {1})"),
    "atan2": Spelling("_scalars.atan2({0}, {1})"),
    "fmod": Spelling("_scalars.fmod({0}, {1})"),
    "leaky_relu": Spelling("_scalars.leaky_relu({0}, {1})"),
    "ge": Spelling("float({0} >= {1})", ATOM, (1, 1)),
    "gt": Spelling("float({0} > {1})", ATOM, (1, 1)),
    "le": Spelling("float({0} <= {1})", ATOM, (1, 1)),
    "lt": Spelling("float({0} < {1})", ATOM, (1, 1)),
    "eq": Spelling("float({0} == {1})", ATOM, (1, 1)),
    "ne": Spelling("float({0} != {1})", ATOM, (1, 1)),
    "where": Spelling("({1} if {0} else {2})", ATOM, (0, 1, 0)),
}

# Expressions longer than this become local variables. So does the longest operand of an expression that would be longer
# than a line.
LONGEST_INLINE = 60
LONGEST_LINE = 90


@dataclass(frozen=True)
class Expression:
    """The source of one value, and how tightly it binds."""

    text: str
    binding: int = ATOM

    def within(self, least: int) -> str:
        """The text as an operand that must bind at least this tightly."""
        return self.text if self.binding >= least else f"({self.text})"


class Names:
    """Names for generated local variables. They differ from all names of the user."""

    def __init__(self, taken: Iterable[str]) -> None:
        self._taken = set(taken)

    def new(self, wanted: str) -> str:
        """Reserves and returns ``wanted``, with underscores appended until it is free."""
        name = wanted
        while name in self._taken:
            name += "_"
        self._taken.add(name)
        return name


class Writer:
    """Writes the values of a graph as torch statements. Values used twice and long values become local variables.

    ``names`` maps each input (already widened) and attribute to its Python name. ``given`` maps a given_or node to the
    name of the optional input or its replacement. ``masks`` are the inputs that are tensors of bool. ``like`` maps
    ``x.dtype`` to the name of the dtype that x had before it was loaded.
    """

    def __init__(
        self,
        graph: Graph,
        names: Mapping[str, str],
        local: Names,
        wide: str,
        given: Mapping[int, str] | None = None,
        *,
        masks: frozenset[str] = frozenset(),
        like: Mapping[str, str] = MappingProxyType({}),
    ) -> None:
        self._graph = graph
        self._like = like
        self._names = names
        self._given = given or {}
        self._masks = masks
        self._local = local
        self._wide = wide
        self._known: dict[int, Expression] = {}
        self._uses = Counter(operand for node in graph.nodes for operand in node.operands)
        self._uses.update(result_of(graph, output.node) for output in graph.outputs)
        self.uses_scalars = False

    def value(self, node: int, body: Statements) -> Expression:
        """The expression of a node; assignments it needs are appended to ``body``."""
        todo = [node]
        while todo:
            ready = True
            if todo[-1] not in self._known:
                waiting = [i for i in self._graph[todo[-1]].operands if i not in self._known]
                todo += waiting[:1]
                ready = not waiting
            if ready:
                self._settle(todo.pop(), body)
        return self._known[node]

    def _settle(self, node: int, body: Statements) -> None:
        """The expression of a node whose operands have theirs."""
        if node in self._known:
            return
        expression = self._spell(self._graph[node], body)
        self._known[node] = expression
        if self._uses[node] > 1 or len(expression.text) > LONGEST_INLINE:
            self._named(node, body)

    def _named(self, node: int, body: Statements) -> Expression:
        """The value of a node that was spelled, as a local variable where it is more than a name or number."""
        expression = self._known[node]
        if self._graph[node].op not in ("input", "attr", "const") and not expression.text.isidentifier():
            name = self._local.new(f"t{node}")
            body.assign(name, expression.text)
            self._known[node] = Expression(name)
        return self._known[node]

    def assign(self, node: int, name: str, body: Statements, form: str = "{0}") -> None:
        """Append ``name = <the value of node>``, wrapped into ``form``; from here on the value has this name."""
        for operand in self._graph[node].operands if node not in self._known else ():
            self.value(operand, body)
        if form != "{0}" and self._uses[node] > 2:  # more than by its output: it is read without the form
            self.value(node, body)
        expression = self._known.get(node) or self._spell(self._graph[node], body)
        body.assign(name, form.format(expression.text))
        if form == "{0}":
            self._known[node] = Expression(name)

    def reached(self, root: int, *, rows: bool = True) -> frozenset[int]:
        """Every node that the value of ``root`` needs, including ``root``.

        Inputs whose sizes alone it needs are left out, and without ``rows`` what reductions read: the value has not
        their shape.
        """
        seen: set[int] = set()
        todo = [root]
        while todo:
            node = todo.pop()
            if node not in seen:
                seen.add(node)
                if self._graph[node].op not in MEASURES and (rows or self._graph[node].op not in REDUCTIONS):
                    todo.extend(self._graph[node].operands)
        return frozenset(seen)

    def _spell(self, node: Node, body: Statements) -> Expression:
        if node.op in ("input", "attr", "says"):
            name = self._names[node.name or ""]
            said = f"float({name} == {json.dumps(node.text)})"
            return Expression(f"{name}{node.subscript}" if node.text is None else said)
        if node.op == "const":
            text = number(node.value) if node.dtype == COMPUTE else f"{node.value:.0f}"
            return Expression(text, 3 if text.startswith("-") else ATOM)
        if node.op == "given_or":
            return Expression(self._given[node.id])
        if node.op in MEASURES:
            return self._measure(node)
        if node.op == "cast":
            return self._cast(node)
        operands = [self._number(i) for i in node.operands]
        if node.op == "where":
            operands[0] = self._condition(node.operands[0])
        if sum(len(operand.text) for operand in operands) > LONGEST_LINE:
            longest = max(range(len(operands)), key=lambda i: len(operands[i].text))
            self._named(node.operands[longest], body)
            wanted = self._condition if node.op == "where" and longest == 0 else self._number
            operands[longest] = wanted(node.operands[longest])
        if node.op == "matmul":
            left, right = (operand.text for operand in operands)
            return Expression(product(left, right, node.transposed), 2)
        if node.op == "where" and not node.scalar and all(self._graph[i].scalar for i in node.operands[1:]):
            self._named(node.operands[0], body)
            operands[0] = self._condition(node.operands[0])
            mask = operands[0].within(ATOM)
            operands[1] = Expression(f"{mask}.new_full((), {operands[1].text}, dtype={self._wide})")
        spelling, order = self._choose(node)
        self.uses_scalars |= "_scalars." in spelling.form
        texts = [operands[i].within(least) for i, least in zip(order, spelling.operands, strict=False)]
        return Expression(spelling.form.format(*texts), spelling.binding)

    def _measure(self, node: Node) -> Expression:
        name = self._names[self._graph[node.operands[0]].name or ""]
        if node.op == "arange":
            return Expression(numbers(name, self._graph.axes.named(self._names), self._wide))
        if node.op == "rows":
            return Expression(row_count(name, self._graph.axes))
        axis = self._names.get(node.axis, node.axis) if isinstance(node.axis, str) else node.axis
        return Expression(f"{name}.numel()" if axis is None else extent(name, axis))

    def _is_mask(self, place: int) -> bool:
        """Whether a value is a tensor of bool."""
        node = self._graph[place]
        if node.op == "cast":
            source = self._graph[node.operands[0]]
            return source.op == "input" and source.name in self._masks
        return node.op in COMPARE and not node.scalar

    def _number(self, place: int) -> Expression:
        """A spelled value as a number."""
        known = self._known[place]
        return Expression(f"{known.within(ATOM)}.to({self._wide})") if self._is_mask(place) else known

    def _condition(self, place: int) -> Expression:
        """A spelled value as a tensor of bool."""
        known = self._known[place]
        return known if self._is_mask(place) else Expression(f"{known.within(1)} != 0", 0)

    def _cast(self, node: Node) -> Expression:
        source = self._graph[node.operands[0]]
        if source.op == "input":
            return self._known[source.id]  # inputs are already widened
        if node.dtype == STORAGE:
            raise InternalError("a value is rounded that is not an output")
        dtype = self._wide if node.dtype == COMPUTE else f"torch.{node.dtype}"
        operand = self._known[source.id]
        if node.text is not None:
            narrow = self._like.get(node.text, f"torch.{node.text}")
            operand = Expression(f"{operand.within(ATOM)}.to({narrow})")
        return Expression(f"{operand.within(ATOM)}.to({dtype})")

    def _choose(self, node: Node) -> tuple[Spelling, tuple[int, ...]]:
        order = tuple(range(len(node.operands)))
        scalar = [self._graph[i].scalar for i in node.operands]
        table = SCALAR if all(scalar) else TENSOR
        if node.dtype == WHOLE and node.op in OF_INTEGERS and not all(scalar):
            return Spelling(*of_integers(node.op, scalar)), order
        if node.op == "ne" and len(set(node.operands)) == 1 and not node.scalar:
            return IS_NAN, order
        if node.op in REDUCTIONS:
            module = "torch" if node.op in ("sum", "prod") else "_rows"
            return Spelling(reduction(node.op, self._graph.axes.named(self._names), module)), order
        if node.op in TOTALS:
            return Spelling(reduction(node.op, self._graph.axes, "torch")), order
        if any(scalar) and not all(scalar) and node.op in WITH_NUMBER:
            return WITH_NUMBER[node.op], order if scalar[1] else order[::-1]
        if scalar[0] and not all(scalar) and node.op in NUMBER_FIRST:
            return NUMBER_FIRST[node.op], order
        if node.op not in table:
            raise InternalError(f"no torch spelling of {node.op}")
        return table[node.op], order


def product(left: str, right: str, transposed: tuple[bool, bool] = (False, False)) -> str:
    """The matrix product of two names."""
    return f"{left}{'.T' if transposed[0] else ''} @ {right}{'.T' if transposed[1] else ''}"


def result_of(graph: Graph, node: int) -> int:
    """The node whose value is rounded to an output's dtype: the operand of the last cast, or else the node itself."""
    last = graph[node]
    return last.operands[0] if last.op == "cast" and last.dtype == "storage" else node


def number(value: float | None) -> str:
    """A literal in Python; infinities and NaN by name."""
    if value is None:
        raise InternalError("a constant without a value")
    if value != value:  # noqa: PLR0124  (not a number)
        return 'float("nan")'
    if value in (float("inf"), float("-inf")):
        return f'{"-" if value < 0 else ""}float("inf")'
    return repr(float(value)).replace("e+", "e")
