"""The dimensions of values in expressions: NumPy's rule over names.

From the right, dimensions must be equal or 1, and ``...`` matches only ``...``. A tensor without ``...`` has no further
dimensions. ``KEPT`` meets ``...`` as 1 meets a symbol.
"""

from __future__ import annotations

from typing import TypeAlias

from opforge.spec.dimensions import DOTS, Dim, Dots, Size, print_dim

Dims: TypeAlias = tuple[Dim, ...]
ONE = Size(1)
# `...` after a reduction over one of its dimensions that an attribute gives: with extent 1 there, and without it.
KEPT = Dots("kept")
DROPPED = Dots("dropped")


def met(left: Dims, right: Dims) -> Dims | None:
    """The broadcast of two shapes; None if they do not broadcast."""
    long, short = (left, right) if len(left) >= len(right) else (right, left)
    apart = len(long) - len(short)
    if DOTS in short and apart:
        return None
    found: list[Dim] = list(long[:apart])
    for a, b in zip(long[apart:], short, strict=True):
        if {a, b} == {DOTS, KEPT}:
            found.append(DOTS)
            continue
        if a != b and (DOTS in (a, b) or ONE not in (a, b)):
            return None
        found.append(b if a == ONE else a)
    return tuple(found)


def shown(dims: Dims) -> str:
    """A shape for a message: ``[..., H]``."""
    return f"[{', '.join(map(print_dim, dims))}]"
