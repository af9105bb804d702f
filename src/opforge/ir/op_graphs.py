"""Lowers an op's expression to its graph.

``z = alpha * x + y`` gives loads with their casts to float32, a multiplication, an addition, and the cast back.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from opforge.errors import Problem, SpecError
from opforge.ir.builder import ConstantError, GraphBuilder
from opforge.ir.graph import Graph
from opforge.ir.integer_values import Integers
from opforge.ir.legality import COMPUTE, WHOLE
from opforge.ir.powers import power
from opforge.ir.products import product_names
from opforge.ir.rows import row_dimensions, row_inputs, row_values, total_values
from opforge.spec.axes import LAST
from opforge.spec.integers import ARITHMETIC
from opforge.spec.language import REDUCTIONS, TOTALS
from opforge.spec.model import OpSpec, Spec, TensorSpec
from opforge.spec.tree import (
    Apply,
    Arange,
    Assignment,
    Cast,
    Compute,
    Element,
    Expression,
    Extent,
    GivenOr,
    Name,
    Number,
    Product,
    RowCount,
    Says,
    Unsqueezed,
    walk,
)

# Masks are 0.0 and 1.0.
_JOINS = {"and": "mul", "or": "max"}


def build_graph(op: OpSpec) -> Graph:
    """The op's graph, verified; inputs stand first, in declaration order.

    Raises:
        SpecError: no kernel can compute the expression; every problem with its place.
    """
    return _Lowering(op, op.expression).lower(op.expression.assignments)


def build_graphs(spec: Spec) -> Mapping[str, Graph]:
    """The graphs of all ops that have an expression, by op type.

    Raises:
        SpecError: with the problems of all ops.
    """
    graphs: dict[str, Graph] = {}
    problems: list[Problem] = []
    for op in (each for each in spec.ops if not each.handwritten):
        try:
            graphs[op.type] = build_graph(op)
        except SpecError as error:
            problems += error.problems
    if problems:
        raise SpecError(problems)
    return graphs


class _Lowering:
    def __init__(self, op: OpSpec, compute: Compute) -> None:
        self.op = op
        self.compute = compute
        self.products = product_names(op, compute)
        self.passage = op.passage
        self.rows = row_dimensions(op, compute.axes) if compute.reduces else {}
        self.builder = GraphBuilder()
        self.values: dict[str, int] = {}  # inputs, and local names that depend on one
        self.numbers: dict[str, Expression] = {}  # other local names: float32 or int32, depending on the other operand
        self.known: dict[tuple[str, str], int] = {}
        self.attrs = {attr.name for attr in op.attrs}
        self.inputs: dict[int, TensorSpec] = {}
        self.integers = Integers(op, compute)

    def lower(self, assignments: tuple[Assignment, ...]) -> Graph:
        for tensor in self.op.inputs:
            whole = tensor.name in self.integers.loaded
            self.values[tensor.name] = self.builder.input(tensor.name, WHOLE if whole else COMPUTE)
            self.inputs[self.values[tensor.name]] = tensor
        for attr in self.op.attrs:
            if attr.type in ("int", "float", "bool"):
                self.name(attr.name, COMPUTE)
        for assignment in assignments:
            try:
                if self.scalar(assignment.value):
                    self.numbers[assignment.name] = assignment.value
                    self.value(assignment.value, COMPUTE)  # reports its problems
                else:
                    self.values[assignment.name] = self.value(assignment.value)
                    self.integers.assign(assignment.name, assignment.value)
            except ConstantError as error:
                what = f"a constant part of `{assignment.title or assignment.name}` is not valid: {error}"
                raise SpecError([self.problem(assignment, what, error.hint)]) from None
        places = {a.name: a for a in assignments}
        problems = [p for t in self.op.outputs if (p := self.output(t, places[t.name])) is not None]
        problems += [self.problem(a, *why) for a in assignments if (why := self.integers.refused(a.value)) is not None]
        if self.compute.reduces and self.compute.products and self.compute.axes != LAST:
            what = f"this op has a matrix product and reduces {self.compute.axes.described}, which is not supported yet"
            hint = "reduce the last dimension, or write two ops: one for the product, one for the reduction"
            problems.append(self.problem(assignments[-1], what, hint))
        if self.compute.totals and (wrong := self.totals()) is not None:
            problems.append(self.problem(assignments[-1], *wrong))
        if problems:
            raise SpecError(problems)
        made = {t.name: self.fitted(Name(t.name)) for t in self.op.outputs}
        graph = self.builder.finish(made, self.rows, self.compute.axes)
        return replace(graph, unsqueezed=self.compute.unsqueezed)

    def totals(self) -> tuple[str, str] | None:
        """The first thing that a kernel with values of all rows cannot do, with a hint; None if it can do all."""
        nodes = self.builder.nodes
        rows = row_values(nodes, row_inputs(self.op, nodes, self.compute.axes))
        ones = total_values(nodes)
        apart = "write two ops: one for the values of the rows, one for all of them"
        if self.compute.products:
            return "this op has a matrix product and reduces the values of all rows, which is not supported yet", apart
        if any(node.operands[0] not in rows or node.operands[0] in ones for node in nodes if node.op in TOTALS):
            return "this op reduces all rows of a value that is not reduced from a row", apart
        if any(node.id not in ones and any(o in ones for o in node.operands) for node in nodes):
            return "the elements of this op depend on a value of all rows, which is not supported yet", apart
        other = next((t.name for t in self.op.outputs if self.values[t.name] not in ones), None)
        if other is not None:
            return f"`{other}` is not made of all rows, but another result of the op is", apart
        return None

    def scalar(self, expression: Expression) -> bool:
        """Whether it depends on no tensor."""
        names = {part.name for part in walk(expression) if isinstance(part, Name | GivenOr | Unsqueezed)}
        return not names & set(self.values) and not any(isinstance(part, Product | Arange) for part in walk(expression))

    def value(self, expression: Expression, dtype: str = COMPUTE) -> int:
        """The node of an expression; numbers get ``dtype``, tensors have their own."""
        if isinstance(expression, Number):
            return self.builder.const(expression.value, dtype)
        if isinstance(expression, Name | Unsqueezed):
            return self.name(expression.name, dtype)
        if isinstance(expression, Product):
            left, right = expression.left, expression.right
            turned = left.transposed, right.transposed
            return self.builder.matmul(left.name, right.name, turned, self.products[expression])
        if isinstance(expression, Extent):
            return self.builder.size(expression.name, expression.axis, dtype)
        if isinstance(expression, RowCount):
            return self.builder.rows(expression.name, dtype)
        if isinstance(expression, Arange):
            return self.builder.arange(expression.name)
        if isinstance(expression, Says | Element):
            return self.attribute(expression, dtype)
        if isinstance(expression, GivenOr):
            return self.builder.given_or(expression.name, expression.value)
        if isinstance(expression, Cast):
            return self.cast(expression)
        return self.apply(expression, dtype)

    def attribute(self, expression: Says | Element, dtype: str) -> int:
        if isinstance(expression, Says):
            return self.builder.says(expression.name, expression.text)
        return self.builder.attr(expression.name, dtype, expression.place)

    def cast(self, expression: Cast) -> int:
        """Integers stay in int32 and wrap around; int64 is stored from int32 or float32, others from float32."""
        node, narrow = self.value(expression.operand), self.integers.wrapped(expression)
        if narrow is not None:
            return self.builder.cast(node, WHOLE, narrow)
        whole = self.builder.nodes[node].dtype == WHOLE and expression.dtype in (*ARITHMETIC, "int64")
        made = self.fitted(expression.operand)
        return self.builder.cast(made, WHOLE if whole or expression.dtype == WHOLE else COMPUTE)

    def fitted(self, expression: Expression) -> int:
        """The node of a tensor, wrapped around in its dtype if it is an integer that may be beyond it."""
        node, integer = self.value(expression), self.integers.of(expression)
        narrow = integer.width.narrow if integer is not None and integer.beyond else None
        return self.builder.cast(node, WHOLE, narrow) if narrow is not None else node

    def name(self, name: str, dtype: str) -> int:
        if name in self.values:
            return self.values[name]
        if (name, dtype) not in self.known:
            attr = name in self.attrs
            made = self.builder.attr(name, dtype) if attr else self.value(self.numbers[name], dtype)
            self.known[name, dtype] = made
        return self.known[name, dtype]

    def apply(self, expression: Apply, dtype: str) -> int:
        fitted = self.integers.needs_fitted(expression)
        tensors = [
            (i, self.fitted(o) if fitted else self.value(o))
            for i, o in enumerate(expression.operands)
            if not self.scalar(o)
        ]
        if tensors:
            dtype = self.builder.nodes[tensors[-1][1]].dtype
        made = dict(tensors)
        masks = (0,) if expression.op == "where" else ()
        operands = [
            made[i] if i in made else self.value(o, COMPUTE if i in masks else dtype)
            for i, o in enumerate(expression.operands)
        ]
        if expression.op == "pow":
            return power(self.builder, *operands)
        if expression.op == "not":
            return self.builder.apply("eq", *operands, self.builder.const(0.0))
        if expression.op in _JOINS:
            return self.builder.apply(_JOINS[expression.op], *operands)
        return self.builder.apply(expression.op, *operands)

    def output(self, tensor: TensorSpec, assignment: Assignment) -> Problem | None:
        if tensor.name in self.numbers:
            return self.problem(
                assignment,
                f"`{assignment.name}` does not depend on any input",
                "so it has no shape; use an input in it",
            )
        node = self.values[tensor.name]
        if self.rows.get(tensor.name) in ("kept", "dropped"):
            nodes = self.builder.nodes
            given = row_inputs(self.op, nodes, self.compute.axes)
            if node not in row_values(nodes, given):
                short = next(name for name in self.outside(node) if name not in given)
                what = f"`{tensor.name}` has one element for each row, and reads the input `{short}` outside of"
                hint = "this is not supported yet; make it a result of an op of its own"
                return self.problem(assignment, f"{what} reductions", hint)
        if self.builder.nodes[node].scalar:
            return self.problem(
                assignment,
                f"`{assignment.name}` does not depend on any input",
                "so it has no shape; use an input in it",
            )
        copied = self.inputs.get(node)
        if copied is not None and copied.dtypes == tensor.dtypes:
            what = f"`{assignment.name}` is only a copy of an input"
            return self.problem(assignment, what, "kernels that only copy are not supported yet")
        result = self.compute.results[tensor.name].dtype
        stated = next((dtype for dtype in tensor.dtypes if result is not None and dtype != result), None)
        if stated is not None and tensor.dtypes_given:
            what = f"`{assignment.name}` is {result} in its expression, but {stated} under `outputs:`"
            return self.problem(assignment, what, f"remove the dtype under `outputs:`, or write `cast(..., {stated})`")
        return None

    def outside(self, node: int) -> Iterator[str]:
        """The inputs that a value reads outside of reductions."""
        known, todo = {node}, [node]
        while todo:
            each = self.builder.nodes[todo.pop()]
            if each.op == "input":
                yield each.name or ""
            more = [operand for operand in each.operands if operand not in known and each.op not in REDUCTIONS]
            known.update(more)
            todo += more

    def problem(self, assignment: Assignment, what: str, hint: str | None = None) -> Problem:
        length = len(assignment.title or assignment.name)
        return self.passage.problem(what, hint, assignment.line, assignment.column, length)
