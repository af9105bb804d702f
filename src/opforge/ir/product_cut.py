"""Cuts a graph at its matrix products: what follows them, with the products as inputs."""

from __future__ import annotations

from opforge.ir.builder import GraphBuilder
from opforge.ir.graph import Graph


def cut_for_gradients(graph: Graph) -> Graph:
    """The graph with products and optional inputs as plain inputs. In a graph with products, a size is their last."""
    return _cut(graph, missing=False)


def cut_for_kernel(graph: Graph) -> Graph:
    """The graph with products as optional inputs: without terms, they are zero and not computed."""
    return _cut(graph, missing=True)


def _cut(graph: Graph, *, missing: bool) -> Graph:
    builder = GraphBuilder()
    value: dict[int, int] = {}
    products = [node.name or "" for node in graph.products]
    for node in graph.nodes:
        if node.op == "matmul":
            name = node.name or ""
            value[node.id] = builder.given_or(name, 0.0) if missing else builder.input(name)
        elif node.op == "given_or":
            name = graph[graph[node.operands[0]].operands[0]].name or ""
            value[node.id] = builder.given_or(name, node.value or 0.0) if missing else value[node.operands[0]]
        elif node.op == "size" and products and not missing:
            value[node.id] = builder.size(products[0], -1, node.dtype)
        elif (copied := builder.copy(graph, node, value)) is not None:
            value[node.id] = copied
    rows = {output.name: output.row for output in graph.outputs if output.row is not None}
    return builder.finish(
        {output.name: value[graph[output.node].operands[0]] for output in graph.outputs}, rows, graph.axes
    )
