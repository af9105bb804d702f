"""The meaning of ScatterAdd."""

import torch
from torch import Tensor


def scatter_add(x: Tensor, index: Tensor, size: int) -> Tensor:
    """Rows that no index names are zero."""
    return torch.zeros(size, x.shape[1], dtype=torch.float64).index_add(0, index.long(), x.double()).to(x.dtype)
