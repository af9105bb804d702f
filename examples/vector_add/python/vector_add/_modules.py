"""The operators of vector_add as modules: their parameters, the initial values, the call."""

from __future__ import annotations

import torch
from torch import Tensor

import vector_add


class VectorAdd(torch.nn.Module):
    """Element-wise sum of two tensors.

    Computes::

        z = x + y

    Shape:
        x: shape [...]; float16, bfloat16, float32.
        y: shape [...]; float16, bfloat16, float32.
        z: shape [...]; float16, bfloat16, float32.
    """

    def forward(self, x: Tensor, y: Tensor) -> Tensor:
        """Applies the operator to these tensors."""
        return vector_add.vector_add(x, y)
