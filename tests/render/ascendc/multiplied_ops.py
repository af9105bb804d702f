"""Ops with products of the elements of rows: along a tile, of all elements, of two dimensions and across tiles."""

from __future__ import annotations

from row_ops import X, op, over

MULTIPLIED = (
    op("Prod", (X,), "y = prod(x, -1)", rows=["y"]),
    op("Scaled", (X,), "p = prod(x, -1, keepdim=True)\ny = where(p > 0, x / p, x + p)"),
    over("ProdOfAll", "x: ...", ["y = prod(x)"], "y:"),
    over("ProdOfBoth", "x: N H", ["y = x.prod()"], "y:"),
    over("ProdAcross", "x: ... N H", ["y = torch.prod(x, dim=-2)"], "y:... H"),
)
