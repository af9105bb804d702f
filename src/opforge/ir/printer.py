"""The kernel IR as text, one node a line.

::

    %0 = input x : storage
    %1 = cast %0 : float32
    %2 = attr alpha : float32 scalar
    %3 = mul %1 %2 : float32
    %4 = cast %3 : storage
    return y = %4
"""

from __future__ import annotations

from opforge.ir.graph import Graph, Node


def print_graph(graph: Graph) -> str:
    """All nodes in order, then the outputs; ends in a newline."""
    lines = [_line(node) for node in graph.nodes]
    lines.append("return " + ", ".join(f"{output.name} = %{output.node}" for output in graph.outputs))
    return "\n".join(lines) + "\n"


def _line(node: Node) -> str:
    words = [node.op]
    if node.name is not None:
        words.append(node.name)
    if node.value is not None:
        words.append(repr(node.value))
    words += [f"%{operand}" for operand in node.operands]
    return f"%{node.id} = {' '.join(words)} : {node.dtype}{' scalar' if node.scalar else ''}"
