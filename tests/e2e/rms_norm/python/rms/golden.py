"""The reference of RMSNorm."""

import torch


def rms_norm(x: torch.Tensor, gamma: torch.Tensor, eps: float = 1e-6) -> torch.Tensor:
    """Divides each row by the root of its mean square, and multiplies by gamma. x [..., H], gamma [H]."""
    wide = x if x.dtype == torch.float64 else x.float()
    return (wide * torch.rsqrt((wide * wide).mean(-1, keepdim=True) + eps) * gamma.to(wide.dtype)).to(x.dtype)
