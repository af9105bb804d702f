"""The meaning of GatherElements."""

import torch
from torch import Tensor


def gather_elements(x: Tensor, index: Tensor) -> Tensor:
    """Along the last axis."""
    return torch.gather(x, 1, index.long())
