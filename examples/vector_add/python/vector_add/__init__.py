"""Ascend C operators for PyTorch: VectorAdd."""

from __future__ import annotations

import torch
from torch import Tensor

from vector_add import _ops as _ops  # registers what torch must know of the operators
from vector_add._modules import VectorAdd
from vector_add._opforge import _checks
from vector_add._opforge._fallback import FallbackWarning

__all__ = ["FallbackWarning", "VectorAdd", "vector_add"]


def vector_add(x: Tensor, y: Tensor) -> Tensor:
    """Element-wise sum of two tensors.

    Computes::

        z = x + y

    Args:
        x: shape [...]; float16, bfloat16, float32.
        y: shape [...]; float16, bfloat16, float32.

    Returns:
        z: shape [...]; float16, bfloat16, float32.

    Raises:
        TypeError: an argument is not a tensor, or the combination of dtypes is not supported.
        ValueError: the shapes do not broadcast, or have more than 8 dimensions.
        RuntimeError: the arguments are on several devices, or the operator failed.
    """
    _checks.check_tensors("vector_add", x=x, y=y)
    return torch.ops.vector_add.vector_add(x, y)
