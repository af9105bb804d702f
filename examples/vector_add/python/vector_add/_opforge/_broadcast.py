# Owned by opforge: `opforge update` replaces this file.
# SPDX-License-Identifier: Apache-2.0
"""What derivatives need where inputs were broadcast: sums over the dimensions that an input did not have."""

from __future__ import annotations

import torch
from torch import Tensor


def summed_to(grad: Tensor, shape: torch.Size, dtype: torch.dtype) -> Tensor:
    """A gradient at the broadcast shape, as that of an input; 16-bit types are summed in float32 and rounded once."""
    if grad.shape == shape:
        return grad.to(dtype)
    return grad.to(torch.promote_types(grad.dtype, torch.float32)).sum_to_size(shape).to(dtype)
