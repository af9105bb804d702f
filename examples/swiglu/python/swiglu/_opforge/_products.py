# Owned by opforge: `opforge update` replaces this file.
# SPDX-License-Identifier: Apache-2.0
"""Derivatives of matrix products: merges leading dimensions into rows, and sums over rows."""

from __future__ import annotations

import torch
from torch import Tensor


def folded(tensor: Tensor) -> Tensor:
    """[..., N] as [M, N], where M may be 0; a vector is one row."""
    return tensor.unsqueeze(0) if tensor.dim() == 1 else tensor.flatten(0, -2)


def summed(tensor: Tensor) -> Tensor:
    """[..., N] summed over all rows: [N]. 16-bit types are summed in float32 and rounded once."""
    wide = torch.promote_types(tensor.dtype, torch.float32)
    return folded(tensor).sum(0, dtype=wide).to(tensor.dtype)


def repeated(grad: Tensor, columns: int) -> Tensor:
    """[..., 1] as [..., N]: the gradient of a value that stands for a whole row."""
    return grad.expand(*grad.shape[:-1], columns)
