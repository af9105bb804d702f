"""The meaning of ConcatRows."""

import torch
from torch import Tensor


def concat_rows(x: list[Tensor], total: int, width: int) -> Tensor:
    """All rows, one after the other."""
    y = torch.cat(x)
    assert y.shape == (total, width)
    return y
