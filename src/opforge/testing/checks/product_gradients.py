"""Gradients of operators with matrix products: against the golden reference in float64, and against differences."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import Tensor

from opforge.testing.checks.closeness import assert_product_close
from opforge.testing.checks.product_case import GradientKernel, ProductCase, Sizes, kernel_inputs, product_inputs
from opforge.testing.measuring.drawing import random_tensor

__tracebackhide__ = True  # for pytest, which then shows the test itself


def check_product_gradients(op: ProductCase, values: list[Any]) -> None:
    """The gradients of all given inputs equal those of the golden reference."""
    outputs = op(*(None if value is None else value.npu() for value in values))
    weights = [random_tensor(output.shape, output.dtype, 100 + i) for i, output in enumerate(outputs)]

    def gradients(function: Callable[..., tuple[Tensor, ...]], place: Callable[[Tensor], Tensor]) -> Any:
        inputs = [None if value is None else place(value).requires_grad_() for value in values]
        given = [tensor for tensor in inputs if tensor is not None]
        return torch.autograd.grad(function(*inputs), given, [place(weight) for weight in weights])

    actual = gradients(op, Tensor.npu)
    native = gradients(op, Tensor.clone)
    golden = gradients(op.golden, Tensor.double)
    given = [(name, value) for name, value in zip(op.inputs, values, strict=True) if value is not None]
    for (name, value), grad, exact, cpu in zip(given, actual, golden, native, strict=True):
        assert_product_close(grad, exact.to(value.dtype), f"the gradient of {name} of shape {list(value.shape)}", cpu)


def check_product_formulas(op: ProductCase, sizes: Sizes) -> None:
    """First derivatives against differences, on the CPU, with and without optional inputs."""
    inputs = [value.double().requires_grad_() for value in product_inputs(op, -1, sizes)]
    assert torch.autograd.gradcheck(op, inputs)
    if op.optional:
        assert torch.autograd.gradcheck(op, op.without_optional(inputs))


def check_what_products_need(op: ProductCase) -> None:
    """Exactly the inputs that need gradients get them, in each combination."""
    for wanted in itertools.product([False, True], repeat=len(op.inputs)):
        if any(wanted):
            values = zip(product_inputs(op, 0, ((33,), 7, 5)), wanted, strict=True)
            inputs = [value.npu().requires_grad_(want) for value, want in values]
            total(op(*inputs)).backward()
            assert [tensor.grad is not None for tensor in inputs] == list(wanted)


def check_gradients_through_views(op: ProductCase) -> None:
    """Transposed leaves have the same gradients as contiguous ones."""
    values = product_inputs(op, 0, ((33,), 7, 5))
    leaves = [value.transpose(0, -1).contiguous().npu().requires_grad_() for value in values]
    total(op(*(leaf.transpose(0, -1) for leaf in leaves))).backward()
    straight = [value.npu().requires_grad_() for value in values]
    total(op(*straight)).backward()
    for name, leaf, other in zip(op.inputs, leaves, straight, strict=True):
        assert leaf.grad is not None
        assert_product_close(leaf.grad.transpose(0, -1), other.grad.cpu(), f"the gradient of {name}, transposed")


def check_no_product_derivative(op: ProductCase) -> None:
    """An operator without a derivative raises an error."""
    inputs = [tensor.npu().requires_grad_() for tensor in product_inputs(op, 0, ((5,), 7, 3))]
    with pytest.raises(RuntimeError, match=f"{op.name} has no derivative"):
        total(op(*inputs)).backward()


def check_no_second_derivative(kernel: GradientKernel, device: str) -> None:
    """A derivative's kernel has no derivative, and raises an error."""
    inputs = [tensor.to(device).requires_grad_() for tensor in kernel_inputs(kernel, 0, (5,))]
    with pytest.raises(RuntimeError, match=f"{kernel.name} has no derivative: .* can be differentiated once"):
        total(kernel(*inputs)).backward()


def total(outputs: tuple[Tensor, ...]) -> Tensor:
    """The sum of all outputs."""
    return torch.stack([output.float().sum() for output in outputs]).sum()
