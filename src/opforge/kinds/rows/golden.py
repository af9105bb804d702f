"""Computes an op with rows in C++ doubles: a function of the element for each value, a number for each reduction."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING

from opforge.ir.rows import row_values
from opforge.program import Golden
from opforge.render.ascendc import cpp_golden
from opforge.spec.axes import LAST
from opforge.spec.language import REDUCTIONS

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from opforge.ir.graph import Graph, Node
    from opforge.spec.axes import Axes
    from opforge.spec.model import OpSpec

# The functions of golden_op.h, by reduction.
REDUCED = {
    "sum": "SumOfRow",
    "prod": "ProductOfRow",
    **dict.fromkeys(("amax", "max_first"), "LargestOfRow"),
    **dict.fromkeys(("amin", "min_first"), "LeastOfRow"),
}


def golden_of(op: OpSpec, graph: Graph, whole: cpp_golden.Whole = MappingProxyType({})) -> Golden:
    """The code for one element of each result. ``whole`` spells functions of the element for other operators."""
    numbers = row_values(graph.nodes) | {node.id for node in graph.nodes if node.scalar}

    def spell(node: Node, names: Mapping[int, str], value: Callable[[list[str]], str]) -> tuple[str, str]:
        if node.op in REDUCTIONS:
            return "double", f"{REDUCED[node.op]}(elementIndex, resultShape, {names[node.operands[0]]})"
        used = [names[i] if i in numbers else f"{names[i]}(at)" for i in node.operands if i in names]
        text = value(used).replace("elementIndex", "at")
        return ("double", text) if node.id in numbers else ("auto", f"[&](size_t at) {{ return {text}; }}")

    made = cpp_golden.golden_of(op, graph, whole, spell, "auto")
    results = tuple(
        name if output.node in numbers else f"{name}(elementIndex)"
        for name, output in zip(made.results, graph.outputs, strict=True)
    )
    of_rows = tuple(place for place, output in enumerate(graph.outputs) if output.row is not None)
    return Golden(made.elements, results, row_results=of_rows, in_row=in_row(graph.axes))


def in_row(axes: Axes) -> str:
    """The condition in golden_op.h that a row has all of a dimension, counted from the innermost.

    The programs give an attribute the last dimension.
    """
    if axes.dim == "0":
        return "fromEnd + 1 == rank"
    axes = LAST if axes.attribute else axes
    return "true" if axes.whole else " || ".join(f"fromEnd == {-axis - 1}" for axis in reversed(axes.at))
