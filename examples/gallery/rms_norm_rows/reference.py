"""The meaning of RmsNormRows."""

import torch
from torch import Tensor


def rms_norm_rows(x: Tensor, gamma: Tensor, epsilon: float = 1e-6) -> Tensor:
    """Each row over its root mean square, times gamma."""
    wide = x.double()
    return (wide / torch.sqrt(wide.square().mean(dim=-1, keepdim=True) + epsilon) * gamma.double()).to(x.dtype)
