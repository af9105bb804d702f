"""Writes the kernel IR as calls of ATen in C++, one variable for each value that is long or is used twice.

A value is a tensor, or a number of type double or int64_t. Comparisons of tensors are tensors of bool until a number is
needed, and those of numbers are bool.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from opforge.errors import InternalError
from opforge.ir.graph import COMPARE, MEASURES, Graph, Node
from opforge.ir.legality import COMPUTE, STORAGE, WHOLE
from opforge.program import Variable
from opforge.render.ascendc.instruction_spelling import string_literal
from opforge.render.torch.adapter import SCALAR_TYPES
from opforge.render.torch.spelling import ATOM, LONGEST_INLINE, Expression, Names, Spelling, result_of
from opforge.spec.axes import Axes
from opforge.spec.language import REDUCTIONS, TOTALS

# Functions of ATen that have the operator's name and take its operands.
_SAME = (
    *("abs", "sign", "exp", "log", "sqrt", "rsqrt", "reciprocal", "tanh", "erf", "relu", "sigmoid", "silu"),
    *("log1p", "expm1", "log2", "exp2", "sin", "cos", "floor", "ceil", "trunc", "round"),
    *("sinh", "cosh", "asinh", "acosh", "atanh", "asin", "acos", "atan", "erfc", "erfinv", "logit"),
)
# Bindings are those of spelling.TENSOR. C++ reads two signs as one operator, so the operand of a sign is an atom.
CPP_TENSOR: Mapping[str, Spelling] = {
    **{name: Spelling(f"at::{name}({{0}})") for name in _SAME},
    **{name: Spelling(f"at::{name}({{0}}, {{1}})") for name in ("pow", "atan2", "fmod")},
    "neg": Spelling("-{0}", 3, (ATOM,)),
    # As in torch: at::gelu returns NaN for infinities in float32 on the CPU.
    "gelu": Spelling("at::clamp_min({0}, -100.0) * 0.5 * (1.0 + at::erf({0} * 0.7071067811865476))", 2, (2,)),
    "gelu_tanh": Spelling('at::gelu({0}, "tanh")'),
    "detach": Spelling("{0}.detach()", ATOM, (ATOM,)),
    "add": Spelling("{0} + {1}", 1, (1, 2)),
    "sub": Spelling("{0} - {1}", 1, (1, 2)),
    "mul": Spelling("{0} * {1}", 2, (2, 3)),
    "div": Spelling("{0} / {1}", 2, (2, 3)),
    "min": Spelling("at::minimum({0}, {1})"),
    "max": Spelling("at::maximum({0}, {1})"),
    "leaky_relu": Spelling("at::where({0} > 0, {0}, {0} * {1})", ATOM, (3, 3)),
    "ge": Spelling("{0} >= {1}", 0, (1, 1)),
    "gt": Spelling("{0} > {1}", 0, (1, 1)),
    "le": Spelling("{0} <= {1}", 0, (1, 1)),
    "lt": Spelling("{0} < {1}", 0, (1, 1)),
    "eq": Spelling("{0} == {1}", 0, (1, 1)),
    "ne": Spelling("{0} != {1}", 0, (1, 1)),
    "where": Spelling("at::where({0}, {1}, {2})"),
}
# Operators of C++ that numbers have, too.
_OPERATORS = ("neg", "add", "sub", "mul", *COMPARE)
# {0} is a tensor, {1} a number.
_WITH_NUMBER: Mapping[str, Spelling] = {
    "min": Spelling("at::clamp_max({0}, {1})"),
    "max": Spelling("at::clamp_min({0}, {1})"),
    "leaky_relu": Spelling("at::leaky_relu({0}, {1})"),
}
# ATen takes no number there: the operators and the positions.
_TENSORS_ONLY = {"atan2": (0, 1), "fmod": (0,)}
# Functions of custom_op_support.h.
_EXTREMES = {"amax": "largest", "max_first": "largest", "amin": "smallest", "min_first": "smallest"}


class CppWriter:
    """Writes the values of a graph in its order.

    ``names`` maps each input, of the dtype that it is computed in, and each attribute to its C++ expression.
    ``measured`` maps inputs to the tensors whose sizes count, and ``masks`` are the inputs of bool. ``wide`` is the
    variable with the dtype of floats.
    """

    def __init__(
        self,
        graph: Graph,
        names: Mapping[str, str],
        measured: Mapping[str, str],
        *,
        local: Names,
        wide: str,
        masks: frozenset[str],
    ) -> None:
        self._graph = graph
        self._names = names
        self._measured = measured
        self._local = local
        self._wide = wide
        self._masks = masks
        self._known: dict[int, Expression] = {}
        self._uses = Counter(operand for node in graph.nodes for operand in node.operands)
        # A choice between two numbers needs a tensor that has the device: a variable, since it is read twice.
        self._uses.update(node.operands[0] for node in graph.nodes if self._fills(node))

    def write(self, results: Mapping[str, str]) -> Iterator[Variable]:
        """The variables; an output's is named ``results[output.name]``."""
        places = {output.name: result_of(self._graph, output.node) for output in self._graph.outputs}
        own = {place: results[name] for name, place in places.items() if not self._is_mask(place)}
        for node in self._graph.nodes:
            if node.op == "input" or (node.op == "cast" and node.dtype == STORAGE):
                continue
            self._known[node.id] = expression = self._spell(node)
            plain = node.op in ("attr", "const") or expression.text.isidentifier()
            if node.id in own or (not plain and (self._uses[node.id] > 1 or len(expression.text) > LONGEST_INLINE)):
                name = own.get(node.id) or self._local.new(f"t{node.id}")
                yield Variable(self._type(node), name, expression.text)
                self._known[node.id] = Expression(name)
        for name, place in places.items():
            if own.get(place) != results[name]:
                yield Variable("at::Tensor", results[name], self._number(place).text)

    def _type(self, node: Node) -> str:
        if not node.scalar:
            return "at::Tensor"
        return "int64_t" if node.op in MEASURES or node.dtype == WHOLE else "double"

    def _spell(self, node: Node) -> Expression:
        if node.op == "attr":
            return Expression(f"{self._names[node.name or '']}{node.subscript}")
        if node.op == "says":
            return Expression(f"{self._names[node.name or '']} == {string_literal(node.text or '')}", 0)
        if node.op == "const":
            text = cpp_number(node.value) if node.dtype == COMPUTE else f"{node.value:.0f}"
            return Expression(text, 3 if text.startswith("-") else ATOM)
        if node.op in MEASURES:
            return self._measure(node)
        if node.op == "given_or":
            return self._known[node.operands[0]]  # the caller's name stands for both
        if node.op == "cast":
            return self._cast(node)
        if node.scalar:
            return self._of_numbers(node)
        if node.op in REDUCTIONS:
            return Expression(_reduction(node.op, self._graph.axes, self._number(node.operands[0]).within(ATOM)))
        if node.op in TOTALS:
            return Expression(f"at::{node.op.removesuffix('_all')}({self._number(node.operands[0]).text})")
        return self._of_tensors(node)

    def _of_tensors(self, node: Node) -> Expression:
        operands = [self._number(operand) for operand in node.operands]
        numbers = [self._graph[operand].scalar for operand in node.operands]
        if node.op == "where":
            operands[0] = self._condition(node.operands[0])
            if self._fills(node):
                like = self._known[node.operands[0]].within(ATOM)
                operands[1] = Expression(f"{like}.new_full({{}}, {operands[1].text}, {self._wide})")
            return _formed(CPP_TENSOR["where"], operands)
        if node.op == "ne" and len(set(node.operands)) == 1:
            return Expression(f"at::isnan({operands[0].text})")
        if any(numbers) and node.op in _WITH_NUMBER:
            return _formed(_WITH_NUMBER[node.op], operands if numbers[1] else operands[::-1])
        for place in _TENSORS_ONLY.get(node.op, ()):
            if numbers[place]:
                operands[place] = Expression(f"at::full_like({operands[1 - place].text}, {operands[place].text})")
        return _formed(CPP_TENSOR[node.op], operands)

    def _of_numbers(self, node: Node) -> Expression:
        """A number made of numbers. ATen computes the functions: numbers and tensors then have the same values."""
        operands = [self._known[operand] for operand in node.operands]
        if node.op == "where":
            condition, one, other = operands
            if self._graph[node.operands[0]].op not in (*COMPARE, "says"):
                condition = Expression(f"{condition.within(1)} != 0", 0)
            return Expression(f"({condition.text} ? {one.text} : {other.text})")
        if node.op == "div":
            left, right = operands
            exact = left.text if left.text.endswith(".item<double>()") else f"static_cast<double>({left.text})"
            return Expression(f"{exact} / {right.within(3)}", 2)  # integers would be divided as such
        if node.op == "detach":
            return operands[0]
        if node.op in _OPERATORS:
            return _formed(CPP_TENSOR[node.op], operands)
        dtype, held = ("at::kLong", "int64_t") if node.dtype == WHOLE else ("at::kDouble", "double")
        tensors = [Expression(f"at::scalar_tensor({operand.text}, {dtype})") for operand in operands]
        return Expression(f"{_formed(CPP_TENSOR[node.op], tensors).within(ATOM)}.item<{held}>()")

    def _measure(self, node: Node) -> Expression:
        name = self._measured[self._graph[node.operands[0]].name or ""]
        if node.op == "arange":
            axes = self._graph.axes
            counted = f"at::arange({name}.size({axes.spelled()}), {name}.options().dtype({self._wide}))"
            return Expression(axes.numbered(counted, ".view({{-1{}}})"))
        if node.op == "rows":
            last = f"{name}.dim() - {-self._graph.axes.at[0]}"
            return Expression(f"c10::multiply_integers({name}.sizes().slice(0, {last}))")
        return Expression(f"{name}.numel()" if node.axis is None else f"{name}.size({node.axis})")

    def _cast(self, node: Node) -> Expression:
        source = self._graph[node.operands[0]]
        if source.op == "input":
            return Expression(self._names[source.name or ""])
        text = self._known[source.id].within(ATOM)
        if node.text is not None:
            holder, dot, _ = node.text.partition(".")
            narrow = f"{self._measured[holder]}.scalar_type()" if dot else SCALAR_TYPES[node.text]
            text = f"{text}.to({narrow})"
        return Expression(f"{text}.to({self._wide if node.dtype == COMPUTE else 'at::kInt'})")

    def _is_mask(self, place: int) -> bool:
        """Whether a value is a tensor of bool."""
        node = self._graph[place]
        if node.op == "cast":
            source = self._graph[node.operands[0]]
            return source.op == "input" and source.name in self._masks
        return node.op in COMPARE and not node.scalar

    def _number(self, place: int) -> Expression:
        known = self._known[place]
        return Expression(f"{known.within(ATOM)}.to({self._wide})") if self._is_mask(place) else known

    def _condition(self, place: int) -> Expression:
        known = self._known[place]
        return known if self._is_mask(place) else Expression(f"{known.within(1)} != 0", 0)

    def _fills(self, node: Node) -> bool:
        """Whether it chooses between two numbers for each element of a tensor."""
        return node.op == "where" and not node.scalar and all(self._graph[i].scalar for i in node.operands[1:])


def _formed(spelling: Spelling, operands: Sequence[Expression]) -> Expression:
    texts = [operand.within(least) for operand, least in zip(operands, spelling.operands or (0, 0, 0), strict=False)]
    texts += [operand.text for operand in operands[len(texts) :]]
    return Expression(spelling.form.format(*texts), spelling.binding)


def _reduction(op: str, axes: Axes, text: str) -> str:
    """A reduction that keeps its dimensions."""
    if op == "sum":
        return f"{text}.sum({{{', '.join(map(str, axes.at))}}}, true)"
    if op == "prod":  # over one dimension
        return "".join((text, *(f".prod({axis}, true)" for axis in reversed(axes.at))))
    return f"custom_op::{_EXTREMES[op]}({text}, {{{', '.join(map(str, axes.at))}}})"


def cpp_number(value: float | None) -> str:
    """A literal of type double in C++."""
    if value is None:
        raise InternalError("a constant without a value")
    if math.isnan(value):
        return "std::numeric_limits<double>::quiet_NaN()"
    if math.isinf(value):
        return f"{'-' if value < 0 else ''}std::numeric_limits<double>::infinity()"
    return repr(float(value)).replace("e+", "e")
