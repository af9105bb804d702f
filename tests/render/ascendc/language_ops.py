"""Ops of the functions of rows that have cases of their own: norms, whose gradient at zero is not that of a root."""

from __future__ import annotations

from row_ops import X, op

LANGUAGE = (
    op(
        "Norms",
        (X,),
        'n, a, m = norm(x, dim=-1), x.norm(1, -1), torch.linalg.vector_norm(x, float("inf"), dim=-1)',
        rows=["n", "a", "m"],
    ),
    op("Normalize", (X,), "y = normalize(x, dim=-1)"),
)
