"""The operators of swiglu in torch: the golden reference of the tests, and the CPU implementation.

Values are computed in float32, or in float64 for float64 inputs, and rounded once at the end.
"""

from __future__ import annotations

import torch
from torch import Tensor


def swiglu(x: Tensor, w_gate: Tensor, w_up: Tensor) -> Tensor:
    """y = silu(x @ w_gate) * (x @ w_up)"""
    dtype = x.dtype
    wide = torch.promote_types(x.dtype, torch.float32)
    x, w_gate, w_up = x.to(wide), w_gate.to(wide), w_up.to(wide)
    y = torch.nn.functional.silu(x @ w_gate) * (x @ w_up)
    return y.to(dtype)


def swiglu_grad(grad_y: Tensor, gate: Tensor, up: Tensor) -> tuple[Tensor, Tensor]:
    """t6 = silu(gate)
    grad_gate = (grad_y * up) * (sigmoid(gate) * (1.0 + (gate - t6)))
    grad_up = grad_y * t6
    """
    dtype = grad_y.dtype
    wide = torch.promote_types(grad_y.dtype, torch.float32)
    grad_y, gate, up = grad_y.to(wide), gate.to(wide), up.to(wide)
    shape = torch.broadcast_shapes(grad_y.shape, gate.shape, up.shape)
    t6 = torch.nn.functional.silu(gate)
    grad_gate = grad_y * up * (torch.sigmoid(gate) * (1.0 + (gate - t6)))
    grad_up = torch.broadcast_to(grad_y * t6, shape)
    return grad_gate.to(dtype), grad_up.to(dtype)
