"""Reductions of rows that may have no elements, which torch refuses."""

from __future__ import annotations

import torch
from torch import Tensor


def amax(x: Tensor, dim: int | tuple[int, ...] | None = None, *, keepdim: bool = False) -> Tensor:
    """The largest element of each row, and -inf for an empty one."""
    over = tuple(range(x.dim())) if dim is None else dim if isinstance(dim, tuple) else (dim,)
    if all(torch.atleast_1d(x).shape[each] for each in over):
        return torch.amax(x, over, keepdim=keepdim)
    return torch.sum(x, over, keepdim=keepdim) + float("-inf")


def amin(x: Tensor, dim: int | tuple[int, ...] | None = None, *, keepdim: bool = False) -> Tensor:
    """The smallest element of each row, and inf for an empty one."""
    return -amax(-x, dim, keepdim=keepdim)


def max_first(x: Tensor, dim: int, *, keepdim: bool = False) -> Tensor:
    """As amax, but the gradient goes to the first of equal elements."""
    some = torch.atleast_1d(x).shape[dim]
    return torch.max(x, dim, keepdim=keepdim).values if some else amax(x, dim, keepdim=keepdim)


def min_first(x: Tensor, dim: int, *, keepdim: bool = False) -> Tensor:
    """As amin, but the gradient goes to the first of equal elements."""
    return -max_first(-x, dim, keepdim=keepdim)
