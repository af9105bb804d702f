"""What the operators compute: the references that opforge.yaml names."""

from __future__ import annotations

from collections.abc import Sequence

from torch import Tensor


def scale_each(xs: Sequence[Tensor], alpha: float = 2.0) -> list[Tensor]:
    """Each tensor times alpha."""
    return [x * alpha for x in xs]


def split_even(x: Tensor, parts: int = 2) -> tuple[list[Tensor], Tensor]:
    """The parts of x, all of one length, and twice x."""
    size = len(x) // parts
    return [x[i * size : (i + 1) * size].clone() for i in range(parts)], x * 2


def add_each(xs: Sequence[Tensor], term: Sequence[Tensor]) -> list[Tensor]:
    """The sums of two lists, tensor by tensor."""
    return [x + y for x, y in zip(xs, term, strict=True)]
