"""The meaning of Rope."""

import torch
from torch import Tensor


def rope(x: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
    """Of (tokens, heads, dim); cos and sin are the same for all heads."""
    a, b = x.double().chunk(2, dim=-1)
    rotated = torch.cat((-b, a), dim=-1)
    return (x.double() * cos.double().unsqueeze(1) + rotated * sin.double().unsqueeze(1)).to(x.dtype)
