"""The meaning of MoeGatingTopKSoftmax."""

import torch
from torch import Tensor


def moe_gating_top_k_softmax(x: Tensor, k: int) -> tuple[Tensor, Tensor]:
    """Probabilities of the k likeliest experts of each token, the likeliest first."""
    values, indices = torch.sort(torch.softmax(x.double(), 1), dim=1, descending=True, stable=True)
    return values[:, :k].float().contiguous(), indices[:, :k].to(torch.int32).contiguous()
