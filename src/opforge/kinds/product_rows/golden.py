"""Computes an op with rows of matrix products in C++ doubles: a function of the element for each product and value."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from opforge.kinds.products import golden as products
from opforge.kinds.rows import golden as rows

if TYPE_CHECKING:
    from opforge.ir.graph import Graph
    from opforge.ir.product_shapes import ProductShape
    from opforge.program import Golden, Shape, TrialCase
    from opforge.spec.model import OpSpec

# Leading dimensions, inner dimension and columns. Each element of a result reads a whole row of products.
_CASES: tuple[tuple[str, Shape, int, int], ...] = (
    ("one element", (1,), 1, 1),
    ("less than a tile", (3,), 17, 33),
    ("several tiles of columns", (2, 3), 5, 515),
    ("several tiles of rows", (5, 65), 7, 19),
    ("no inner elements: products are zero", (4,), 0, 5),
    ("no rows", (0,), 16, 16),
)


def golden_of(op: OpSpec, graph: Graph, shape: ProductShape) -> Golden:
    """The code for one element of each result."""

    def dot(place: str) -> str:
        return f"[&](size_t at) {{ return {place}; }}"

    spelled = products.dots(graph, "at / columnCount", "at % columnCount")
    made = rows.golden_of(op, graph, {"matmul": lambda node: dot(spelled(node))})
    left = f"{shape.left[0]}Matrix.shape"
    whole = f"Shape({{{left}[1], {left}[1]}})" if shape.transposed[0] else left
    return replace(made, operands=products.operands(op, shape), whole_shape=f"WithLast({whole}, columnCount)")


def trial_cases(op: OpSpec, shape: ProductShape) -> tuple[TrialCase, ...]:
    """Cases of one element, parts of tiles, several tiles, and no elements."""
    return products.trial_cases(op, shape, _CASES)
