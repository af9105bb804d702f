"""The meaning of DropOutBytes."""

import torch
from torch import Tensor


def drop_out_bytes(x: Tensor, mask: Tensor, keep_prob: float) -> Tensor:
    """Zero where the mask is, and the others as if none had gone."""
    return torch.where(mask.bool(), x.double() / keep_prob, 0.0).to(x.dtype)
