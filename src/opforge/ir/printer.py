"""The kernel IR as text, one node a line; and as formulas.

::

    %0 = input x : storage
    %1 = cast %0 : float32
    %2 = attr alpha : float32 scalar
    %3 = mul %1 %2 : float32
    %4 = cast %3 : storage
    return y = %4

A matrix product has its name, and ``^T`` behind an operand that is used with its dimensions exchanged:
``%2 = matmul gate %0 %1^T : float32``.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

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
    turned = node.transposed if node.op == "matmul" else (False,) * len(node.operands)
    words += [f"%{operand}{'^T' if t else ''}" for operand, t in zip(node.operands, turned, strict=True)]
    return f"%{node.id} = {' '.join(words)} : {node.dtype}{' scalar' if node.scalar else ''}"


_SIGNS = {"add": "+", "sub": "-", "mul": "*", "div": "/", "ge": ">=", "gt": ">", "le": "<=", "lt": "<", "eq": "=="}


def print_formulas(graph: Graph) -> str:
    """An elementwise graph as a person writes it, for reading: it has more than the expression language."""
    uses = Counter(operand for node in graph.nodes for operand in node.operands)
    taken = {*(node.name for node in graph.nodes), *(output.name for output in graph.outputs)}
    text: dict[int, str] = {}
    lines: list[str] = []
    for node in graph.nodes:
        text[node.id] = _formula(node, text)
        if uses[node.id] > 1 and node.op not in ("input", "cast", "attr", "const"):
            name = next(n for i in range(len(taken) + 1) if (n := f"t{node.id + i}") not in taken)
            taken.add(name)
            lines.append(f"{name} = {_bare(text[node.id])}")
            text[node.id] = name
    lines += [f"{output.name} = {_bare(text[output.node])}" for output in graph.outputs]
    return "\n".join(lines)


def _formula(node: Node, text: Mapping[int, str]) -> str:
    operands = [text[operand] for operand in node.operands]
    if node.op in ("input", "attr"):
        return node.name or ""
    if node.op == "const":
        return repr(node.value)
    if node.op == "cast":
        return operands[0]
    if node.op == "neg":
        return f"-{operands[0]}"
    if node.op in _SIGNS:
        return f"({operands[0]} {_SIGNS[node.op]} {operands[1]})"
    return f"{node.op}({', '.join(map(_bare, operands))})"


def _bare(text: str) -> str:
    """Without the parentheses that hold the whole of it."""
    if not text.startswith("("):
        return text
    depth = 0
    for place, letter in enumerate(text):
        depth += (letter == "(") - (letter == ")")
        if depth == 0:
            return text[1:-1] if place == len(text) - 1 else text
    return text
