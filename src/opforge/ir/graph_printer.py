"""Prints the kernel IR, one node per line, or as formulas.

::

    %0 = input x : storage
    %1 = cast %0 : float32
    %2 = attr alpha : float32 scalar
    %3 = mul %1 %2 : float32
    %4 = cast %3 : storage
    return y = %4

A matrix product is printed with its name, and with ``^T`` behind a transposed operand:
``%2 = matmul gate %0 %1^T : float32``.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence

from opforge.ir.graph import COMPARE, MEASURES, OPERATORS, Graph, Node
from opforge.ir.legality import STORAGE, WHOLE
from opforge.spec.axes import Axes
from opforge.spec.language import INTEGER_ONLY, REDUCTIONS, SAME, TOTALS
from opforge.spec.value_kinds import kinds_of


def print_graph(graph: Graph) -> str:
    """All nodes in order, then the outputs; ends in a newline."""
    lines = [_line(node) for node in graph.nodes]
    results = (f"{o.name} = {'sum over rows of ' if o.summed else ''}%{o.node}" for o in graph.outputs)
    lines.append(f"return {', '.join(results)}")
    return "\n".join(lines) + "\n"


def _line(node: Node) -> str:
    words = [node.op]
    if node.name is not None:
        words.append(node.name)
    if node.text is not None:
        words.append(json.dumps(node.text))
    if node.value is not None:
        words.append(repr(node.value))
    if node.axis is not None:
        words.append(f"[{node.axis}]")
    turned = node.transposed if node.op == "matmul" else (False,) * len(node.operands)
    words += [f"%{operand}{'^T' if t else ''}" for operand, t in zip(node.operands, turned, strict=True)]
    return f"%{node.id} = {' '.join(words)} : {node.dtype}{' scalar' if node.scalar else ''}"


_NAMES = {operator: name for name, operator in SAME.items()}
_SIGNS = {"add": "+", "sub": "-", "mul": "*", "div": "/", "floor_divide": "//", "remainder": "%"}
_SIGNS |= {"bitwise_and": "&", "bitwise_or": "|", "bitwise_xor": "^"}
_SIGNS |= {"bitwise_left_shift": "<<", "bitwise_right_shift": ">>"}
_COMPARED = {"ge": ">=", "gt": ">", "le": "<=", "lt": "<", "eq": "==", "ne": "!="}


def print_formulas(graph: Graph, dtypes: Mapping[str, Sequence[str]] | None = None) -> str:
    """An elementwise graph in the expression language.

    Args:
        graph: the graph to print.
        dtypes: the dtypes of its inputs and outputs by name; absent ones are floating.
    """
    return _Formulas(graph, dtypes or {}).text()


class _Formulas:
    def __init__(self, graph: Graph, dtypes: Mapping[str, Sequence[str]]) -> None:
        self.graph = graph
        self.kinds = {name: (*kinds_of(column), "float")[0] for name, column in dtypes.items()}
        self.narrow = {
            name: column[0] if len(set(column)) == 1 else f"{name}.dtype"
            for name, column in dtypes.items()
            if self.kinds[name] == "int" and set(column) != {"int32"}
        }
        self.known: dict[int, str] = {}

    def text(self) -> str:
        uses = Counter(operand for node in self.graph.nodes for operand in node.operands)
        taken = {*(node.name for node in self.graph.nodes), *(output.name for output in self.graph.outputs)}
        lines: list[str] = []
        for node in self.graph.nodes:
            self.known[node.id] = self.formula(node)
            if uses[node.id] > 1 and node.op in (*OPERATORS, *INTEGER_ONLY, *REDUCTIONS, *TOTALS):
                name = next(n for i in range(len(taken) + 1) if (n := f"t{node.id + i}") not in taken)
                taken.add(name)
                lines.append(f"{name} = {_bare(self.known[node.id])}")
                self.known[node.id] = name
        for output in self.graph.outputs:
            place = self.graph[output.node].operands[0]
            mask = self.kinds.get(output.name) == "mask"
            text = _bare(self.condition(place) if mask else self.number(place))
            if output.name in self.narrow and self.graph[place].dtype == WHOLE:
                text = f"cast({text}, {self.narrow[output.name]})"
            if output.summed:
                text = f"sum_to({text}, {output.name.removeprefix('grad_')}.shape)"
            lines.append(f"{output.name} = {text}")
        return "\n".join(lines)

    def source(self, node: Node) -> Node | None:
        """The input that a node loads, or None."""
        source = self.graph[node.operands[0]] if node.op == "cast" else None
        return source if source is not None and source.op == "input" else None

    def number(self, place: int) -> str:
        """A value as an operand of arithmetic: masks, and integers that are not int32, get a cast."""
        node, text = self.graph[place], self.known[place]
        source = self.source(node)
        name = source.name or "" if source else ""
        loose = node.op in (*COMPARE, "says") or self.kinds.get(name) in ("mask", "stored") or name in self.narrow
        return f"cast({_bare(text)}, {node.dtype})" if loose else text

    def condition(self, place: int) -> str:
        """A value of 0.0 and 1.0 as a condition."""
        node, text = self.graph[place], self.known[place]
        source = self.source(node)
        known = node.op in (*COMPARE, "says") or (source and self.kinds.get(source.name or "") == "mask")
        return text if known else f"({self.number(place)} != 0)"

    def cast(self, node: Node) -> str:
        """A cast of a computed value; what wraps around is cast to its dtype and back."""
        source = self.graph[node.operands[0]]
        if source.op == "input" or node.dtype == STORAGE:
            return self.known[source.id]
        text = _bare(self.number(source.id))
        return f"cast({text if node.text is None else f'cast({text}, {node.text})'}, {node.dtype})"

    def formula(self, node: Node) -> str:
        if node.op in ("input", "attr", "says"):
            return f"{node.name}{node.subscript}" if node.text is None else f"({node.name} == {json.dumps(node.text)})"
        if node.op == "const":
            return repr(node.value) if node.dtype == "float32" else f"{node.value:.0f}"
        if node.op == "cast":
            return self.cast(node)
        if node.op == "given_or":
            name = self.known[node.operands[0]]
            return f"where(present({name}), {name}, {node.value!r})"
        if node.op in MEASURES:
            return _measure(node, self.known[node.operands[0]], self.graph.axes)
        operands = [self.number(operand) for operand in node.operands]
        if node.op in (*REDUCTIONS, *TOTALS):
            rest = "" if node.op in TOTALS or self.graph.axes.whole else f", {self.graph.axes.spelled()}, keepdim=True"
            return f"{node.op.removesuffix('_all')}({_bare(operands[0])}{rest})"
        if node.op == "where":
            operands[0] = self.condition(node.operands[0])
        if node.op == "neg":
            return f"-{operands[0]}"
        sign = _SIGNS.get(node.op) or _COMPARED.get(node.op)
        if sign is not None:
            return f"({operands[0]} {sign} {operands[1]})"
        return f"{_NAMES.get(node.op, node.op)}({', '.join(map(_bare, operands))})"


def _measure(node: Node, name: str, axes: Axes) -> str:
    """A value that only the shape of the input ``name`` decides."""
    if node.op == "size":
        return f"{name}.numel()" if node.axis is None else f"{name}.shape[{node.axis}]"
    if node.op == "arange":
        return axes.numbered(f"arange({name}.shape[{axes.spelled()}])", ".reshape(-1{})")
    return f"rows({name})"


def _bare(text: str) -> str:
    """The text without its outermost parentheses."""
    if not text.startswith("("):
        return text
    depth = 0
    for place, letter in enumerate(text):
        depth += (letter == "(") - (letter == ")")
        if depth == 0:
            return text[1:-1] if place == len(text) - 1 else text
    return text
