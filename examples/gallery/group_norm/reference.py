"""The meaning of GroupNorm."""

import torch
from torch import Tensor


def group_norm(x: Tensor, gamma: Tensor, beta: Tensor, groups: int, epsilon: float = 1e-5) -> Tensor:
    """In double. PyTorch's own refuses groups of one element."""
    grouped = x.double().unflatten(1, (groups, -1))
    centred = grouped - grouped.mean(dim=(2, 3), keepdim=True)
    normed = centred * torch.rsqrt(centred.square().mean(dim=(2, 3), keepdim=True) + epsilon)
    return (normed.flatten(1, 2) * gamma.double()[:, None] + beta.double()[:, None]).to(x.dtype)
