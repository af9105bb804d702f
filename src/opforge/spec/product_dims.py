"""The dimensions of matrix products, from those that their operands declare."""

from __future__ import annotations

from collections.abc import Mapping

from opforge.spec.dimensions import DOTS
from opforge.spec.tree import Operand, Product
from opforge.spec.value_dims import Dims


def product_dims(left: Operand, right: Operand, inputs: Mapping[str, Dims | None]) -> Dims | None:
    """The dimensions of a matrix product; None if its right operand does not declare two."""
    of_left, of_right = inputs.get(left.name) or (DOTS,), inputs.get(right.name)
    if of_right is None or len(of_right) != 2 or DOTS in of_right:
        return None
    columns = of_right[0] if right.transposed else of_right[1]
    rows = of_left[1:] if left.transposed else of_left[:-1] if len(of_left) > 1 else of_left
    return (*rows, columns)


def matrix_shapes(product: Product) -> Mapping[str, str]:
    """Shapes that name the dimensions of a product's operands, by name."""
    left = "[K, M]" if product.left.transposed else "[..., K]"
    return {product.left.name: left, product.right.name: "[N, K]" if product.right.transposed else "[K, N]"}
