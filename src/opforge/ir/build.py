"""From an op's expression to its graph.

``z = alpha * x + y`` gives loads with their casts to float32, a multiplication, an addition, and the cast back.
"""

from __future__ import annotations

from collections.abc import Mapping

from opforge.errors import Problem, SpecError
from opforge.ir.builder import ConstantError, GraphBuilder
from opforge.ir.graph import Graph
from opforge.ir.products import product_names
from opforge.spec.compute import parse_compute
from opforge.spec.model import OpSpec, Spec
from opforge.spec.source import Passage, plain_passage
from opforge.spec.tree import Assignment, Compute, Expression, GivenOr, Name, Number, Product


def build_graph(op: OpSpec) -> Graph:
    """The op's graph, verified; inputs stand first, in declaration order.

    Raises:
        SpecError: compute says something that no kernel can be made of; every problem with its place.
    """
    passage = op.source if op.source is not None else plain_passage(op.compute)
    declared = tuple(t.name for t in op.outputs)
    inputs = {t.name: t for t in op.inputs}
    optional = frozenset(t.name for t in op.inputs if t.optional)
    compute = parse_compute(passage, inputs, {a.name: a.type for a in op.attrs}, declared, optional=optional)
    if compute.problems:
        raise SpecError(compute.problems)
    return _Lowering(op, passage, compute).lower(compute.assignments)


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
    def __init__(self, op: OpSpec, passage: Passage, compute: Compute) -> None:
        self.op = op
        self.products = product_names(op, compute)
        self.passage = passage
        self.builder = GraphBuilder()
        self.values: dict[str, int] = {}
        self.inputs: set[int] = set()

    def lower(self, assignments: tuple[Assignment, ...]) -> Graph:
        for tensor in self.op.inputs:
            self.values[tensor.name] = self.builder.input(tensor.name)
        self.inputs = set(self.values.values())
        for attr in self.op.attrs:
            if attr.type in ("int", "float"):
                self.values[attr.name] = self.builder.attr(attr.name)
        places = {a.name: a for a in assignments}
        made: dict[str, int] = {}
        for assignment in assignments:
            try:
                made[assignment.name] = self.value(assignment.value)
            except ConstantError as error:
                raise SpecError(
                    [self.problem(assignment, f"a part of `{assignment.name}` is constant, and {error}")]
                ) from None
            self.values.update(made)
        problems = [p for t in self.op.outputs if (p := self.output(places[t.name], made[t.name])) is not None]
        if problems:
            raise SpecError(problems)
        return self.builder.finish({t.name: made[t.name] for t in self.op.outputs})

    def value(self, expression: Expression) -> int:
        if isinstance(expression, Number):
            return self.builder.const(expression.value)
        if isinstance(expression, Name):
            return self.values[expression.name]
        if isinstance(expression, Product):
            left, right = expression.left, expression.right
            turned = left.transposed, right.transposed
            return self.builder.matmul(left.name, right.name, turned, self.products[expression])
        if isinstance(expression, GivenOr):
            return self.builder.given_or(expression.name, expression.value)
        return self.builder.apply(expression.op, *(self.value(o) for o in expression.operands))

    def output(self, assignment: Assignment, node: int) -> Problem | None:
        if self.builder.nodes[node].scalar:
            return self.problem(assignment, f"`{assignment.name}` does not depend on any input", "it has no shape")
        if node in self.inputs:
            what = f"`{assignment.name}` is a copy of an input: nothing is computed"
            return self.problem(assignment, what, "kernels that only copy are not supported yet")
        return None

    def problem(self, assignment: Assignment, what: str, hint: str | None = None) -> Problem:
        return self.passage.problem(what, hint, assignment.line, assignment.column, len(assignment.name))
