"""The meaning of Tril."""

import torch
from torch import Tensor


def tril(x: Tensor, diagonal: int = 0) -> Tensor:
    """PyTorch's."""
    return torch.tril(x, diagonal)
