"""The meaning of LayerNormRows."""

import torch
from torch import Tensor


def layer_norm_rows(x: Tensor, gamma: Tensor, beta: Tensor, epsilon: float = 1e-5) -> tuple[Tensor, Tensor, Tensor]:
    """The norm, the means and one over the deviations of the rows."""
    wide = x.double()
    mean = wide.mean(dim=-1)
    rstd = torch.rsqrt(wide.var(dim=-1, correction=0) + epsilon)
    y = (wide - mean.unsqueeze(-1)) * rstd.unsqueeze(-1) * gamma.double() + beta.double()
    return y.to(x.dtype), mean.to(x.dtype), rstd.to(x.dtype)
