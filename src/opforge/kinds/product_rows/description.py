"""Prints the plan of an op with rows of matrix products for people: ``opforge inspect plan``."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from opforge.kinds.products.description import product_lines
from opforge.kinds.rows.description import row_lines

if TYPE_CHECKING:
    from opforge.kinds.product_rows.plan import ProductRowsPlan


def describe(plan: ProductRowsPlan) -> tuple[str, ...]:
    """One fact per line."""
    size = f"[{'x'.join(plan.shape.rows)}, {plan.shape.n}]"
    count = len(plan.multiplications)
    inputs = {argument.name for argument in plan.arguments}
    optional = tuple((name, number) for name, number in plan.rows.whole.optional if name in inputs)
    title, *lines = row_lines(replace(plan.rows, whole=replace(plan.rows.whole, optional=optional)))
    return (
        title,
        f"on the cube cores, tile by tile of {size}:",
        *product_lines(plan.multiplications, plan.shape),
        "user workspace:",
        f"  {count} x {size} x 4 bytes, each rounded up to 512: every product as a whole, in float32",
        "on the vector cores, when all products are there:",
        *lines,
        "  2, 3: as 0 and 1, but the operands have no elements, so nothing is multiplied",
    )
