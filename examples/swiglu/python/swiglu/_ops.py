"""Registers the operators of swiglu in torch, except the NPU implementation in csrc/adapter.cpp.

These are Meta functions (shapes and dtypes without data), the CPU implementation, and the derivatives.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from swiglu import _reference
from swiglu._opforge import _autocast, _checks, _fallback, _products, _runtime, _shapes

_runtime.load()  # registers the schemas, which the code below needs

# SwiGLU: a row is one supported combination of dtypes.
SWIGLU_COLUMNS: _checks.Columns = (
    (torch.float16, torch.float16, torch.float16),
    (torch.bfloat16, torch.bfloat16, torch.bfloat16),
    (torch.float32, torch.float32, torch.float32),
)
SWIGLU_SHAPES = _shapes.Shapes(inputs={"x": ("...", "H"), "w_gate": ("H", "I"), "w_up": ("H", "I")}, rows=True)


@torch.library.register_fake("swiglu::swiglu")
def _swiglu_fake(x: Tensor, w_gate: Tensor, w_up: Tensor) -> Tensor:
    sizes = _shapes.check_arguments("swiglu", SWIGLU_COLUMNS, SWIGLU_SHAPES, x=x, w_gate=w_gate, w_up=w_up)
    return x.new_empty((*sizes.leading, sizes["I"]))


@_fallback.computes("swiglu", "swiglu")
def _swiglu_cpu(x: Tensor, w_gate: Tensor, w_up: Tensor) -> Tensor:
    _shapes.check_arguments("swiglu", SWIGLU_COLUMNS, SWIGLU_SHAPES, x=x, w_gate=w_gate, w_up=w_up)
    y = _reference.swiglu(x, w_gate, w_up)
    return y.contiguous()


def _swiglu_setup_context(ctx: Any, inputs: tuple[Any, ...], output: Any) -> None:
    x, w_gate, w_up = inputs
    ctx.save_for_backward(x, w_gate, w_up)


@_autocast.outside_autocast
def _swiglu_backward(ctx: Any, grad_y: Tensor) -> tuple[Tensor | None, ...]:
    x, w_gate, w_up = ctx.saved_tensors
    grad_x: Tensor | None = None
    grad_w_gate: Tensor | None = None
    grad_w_up: Tensor | None = None
    gate = x @ w_gate
    up = x @ w_up
    grad_gate, grad_up = torch.ops.swiglu.swiglu_grad(grad_y, gate, up)
    if ctx.needs_input_grad[0]:
        grad_x = grad_gate @ w_gate.T + grad_up @ w_up.T
    if ctx.needs_input_grad[1]:
        grad_w_gate = _products.folded(x).T @ _products.folded(grad_gate)
    if ctx.needs_input_grad[2]:
        grad_w_up = _products.folded(x).T @ _products.folded(grad_up)
    return grad_x, grad_w_gate, grad_w_up


torch.library.register_autograd("swiglu::swiglu", _swiglu_backward, setup_context=_swiglu_setup_context)
_autocast.follow_autocast("swiglu", SWIGLU_COLUMNS)

# SwiGLUGrad: a row is one supported combination of dtypes.
SWIGLU_GRAD_COLUMNS: _checks.Columns = (
    (torch.float16, torch.float16, torch.float16),
    (torch.bfloat16, torch.bfloat16, torch.bfloat16),
    (torch.float32, torch.float32, torch.float32),
)


@torch.library.register_fake("swiglu::swiglu_grad")
def _swiglu_grad_fake(grad_y: Tensor, gate: Tensor, up: Tensor) -> tuple[Tensor, Tensor]:
    shape = _checks.check_arguments("swiglu_grad", SWIGLU_GRAD_COLUMNS, grad_y=grad_y, gate=gate, up=up)
    return (grad_y.new_empty(shape), grad_y.new_empty(shape))


@_fallback.computes("swiglu_grad", "swiglu")
def _swiglu_grad_cpu(grad_y: Tensor, gate: Tensor, up: Tensor) -> tuple[Tensor, Tensor]:
    _checks.check_arguments("swiglu_grad", SWIGLU_GRAD_COLUMNS, grad_y=grad_y, gate=gate, up=up)
    grad_gate, grad_up = _reference.swiglu_grad(grad_y, gate, up)
    return grad_gate.contiguous(), grad_up.contiguous()


def _swiglu_grad_backward(ctx: Any, grad_grad_gate: Tensor, grad_grad_up: Tensor) -> None:
    raise RuntimeError("swiglu.swiglu_grad has no derivative: swiglu can be differentiated once")


torch.library.register_autograd("swiglu::swiglu_grad", _swiglu_grad_backward)
