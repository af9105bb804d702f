"""Renders the C++ golden of an op with matrix products, and chooses the shapes of its trials."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from opforge.program import Golden, Shape, TrialCase, Variable
from opforge.render.ascendc import cpp_golden
from opforge.render.ascendc.trials import shape_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from opforge.ir.graph import Graph, Node
    from opforge.ir.product_shapes import ProductShape
    from opforge.spec.model import OpSpec

# Leading dimensions, inner dimension and columns.
_PRODUCTS: tuple[tuple[str, Shape, int, int], ...] = (
    ("one element", (1,), 1, 1),
    ("less than a tile", (3,), 17, 33),
    ("several tiles", (2, 65), 129, 257),
    ("no inner elements: products are zero", (4,), 0, 5),
    ("no rows", (0,), 16, 16),
)
# For products whose cores may share sums.
LONG_SUMS = (*_PRODUCTS, ("few tiles and a long inner dimension", (3,), 12289, 33))


def operands(op: OpSpec, shape: ProductShape) -> tuple[Variable, ...]:
    """The matrices and their sizes. Tensors have the names of the spec; generated names contain a capital letter."""
    matrices = {*shape.left, *shape.right}
    variables = [
        Variable("HostTensor&", f"{tensor.name}Matrix", f"inputTensors[{i}]")
        for i, tensor in enumerate(op.inputs)
        if tensor.name in matrices
    ]
    left, right = f"{shape.left[0]}Matrix.shape", f"{shape.right[0]}Matrix.shape"
    variables.append(Variable("size_t", "innerSize", f"{right}[{1 if shape.transposed[1] else 0}]"))
    variables.append(Variable("size_t", "columnCount", f"{right}[{0 if shape.transposed[1] else 1}]"))
    if shape.transposed[0]:
        variables.append(Variable("size_t", "rowCount", f"{left}[1]"))
    return tuple(variables)


def golden_of(op: OpSpec, graph: Graph, shape: ProductShape) -> Golden:
    """Computes the products of rows and columns, and from them one element of each result."""
    place = (
        Variable("size_t", "rowIndex", "elementIndex / columnCount"),
        Variable("size_t", "columnIndex", "elementIndex % columnCount"),
    )
    computed = cpp_golden.golden_of(op, graph, {"matmul": dots(graph, "rowIndex", "columnIndex")})
    return Golden((*place, *computed.elements), computed.results, operands(op, shape))


def dots(graph: Graph, row: str, column: str) -> Callable[[Node], str]:
    """The spelling of an element of a product, by the C++ expressions of its row and column."""

    def dot(node: Node) -> str:
        left, right = (graph[i].name for i in node.operands)
        of_left = f"{row}, rowCount" if node.transposed[0] else f"{row} * innerSize, 1"
        of_right = f"{column} * innerSize, 1" if node.transposed[1] else f"{column}, columnCount"
        return f"Dot({left}Matrix, {of_left}, {right}Matrix, {of_right}, innerSize)"

    return dot


def trial_cases(
    op: OpSpec, shape: ProductShape, products: Sequence[tuple[str, Shape, int, int]] = _PRODUCTS
) -> tuple[TrialCase, ...]:
    """Cases of one element, parts of tiles, several tiles, and no elements."""
    cases = []
    for note, leading, inner, columns in products:
        sizes = {shape.k: inner, shape.n: columns}
        if shape.rows != ("...",):
            sizes = {shape.rows[0]: math.prod(leading), **sizes}
        inputs, results = (
            tuple(shape_of(tensor.dimensions, leading, sizes) for tensor in group) for group in (op.inputs, op.outputs)
        )
        cases.append(TrialCase(note, inputs, results))
    return tuple(cases)
