"""Gradients on the NPU against the autograd of the golden reference, and their formulas against differences."""

from __future__ import annotations

import pytest
import torch
from torch import Tensor

from op_cases import COMBINATIONS, OPS, OpCase
from operators import identify
from precision import assert_close, random_inputs, random_tensor

DIFFERENTIABLE = [op for op in OPS if op.differentiable]
SHAPES = [((),), ((1009,),), ((3, 5), (5,)), ((4, 1, 7), (3, 1)), ((2, 3), (1, 1))]


def gradients(outputs: tuple[Tensor, ...], inputs: list[Tensor], weights: list[Tensor]) -> tuple[Tensor, ...]:
    return torch.autograd.grad(outputs, inputs, weights)


@pytest.mark.parametrize("shapes", SHAPES, ids=str)
@pytest.mark.parametrize(("op", "column"), [c for c in COMBINATIONS if c[0].differentiable], ids=identify)
def test_gradients(op: OpCase, column: int, shapes: tuple[tuple[int, ...], ...]) -> None:
    values = random_inputs(op, column, *shapes)
    on_npu = [value.npu().requires_grad_() for value in values]
    outputs = op(*on_npu)
    weights = [random_tensor(output.shape, output.dtype, 100 + i) for i, output in enumerate(outputs)]
    actual = gradients(outputs, on_npu, [weight.npu() for weight in weights])

    exact = [value.double().requires_grad_() for value in values]
    golden = gradients(op.golden(*exact), exact, [weight.double() for weight in weights])
    for name, grad, value, expected in zip(op.inputs, actual, values, golden, strict=True):
        assert_close(grad, expected.to(value.dtype), f"the gradient of {name}")


def smooth_inputs(op: OpCase, *shapes: tuple[int, ...]) -> list[Tensor]:
    """Double precision, away from 0 and from each other, where an operator may have a kink."""
    made = []
    for i in range(len(op.inputs)):
        value = random_tensor(shapes[i % len(shapes)], torch.float64, seed=i + 1)
        made.append((value.sign() * (0.5 + value.abs() / 4 + i / 10)).requires_grad_())
    return made


@pytest.mark.parametrize("shapes", [((5,),), ((2, 3), (3,)), ((2, 1), (1, 3)), ((), (2,))], ids=str)
@pytest.mark.parametrize("op", DIFFERENTIABLE, ids=identify)
def test_formulas_against_differences(op: OpCase, shapes: tuple[tuple[int, ...], ...]) -> None:
    inputs = smooth_inputs(op, *shapes)
    assert torch.autograd.gradcheck(op, inputs)
    assert torch.autograd.gradgradcheck(op, inputs)


@pytest.mark.parametrize("op", DIFFERENTIABLE, ids=identify)
def test_only_what_is_needed_is_computed(op: OpCase) -> None:
    for wanted in range(len(op.inputs)):
        inputs = [tensor.npu() for tensor in random_inputs(op, 0, (33,))]
        inputs[wanted].requires_grad_()
        sum(output.float().sum() for output in op(*inputs)).backward()
        assert [tensor.grad is not None for tensor in inputs] == [i == wanted for i in range(len(inputs))]


@pytest.mark.parametrize("op", [op for op in OPS if not op.differentiable], ids=identify)
def test_no_derivative(op: OpCase) -> None:
    inputs = [tensor.npu().requires_grad_() for tensor in random_inputs(op, 0, (33,))]
    with pytest.raises(RuntimeError, match=f"{op.name} has no derivative"):
        sum(output.float().sum() for output in op(*inputs)).backward()
