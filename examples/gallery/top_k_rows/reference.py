"""The meaning of TopKRows."""

import torch
from torch import Tensor


def top_k_rows(x: Tensor, k: int) -> tuple[Tensor, Tensor]:
    """Equal values in the order in which they stand."""
    values, indices = torch.sort(x, dim=1, descending=True, stable=True)
    return values[:, :k].contiguous(), indices[:, :k].to(torch.int32).contiguous()
