"""Gradients of elementwise operators: against the autograd of the golden reference, and against differences."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import Tensor

from opforge.testing.checks.closeness import assert_close
from opforge.testing.checks.op_case import OpCase, random_inputs
from opforge.testing.checks.tensors import double, on
from opforge.testing.measuring.drawing import random_tensor

__tracebackhide__ = True  # for pytest, which then shows the test itself

MANY = 500_009  # elements: more than a tile for each of 48 cores; a prime


def differentiable(values: list[Any], place: Callable[[Tensor], Tensor]) -> tuple[list[Any], list[Tensor]]:
    """The arguments on the device, and those of them that have gradients."""
    inputs = [value if value is None else place(value) for value in values]
    leaves = [value.requires_grad_() for value in inputs if value is not None and value.dtype.is_floating_point]
    return inputs, leaves


def check_gradients(op: OpCase, values: list[Any]) -> None:
    """The gradients of all inputs that have one equal those of the golden reference in float64."""

    def gradients(function: Callable[..., tuple[Tensor, ...]], place: Callable[[Tensor], Tensor]) -> Any:
        inputs, leaves = differentiable(values, place)
        outputs = [output for output in function(*inputs) if output.requires_grad]
        weights = [place(random_tensor(o.shape, o.dtype, 100 + i).to(o.device)) for i, o in enumerate(outputs)]
        return torch.autograd.grad(outputs, leaves, weights, allow_unused=True)

    names = [n for n, v in zip(op.inputs, values, strict=True) if v is not None and v.dtype.is_floating_point]
    dtypes = [value.dtype for value in values if value is not None and value.dtype.is_floating_point]
    actual = gradients(op, Tensor.npu)
    native = gradients(op, Tensor.clone)
    golden = gradients(op.golden, double)
    for name, dtype, grad, cpu, exact in zip(names, dtypes, actual, native, golden, strict=True):
        if grad is None:  # which is 0: nothing depends on the input, or only what has no slope
            assert exact is None or not exact.any(), f"the gradient of {name} is None, that of the golden is not 0"
        elif exact is None:
            assert not grad.any(), f"the gradient of {name} is not 0, that of the golden is None"
        else:
            assert_close(grad, exact.to(dtype), f"the gradient of {name}", cpu)


def check_gradients_of_many_tiles(op: OpCase, column: int) -> None:
    """The gradients for one element, and for several tiles on each core, without broadcasting."""
    for size in (1, MANY):
        if op.symbols:
            sizes = dict.fromkeys(op.symbols, 1) | {op.symbols[-1]: size}
            check_gradients(op, random_inputs(op, column, **sizes))
        else:
            check_gradients(op, random_inputs(op, column, (size,)))


def smooth_inputs(op: OpCase, *shapes: tuple[int, ...]) -> list[Tensor]:
    """Inputs in float64, away from 0 and from each other because of kinks in operators, and positive for log.

    They are smaller or larger where results, or those a little further on, are not finite: asin ends at 1, and acosh
    begins there.
    """
    made = random_inputs(op, 0, *shapes)
    values = {i: random_tensor(made[i].shape, torch.float64, seed=i + 1) for i in op.floating(0)}

    def scaled(scale: float) -> list[Tensor]:
        smooth = {i: (0.5 + value.abs() / 8 + i / 10) * scale for i, value in values.items()}
        return [smooth.get(i, tensor) for i, tensor in enumerate(made)]

    def finite(scale: float) -> bool:
        return all(output.isfinite().all() for step in (0.9, 1.1) for output in op(*scaled(scale * step)))

    inputs = scaled(next((scale for scale in (1.0, 0.5, 3.0) if finite(scale)), 1.0))
    return [tensor.requires_grad_() if i in values else tensor for i, tensor in enumerate(inputs)]


def check_formulas(op: OpCase, *shapes: tuple[int, ...]) -> None:
    """First and second derivatives against differences, on the CPU."""
    if op.detaches:
        pytest.skip("its expression detaches values: differences see what its gradient leaves out")
    inputs = smooth_inputs(op, *shapes)
    floating = [inputs[i] for i in op.floating(0)]

    def function(*values: Tensor) -> tuple[Tensor, ...]:
        given = [*inputs]
        for i, value in zip(op.floating(0), values, strict=True):
            given[i] = value
        return tuple(output for output in op(*given) if output.dtype == torch.float64)

    if not function(*floating):
        pytest.skip("its results have a dtype of their own")
    assert torch.autograd.gradcheck(function, floating)
    assert torch.autograd.gradgradcheck(function, floating)


def check_what_is_needed(op: OpCase) -> None:
    """If only one input needs a gradient, that input has one, with its own shape."""
    for wanted in op.floating(0):
        values = random_inputs(op, 0, (33,))
        leaves = []
        for function, inputs in ((op, on("npu", values)), (op.golden, [double(value) for value in values])):
            leaves.append(inputs[wanted].requires_grad_())
            outputs = [output for output in function(*inputs) if output.requires_grad]
            if outputs:
                sum(output.double().sum() for output in outputs).backward()
        actual, golden = (leaf.grad for leaf in leaves)
        if actual is None:  # which is 0
            assert golden is None or not golden.any()
        else:
            assert golden is None or actual.shape == golden.shape


def check_no_derivative(op: OpCase) -> None:
    """An operator without a derivative raises an error."""
    inputs = on("npu", random_inputs(op, 0, (33,)))
    for i in op.floating(0):
        inputs[i].requires_grad_()
    for output in op(*inputs):
        if output.requires_grad:
            with pytest.raises(RuntimeError, match=f"{op.name} has no derivative"):
                output.float().sum().backward()


def check_no_gradient_is_lost(op: OpCase) -> None:
    """An in-place operator refuses an argument that needs a gradient."""
    for device in ("npu", "cpu"):
        for i in op.floating(0):
            inputs = on(device, random_inputs(op, 0, (33,)))
            inputs[i].requires_grad_()
            for function in (op.function, op.overload):
                with pytest.raises(RuntimeError, match=f"{op.name}: {op.inputs[i]} is .*in place, which has no deriv"):
                    function(*op.arguments(*inputs))
            with torch.no_grad():
                op(*inputs)
