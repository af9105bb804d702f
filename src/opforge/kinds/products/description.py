"""Prints the plan of an op with matrix products for people."""

from __future__ import annotations

from typing import TYPE_CHECKING

from opforge.kinds.products.plan import BASE_N, SLOTS, TILE_ELEMENTS
from opforge.plan.printer import buffer_lines, optional_lines, tile_lines, vector_lines

if TYPE_CHECKING:
    from collections.abc import Sequence

    from opforge.ir.product_shapes import ProductShape
    from opforge.kinds.products.plan import MatmulPlan, Product


_SHARED = (
    "  2: few tiles and a long K; the cube cores multiply parts of K, and the vector cores add them",
    "     in the workspace, in an order that depends on the shapes: batch_invariant is false",
)


def describe(plan: MatmulPlan) -> tuple[str, ...]:
    """The plan as text, one fact per line."""
    rows = "x".join(plan.shape.rows)
    tall = f" and {TILE_ELEMENTS} elements" if plan.base_m * BASE_N > TILE_ELEMENTS else ""
    products = (
        f"plan {plan.op_type}",
        f"on the cube cores, per tile of at most {plan.base_m} x {BASE_N}{tall} of [{rows}, {plan.shape.n}]:",
        *product_lines(plan.multiplications, plan.shape),
    )
    if plan.cubes_alone:
        biases = [f" + {bias}" for bias in plan.biases] or [""] * plan.products
        filled = "the bias" if plan.biases else "zeros"
        written = zip(plan.results, plan.multiplications, biases, strict=True)
        return (
            *products,
            "the copies out of L0C round and write the results:",
            *(f"  {result} = {product.name}{bias}" for result, product, bias in written),
            *optional_lines(plan.epilogue),
            "tiling keys:",
            "  0: the cube cores multiply tile by tile; there is no vector core",
            *(("     but for a bias in bfloat16, which vector cores cast to float32",) if plan.widens_bias else ()),
            f"  1: the operands have no elements; the vector cores fill the results with {filled}",
            *(_SHARED if plan.shares_sums else ()),
        )
    return (
        *products,
        "user workspace:",
        *_slot_lines(plan),
        "on the vector cores, as many rows of a tile as the buffers hold:",
        *(f"  {name}: one row for all rows" for name in plan.shape.row_vectors),
        *optional_lines(plan.epilogue),
        *buffer_lines(plan.epilogue),
        *vector_lines(plan.epilogue),
        "buffers hold:",
        *tile_lines(plan.epilogue),
        "tiling keys:",
        "  0: the cube cores multiply tile by tile while the vector cores work on the tile before",
        "  1: the operands have no elements; all products are zero, and only the vector cores work",
    )


def product_lines(products: Sequence[Product], shape: ProductShape) -> list[str]:
    """The products with their operands."""
    left, right = ("^T" if turned else "" for turned in shape.transposed)
    return [f"  {p.name} = {p.left}{left} @ {p.right}{right}" for p in products]


def _slot_lines(plan: MatmulPlan) -> list[str]:
    most = f"{SLOTS} x {plan.products} x {TILE_ELEMENTS} x 4 = {SLOTS * plan.slot_bytes} bytes"
    return [
        f"  {SLOTS} slots for each vector core that works, each with a float32 tile of every product",
        f"  at most {most} a core for any shapes",
    ]
