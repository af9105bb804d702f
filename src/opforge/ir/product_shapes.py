"""Derives the shapes of an op with matrix products, as symbols of its spec.

``y = silu(x @ w_gate) * (x @ w_up)`` with x ``[..., H]`` and weights ``[H, I]`` has rows ``...``, inner dimension ``H``
and columns ``I``. ``spec.check.product_dimensions`` checked that all products agree.
"""

from __future__ import annotations

from opforge.frozen import dataclass
from opforge.ir.graph import Graph
from opforge.spec.model import OpSpec


@dataclass(frozen=True)
class ProductShape:
    """The common shape of the op's products: ``[*rows, k] @ [k, n]``. The symbols may be equal."""

    rows: tuple[str, ...]  # ("...",): any leading dimensions, folded to M rows; or one symbol: ("M",)
    k: str
    n: str
    transposed: tuple[bool, bool]  # left is stored [k, rows], right is stored [n, k]
    left: tuple[str, ...]  # inputs that are left operands, in order of use
    right: tuple[str, ...]  # inputs that are right operands, in order of use
    full: tuple[str, ...]  # inputs of the products' shape [*rows, n], in declaration order
    row_vectors: tuple[str, ...]  # inputs of shape [n], in declaration order


def product_shape(op: OpSpec, graph: Graph) -> ProductShape | None:
    """The shapes of an op with products; None for an elementwise op."""
    if not graph.products:
        return None
    operands = [[graph[place].name or "" for place in product.operands] for product in graph.products]
    left, right = (tuple(dict.fromkeys(names)) for names in zip(*operands, strict=True))
    dims = {tensor.name: tensor.dims for tensor in op.inputs}
    turned = graph.products[0].transposed
    of_left, of_right = dims[left[0]], dims[right[0]]
    further = [name for name in dims if name not in left and name not in right]
    return ProductShape(
        rows=of_left[1:] if turned[0] else of_left[:-1],
        k=of_left[0] if turned[0] else of_left[-1],
        n=of_right[0] if turned[1] else of_right[1],
        transposed=turned,
        left=left,
        right=right,
        full=tuple(name for name in further if len(dims[name]) > 1),
        row_vectors=tuple(name for name in further if len(dims[name]) == 1),
    )
