"""Regions of torch.autocast: derivatives ignore them, and compiled code behaves like eager code."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from opforge.testing.checks.closeness import assert_same
from opforge.testing.checks.tensors import as_tuple, on
from opforge.testing.checks.tested_operator import ExpressedOperator

NARROW = (torch.float16, torch.bfloat16)


def narrow_on(device: str) -> list[torch.dtype]:
    """The dtypes of autocast regions: torch_npu does not support bfloat16 regions on a SoC without bfloat16."""
    return [dtype for dtype in NARROW if device == "cpu" or dtype in torch.npu.get_amp_supported_dtype()]


def gradients(
    function: Callable[..., Any], arguments: tuple[Any, ...], device: str, *, forward: bool, backward: bool
) -> list[Tensor | None]:
    """The gradients of the floating-point arguments, with each pass inside or outside a region."""
    tensors = [value for value in arguments if isinstance(value, Tensor) and value.dtype.is_floating_point]
    leaves = [tensor.requires_grad_() for tensor in tensors]
    with torch.autocast(device, dtype=torch.float16, enabled=forward):
        outputs = [output for output in as_tuple(function(*arguments)) if output.requires_grad]
    with torch.autocast(device, dtype=torch.float16, enabled=backward):
        weights = [torch.ones_like(output) for output in outputs]
        found = torch.autograd.grad(outputs, leaves, weights, allow_unused=True)
    assert all(grad is None or grad.dtype == leaf.dtype for grad, leaf in zip(found, leaves, strict=True))
    return [*found]


def check_backward_in_region(op: ExpressedOperator, device: str) -> None:
    """The backward pass ignores regions."""
    arguments = op.arguments(*on(device, op.sample(-1, 5)))
    for forward in (False, True):
        outside, inside = (
            gradients(op.function, arguments, device, forward=forward, backward=backward) for backward in (False, True)
        )
        assert_same(inside, outside)


def check_compiled_in_region(op: ExpressedOperator) -> None:
    """A region has the same effect on compiled code."""
    torch.compiler.reset()
    compiled = torch.compile(op.function, backend="aot_eager", fullgraph=True)
    arguments = op.arguments(*on("npu", op.sample(-1, 5)))
    eager = gradients(op.function, arguments, "npu", forward=True, backward=False)
    assert_same(gradients(compiled, arguments, "npu", forward=True, backward=False), eager)
