"""Registers the operators of vector_add in torch, except the NPU implementation in csrc/adapter.cpp.

These are Meta functions (shapes and dtypes without data), the CPU implementation, and the derivatives.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from vector_add import _reference
from vector_add._opforge import _autocast, _broadcast, _checks, _fallback, _runtime

_runtime.load()  # registers the schemas, which the code below needs

# VectorAdd: a row is one supported combination of dtypes.
VECTOR_ADD_COLUMNS: _checks.Columns = (
    (torch.float16, torch.float16),
    (torch.bfloat16, torch.bfloat16),
    (torch.float32, torch.float32),
)


@torch.library.register_fake("vector_add::vector_add")
def _vector_add_fake(x: Tensor, y: Tensor) -> Tensor:
    shape = _checks.check_arguments("vector_add", VECTOR_ADD_COLUMNS, x=x, y=y)
    return x.new_empty(shape)


@_fallback.computes("vector_add", "vector_add")
def _vector_add_cpu(x: Tensor, y: Tensor) -> Tensor:
    _checks.check_arguments("vector_add", VECTOR_ADD_COLUMNS, x=x, y=y)
    z = _reference.vector_add(x, y)
    return z.contiguous()


def _vector_add_setup_context(ctx: Any, inputs: tuple[Any, ...], output: Any) -> None:
    x, y = inputs
    ctx.shape_x = x.shape
    ctx.dtype_x = x.dtype
    ctx.shape_y = y.shape
    ctx.dtype_y = y.dtype


@_autocast.outside_autocast
def _vector_add_backward(ctx: Any, grad_z: Tensor) -> tuple[Tensor | None, ...]:
    grad_x: Tensor | None = None
    grad_y: Tensor | None = None
    if ctx.needs_input_grad[0]:
        grad_x = _broadcast.summed_to(grad_z, ctx.shape_x, ctx.dtype_x)
    if ctx.needs_input_grad[1]:
        grad_y = _broadcast.summed_to(grad_z, ctx.shape_y, ctx.dtype_y)
    return grad_x, grad_y


torch.library.register_autograd("vector_add::vector_add", _vector_add_backward, setup_context=_vector_add_setup_context)
_autocast.promote_in_autocast("vector_add", VECTOR_ADD_COLUMNS)
