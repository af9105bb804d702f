"""The meaning of NonzeroCount."""

import torch
from torch import Tensor


def nonzero_count(x: Tensor) -> Tensor:
    """How many elements are not 0."""
    return x.count_nonzero().reshape(1).to(torch.int32)
