"""Computes an op that reduces the values of all rows in C++ doubles: functions of the element, then numbers."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING

from opforge.ir.rows import total_values
from opforge.kinds.rows.golden import REDUCED, in_row
from opforge.program import Golden
from opforge.render.ascendc import cpp_golden
from opforge.spec.language import REDUCTIONS, TOTALS

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from opforge.ir.graph import Graph, Node
    from opforge.spec.model import OpSpec

_TOTALS = {"sum_all": "SumOfAll", "amax_all": "LargestOfAll", "amin_all": "LeastOfAll"}


def golden_of(op: OpSpec, graph: Graph) -> Golden:
    """The code for the one element of each result."""
    numbers = total_values(graph.nodes) | {node.id for node in graph.nodes if node.scalar}

    def spell(node: Node, names: Mapping[int, str], value: Callable[[list[str]], str]) -> tuple[str, str]:
        if node.op in TOTALS:
            return "double", f"{_TOTALS[node.op]}(resultShape, {names[node.operands[0]]})"
        if node.op in REDUCTIONS:
            text = f"{REDUCED[node.op]}(at, resultShape, {names[node.operands[0]]})"
        else:
            used = [names[i] if i in numbers else f"{names[i]}(at)" for i in node.operands if i in names]
            text = value(used).replace("elementIndex", "at")
        return ("double", text) if node.id in numbers else ("auto", f"[&](size_t at) {{ return {text}; }}")

    made = cpp_golden.golden_of(op, graph, MappingProxyType({}), spell, "auto")
    return Golden(made.elements, made.results, in_row=in_row(graph.axes), totals=True)
