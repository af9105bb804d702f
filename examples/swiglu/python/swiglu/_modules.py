"""The operators of swiglu as modules: their parameters, the initial values, the call."""

from __future__ import annotations

import math

import torch
from torch import Tensor

import swiglu


class SwiGLU(torch.nn.Module):
    """Gated linear unit with SiLU, as in the feed-forward layers of LLaMA.

    Computes::

        y = silu(x @ w_gate) * (x @ w_up)

    Args:
        hidden: size of H.
        intermediate: size of I.
        device: the parameters' device.
        dtype: the parameters' dtype, by default torch's default dtype: float16, bfloat16, float32.

    Attributes:
        w_gate: shape [H, I], uniform up to 1 / sqrt(H) at first.
        w_up: shape [H, I], uniform up to 1 / sqrt(H) at first.

    Shape:
        x: shape [..., H]; float16, bfloat16, float32.
        y: shape [..., I]; float16, bfloat16, float32.
    """

    def __init__(
        self,
        hidden: int,
        intermediate: int,
        *,
        device: torch.device | str | None = None,
        dtype: torch.dtype | None = None,
    ) -> None:
        super().__init__()
        self.hidden = hidden
        self.intermediate = intermediate
        self.w_gate = torch.nn.Parameter(torch.empty((hidden, intermediate), device=device, dtype=dtype))
        self.w_up = torch.nn.Parameter(torch.empty((hidden, intermediate), device=device, dtype=dtype))
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Gives the parameters their initial values."""
        bound = 1 / math.sqrt(max(self.hidden, 1))
        torch.nn.init.uniform_(self.w_gate, -bound, bound)
        torch.nn.init.uniform_(self.w_up, -bound, bound)

    def forward(self, x: Tensor) -> Tensor:
        """Applies the operator to these tensors."""
        return swiglu.swiglu(x, self.w_gate, self.w_up)

    def extra_repr(self) -> str:
        """The text between the brackets of the repr."""
        return f"hidden={self.hidden}, intermediate={self.intermediate}"
