"""The meaning of SwigluFused."""

import torch
from torch import Tensor


def swiglu_fused(x: Tensor) -> Tensor:
    """The first half of the last axis through silu, times the second."""
    a, b = x.double().chunk(2, dim=-1)
    return (torch.nn.functional.silu(a) * b).to(x.dtype)
