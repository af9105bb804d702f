"""The operators of vector_add in torch: the golden reference of the tests, and the CPU implementation.

Values are computed in float32, or in float64 for float64 inputs, and rounded once at the end.
"""

from __future__ import annotations

import torch
from torch import Tensor


def vector_add(x: Tensor, y: Tensor) -> Tensor:
    """z = x + y"""
    dtype = x.dtype
    wide = torch.promote_types(x.dtype, torch.float32)
    x, y = x.to(wide), y.to(wide)
    z = x + y
    return z.to(dtype)
