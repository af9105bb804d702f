"""What the operators written by hand compute: the references that opforge.yaml names."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor


def sum_of_list(xs: Sequence[Tensor]) -> Tensor:
    """The sum of tensors of one shape."""
    return torch.stack(list(xs)).sum(0)


def pick_row(x: Tensor, row: Sequence[int]) -> Tensor:
    """The row of x whose number is the sum of ``row``, counted round and round; zeros where x has none."""
    return x[sum(row) % len(x)].clone() if len(x) else x.new_zeros(x.shape[1])


def weighted_by_list(x: Tensor, weights: Sequence[float], copies: int = 2, negate: bool = False) -> Tensor:
    """x times the sum of the weights, ``copies`` times one behind the other."""
    return (x * (-sum(weights) if negate else sum(weights))).repeat(copies)


def mix_into(  # noqa: PLR0917  (as the op's)
    x: Tensor,
    parts: Sequence[Tensor],
    gains: Sequence[float],
    offset: float | None,
    curve: Sequence[float],
    flags: Sequence[bool] | None,
) -> tuple[Tensor, Tensor]:
    """x times the sum of the gains, plus all parts and the offset; and that times the sum of the curve, or minus it."""
    mixed = x * sum(gains) + sum(parts) + (offset or 0.0)
    return mixed, mixed * (-sum(curve) if any(flags or ()) else sum(curve))
