"""Gradients of operators with matrix products: on the NPU against the golden's in float64, and against differences."""

from __future__ import annotations

import itertools
from collections.abc import Callable

import pytest
import torch
from torch import Tensor

from operators import identify
from precision import assert_product_close, kernel_inputs, product_inputs, random_tensor
from product_cases import GRADIENT_KERNELS, PRODUCT_COMBINATIONS, PRODUCTS, GradientKernel, ProductCase, Sizes

SIZES: list[Sizes] = [((5,), 7, 3), ((33,), 19, 65), ((130,), 129, 17), ((4,), 3, 0), ((0,), 3, 5), ((3,), 0, 5)]
FOLDED: list[Sizes] = [((), 7, 3), ((2, 3, 5), 19, 17), ((2, 0), 5, 3)]
DIFFERENTIABLE = [op for op in PRODUCTS if op.differentiable]
WITHOUT = [op for op in DIFFERENTIABLE if op.optional]


def omitted(op: ProductCase, values: list[Tensor]) -> list[Tensor | None]:
    """Without what is optional."""
    return [None if name in op.optional else value for name, value in zip(op.inputs, values, strict=True)]


def compare(op: ProductCase, values: list[Tensor | None]) -> None:
    """The gradients of all inputs that are given."""
    outputs = op(*(None if value is None else value.npu() for value in values))
    weights = [random_tensor(output.shape, output.dtype, 100 + i) for i, output in enumerate(outputs)]

    def gradients(function: Callable[..., tuple[Tensor, ...]], place: Callable[[Tensor], Tensor]) -> tuple[Tensor, ...]:
        inputs = [None if value is None else place(value).requires_grad_() for value in values]
        given = [tensor for tensor in inputs if tensor is not None]
        return torch.autograd.grad(function(*inputs), given, [place(weight) for weight in weights])

    actual = gradients(op, Tensor.npu)
    native = gradients(op, Tensor.clone)
    golden = gradients(op.golden, Tensor.double)
    given = [(name, value) for name, value in zip(op.inputs, values, strict=True) if value is not None]
    for (name, value), grad, exact, cpu in zip(given, actual, golden, native, strict=True):
        assert_product_close(grad, exact.to(value.dtype), f"the gradient of {name}", cpu)


@pytest.mark.parametrize(("op", "column"), [c for c in PRODUCT_COMBINATIONS if c[0].differentiable], ids=identify)
def test_gradients(op: ProductCase, column: int) -> None:
    for sizes in [*SIZES, *(FOLDED if op.folds else [])]:
        compare(op, [*product_inputs(op, column, sizes)])


@pytest.mark.parametrize("op", WITHOUT, ids=identify)
def test_gradients_without_what_is_optional(op: ProductCase) -> None:
    for column in range(len(op.columns)):
        compare(op, omitted(op, product_inputs(op, column, ((33,), 19, 65))))


@pytest.mark.parametrize("op", DIFFERENTIABLE, ids=identify)
def test_formulas_against_differences(op: ProductCase) -> None:
    for sizes in [((3,), 4, 5), ((1,), 2, 1), *([((), 3, 2), ((2, 1, 2), 3, 2)] if op.folds else [])]:
        inputs = [value.double().requires_grad_() for value in product_inputs(op, -1, sizes)]
        assert torch.autograd.gradcheck(op, inputs)
        if op.optional:
            assert torch.autograd.gradcheck(op, omitted(op, inputs))


@pytest.mark.parametrize("op", DIFFERENTIABLE, ids=identify)
def test_only_what_is_needed_is_computed(op: ProductCase) -> None:
    for wanted in itertools.product([False, True], repeat=len(op.inputs)):
        if any(wanted):
            values = zip(product_inputs(op, 0, ((33,), 7, 5)), wanted, strict=True)
            inputs = [value.npu().requires_grad_(want) for value, want in values]
            sum(output.float().sum() for output in op(*inputs)).backward()
            assert [tensor.grad is not None for tensor in inputs] == list(wanted)


@pytest.mark.parametrize("op", DIFFERENTIABLE, ids=identify)
def test_gradients_through_views(op: ProductCase) -> None:
    values = product_inputs(op, 0, ((33,), 7, 5))
    leaves = [value.transpose(0, -1).contiguous().npu().requires_grad_() for value in values]
    sum(output.float().sum() for output in op(*(leaf.transpose(0, -1) for leaf in leaves))).backward()
    straight = [value.npu().requires_grad_() for value in values]
    sum(output.float().sum() for output in op(*straight)).backward()
    for leaf, other in zip(leaves, straight, strict=True):
        assert_product_close(leaf.grad.transpose(0, -1), other.grad.cpu())


@pytest.mark.parametrize("op", [op for op in PRODUCTS if not op.differentiable], ids=identify)
def test_no_derivative(op: ProductCase) -> None:
    inputs = [tensor.npu().requires_grad_() for tensor in product_inputs(op, 0, ((5,), 7, 3))]
    with pytest.raises(RuntimeError, match=f"{op.name} has no derivative"):
        sum(output.float().sum() for output in op(*inputs)).backward()


@pytest.mark.parametrize("device", ["npu", "cpu"])
@pytest.mark.parametrize("kernel", GRADIENT_KERNELS, ids=identify)
def test_no_second_derivative(kernel: GradientKernel, device: str) -> None:
    inputs = [tensor.to(device).requires_grad_() for tensor in kernel_inputs(kernel, 0, (5,))]
    with pytest.raises(RuntimeError, match=f"{kernel.name} has no derivative: .* can be differentiated once"):
        sum(output.float().sum() for output in kernel(*inputs)).backward()
