"""The meaning of LayerNormGradRows."""

import torch
from torch import Tensor


def layer_norm_grad_rows(  # noqa: PLR0917 - as many as the op has
    dy: Tensor, x: Tensor, variance: Tensor, mean: Tensor, gamma: Tensor, epsilon: float = 1e-5
) -> tuple[Tensor, Tensor, Tensor]:
    """What the chain rule makes of (x - mean) / sqrt(variance + epsilon) * gamma, where both are those of the rows."""
    dy, wide, gamma = dy.double(), x.double(), gamma.double()
    rstd = torch.rsqrt(variance.double() + epsilon).unsqueeze(-1)
    normed = (wide - mean.double().unsqueeze(-1)) * rstd
    scaled = dy * gamma
    dx = rstd * (scaled - scaled.mean(dim=-1, keepdim=True) - normed * (scaled * normed).mean(dim=-1, keepdim=True))
    rows = tuple(range(x.dim() - 1))
    return dx.to(x.dtype), (dy * normed).sum(dim=rows).to(x.dtype), dy.sum(dim=rows).to(x.dtype)
