"""The meaning of GroupNorm."""

import torch
from torch import Tensor


def group_norm(x: Tensor, gamma: Tensor, beta: Tensor, groups: int, epsilon: float = 1e-5) -> Tensor:
    """PyTorch's, in double."""
    return torch.nn.functional.group_norm(x.double(), groups, gamma.double(), beta.double(), epsilon).to(x.dtype)
