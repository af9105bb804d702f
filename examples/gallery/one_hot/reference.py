"""The meaning of OneHot."""

import torch
from torch import Tensor


def one_hot(index: Tensor, depth: int) -> Tensor:
    """A row of zeros where the index is none of the row's."""
    return (index[:, None] == torch.arange(depth, device=index.device)).float()
