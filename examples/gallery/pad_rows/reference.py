"""The meaning of PadRows."""

import torch
from torch import Tensor


def pad_rows(x: Tensor, pad: int, value: float = 0.0) -> Tensor:
    """Rows longer by `pad` elements of a value."""
    rest = x.new_full((*x.shape[:-1], pad), value)
    return torch.cat([x, rest], -1)
