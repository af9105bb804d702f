"""Ascend C operators for PyTorch: SwiGLU."""

from __future__ import annotations

import torch
from torch import Tensor

from swiglu import _ge as _ge  # registers how they are written into a GE graph
from swiglu import _ops as _ops  # registers what torch must know of the operators
from swiglu._modules import SwiGLU
from swiglu._opforge import _checks
from swiglu._opforge._fallback import FallbackWarning
from swiglu._opforge._fusion import fuse

__all__ = ["FallbackWarning", "SwiGLU", "fuse", "swiglu"]


def swiglu(x: Tensor, w_gate: Tensor, w_up: Tensor) -> Tensor:
    """Gated linear unit with SiLU, as in the feed-forward layers of LLaMA.

    Computes::

        y = silu(x @ w_gate) * (x @ w_up)

    Args:
        x: shape [..., H]; float16, bfloat16, float32.
        w_gate: shape [H, I]; float16, bfloat16, float32.
        w_up: shape [H, I]; float16, bfloat16, float32.

    Returns:
        y: shape [..., I]; float16, bfloat16, float32.

    Raises:
        TypeError: an argument is not a tensor, or the combination of dtypes is not supported.
        ValueError: a symbol has two sizes, or more than int32 holds, or a rank is wrong.
        RuntimeError: the arguments are on several devices, or the operator failed.
    """
    _checks.check_tensors("swiglu", x=x, w_gate=w_gate, w_up=w_up)
    return torch.ops.swiglu.swiglu(x, w_gate, w_up)
