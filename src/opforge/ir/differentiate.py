"""Reverse mode on the kernel IR: derives the graph of the gradients from an op's graph.

``z = x * y`` (inputs x, y) becomes ``grad_x = grad_z * y; grad_y = grad_z * x`` (inputs grad_z, x, y). Values have the
broadcast shape of all inputs; the caller sums a gradient to its input's shape. Integers and masks have no gradient and
pass none on.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from types import MappingProxyType

from opforge.dtypes import DTYPES
from opforge.errors import InternalError
from opforge.ir.algebra import Algebra
from opforge.ir.builder import GraphBuilder
from opforge.ir.derivative_rules import DERIVATIVE
from opforge.ir.graph import Graph, RowDimension
from opforge.ir.legality import COMPUTE, STORAGE
from opforge.ir.rows import row_extent, row_inputs, row_values
from opforge.spec.axes import Axes
from opforge.spec.model import OpSpec


def differentiate(op: OpSpec, graph: Graph) -> Graph:
    """The graph of ``grad_<input>`` for the op's inputs, from ``grad_<output>`` and the forward inputs.

    The graph contains only inputs that a gradient needs (``Graph.inputs``), and gradients only of inputs on which an
    output depends smoothly. Attributes have no gradient. The graph must be elementwise; ``ir.backward`` splits an op
    with matrix products.

    Raises:
        InternalError: no input has a gradient; ``gradients`` returns None in this case.
    """
    made = gradients(op, graph)
    if made is None:
        raise InternalError(f"differentiate: {op.type} has no gradient")
    return made


def gradients(op: OpSpec, graph: Graph, saved: Mapping[int, str] = MappingProxyType({})) -> Graph | None:
    """Like ``differentiate``, but None if no output depends smoothly on an input.

    The gradients of inputs with one element for each row have one, too, and ``saved`` are values of rows that the graph
    of the gradients has as inputs of these names: if it reduces rows. Otherwise it is elementwise.
    """
    if any(node.op in ("matmul", "given_or") for node in graph.nodes):
        raise InternalError(f"differentiate: {op.type} is not elementwise")
    made = _gradients(op, graph, saved)
    return _gradients(op, graph, {}) if saved and made is not None and not made.reductions else made


def _gradients(op: OpSpec, graph: Graph, saved: Mapping[int, str]) -> Graph | None:
    given = given_rows(op, graph)
    ones = {*given, *saved.values(), *(f"grad_{output.name}" for output in graph.outputs if output.row is not None)}
    builder = GraphBuilder()
    algebra = Algebra(builder)
    adjoint: dict[int, int] = {}
    rows = row_values(graph.nodes, given)
    floating = {t.name for t in (*op.inputs, *op.outputs) if all(DTYPES[dtype].floating for dtype in t.dtypes)}
    for output in graph.outputs:
        source = graph[output.node].operands[0]
        if graph[source].dtype != COMPUTE or output.name not in floating:
            continue
        grad = builder.input(f"grad_{output.name}")
        if source in rows and output.row is None:
            grad = _over_row(algebra, grad, op, graph.axes, ones)
        adjoint[source] = algebra.add(adjoint[source], grad) if source in adjoint else grad
    value = _copy(graph, builder, op, saved)
    for node in reversed(graph.nodes):
        if node.id not in adjoint or node.op not in DERIVATIVE or node.scalar:
            continue
        operands = [value[o] for o in node.operands]
        each = DERIVATIVE[node.op](algebra, adjoint[node.id], operands, value[node.id])
        for operand, gradient in zip(node.operands, each, strict=True):
            if gradient is not None and not graph[operand].scalar:
                whole = operand in rows and node.id not in rows
                own = _over_row(algebra, gradient, op, graph.axes, ones) if whole else gradient
                known = adjoint.get(operand)
                adjoint[operand] = own if known is None else algebra.add(known, own)
    loads = {graph[n.operands[0]].name: n.id for n in graph.nodes if n.op == "cast" and n.dtype == COMPUTE}
    grads = {
        f"grad_{tensor.name}": adjoint[loads[tensor.name]]
        for tensor in op.inputs
        if tensor.name in floating and not tensor.scalar and loads.get(tensor.name) in adjoint
    }
    if not grads:
        return None
    rows_of: dict[str, RowDimension] = {f"grad_{name}": "kept" for name in given if f"grad_{name}" in grads}
    made = builder.finish(grads, rows_of, graph.axes)
    if made.reductions or not rows_of:
        return made
    extent = row_extent(op, graph.axes, builder)
    return builder.finish(grads | {name: algebra.div(grads[name], extent) for name in rows_of}, axes=graph.axes)


def given_rows(op: OpSpec, graph: Graph) -> tuple[str, ...]:
    """The inputs with one element for each row whose gradients have one, too."""
    return row_inputs(op, graph.nodes, graph.axes) if graph.reductions else ()


def _over_row(a: Algebra, gradient: int, op: OpSpec, axes: Axes, given: Collection[str]) -> int:
    """The gradient of a value that stands for a whole row: the sum over the row, times what is the same for the row.

    ``given`` are the inputs that are.
    """
    rows = row_values(a.builder.nodes, given)
    if gradient in rows:
        return a.mul(gradient, row_extent(op, axes, a.builder))
    node = a.builder.nodes[gradient]
    if node.op == "neg":
        return a.neg(_over_row(a, node.operands[0], op, axes, given))
    if node.op in ("mul", "div"):
        left, right = node.operands
        if _same_for_row(a, right, rows):
            whole = _over_row(a, left, op, axes, given)
            return a.mul(whole, right) if node.op == "mul" else a.div(whole, right)
        if node.op == "mul" and _same_for_row(a, left, rows):
            return a.mul(_over_row(a, right, op, axes, given), left)
    return a.apply("sum", gradient)


def _same_for_row(a: Algebra, node: int, rows: Collection[int]) -> bool:
    return node in rows or a.builder.nodes[node].scalar


def _copy(graph: Graph, builder: GraphBuilder, op: OpSpec, saved: Mapping[int, str]) -> dict[int, int]:
    """Copies the forward's nodes to the new graph, ``saved`` ones as inputs; unused ones are dropped at the end."""
    loaded = {graph[n.operands[0]].name: n.dtype for n in graph.nodes if n.op == "cast" and n.dtype != STORAGE}
    for tensor in op.inputs:
        builder.input(tensor.name, loaded.get(tensor.name, COMPUTE))
    value: dict[int, int] = {}
    for node in graph.nodes:
        copied = builder.input(saved[node.id]) if node.id in saved else builder.copy(graph, node, value)
        if copied is not None:
            value[node.id] = copied
    return value
