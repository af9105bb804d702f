# Owned by opforge: `opforge update` replaces this file.
# SPDX-License-Identifier: Apache-2.0
"""Derivatives of broadcast inputs: sums over the dimensions that were broadcast."""

from __future__ import annotations

import torch
from torch import Tensor


def summed_to(grad: Tensor, shape: torch.Size, dtype: torch.dtype) -> Tensor:
    """The gradient of an input of this shape: repeated where it stands for a whole row, and summed where the input was.

    16-bit types are summed in float32 and rounded once.
    """
    if grad.shape == shape:
        return grad.to(dtype)
    grad = grad.expand(torch.broadcast_shapes(grad.shape, shape))
    return grad.to(torch.promote_types(grad.dtype, torch.float32)).sum_to_size(shape).to(dtype)
