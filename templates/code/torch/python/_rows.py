"""Reductions of rows that may have no elements, which torch refuses."""

from __future__ import annotations

import torch
from torch import Tensor


def amax(x: Tensor) -> Tensor:
    """The largest element of each row, and -inf for an empty one; the dimension stays."""
    return torch.amax(x, -1, keepdim=True) if x.shape[-1] else x.new_full((*x.shape[:-1], 1), float("-inf"))


def amin(x: Tensor) -> Tensor:
    """The smallest element of each row, and inf for an empty one; the dimension stays."""
    return -amax(-x)
