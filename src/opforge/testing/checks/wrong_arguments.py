"""Wrong arguments that operators of all kinds refuse in the same way, and the check of an error."""

from __future__ import annotations

import re
from typing import Any

import pytest
import torch

from opforge.testing.checks.tensors import on
from opforge.testing.checks.tested_operator import ExpressedOperator

NOT_TENSORS = ((None, "None"), (1.0, "a float"), ([1.0], "a list"))


def right_inputs(op: ExpressedOperator, device: str) -> list[Any]:
    """Valid inputs, before a test changes one of them."""
    return on(device, op.sample(0, 5))


def refused(op: ExpressedOperator, inputs: list[Any], error: type[Exception], message: str) -> None:
    """Checks that the call raises this error and names the operator."""
    with pytest.raises(error, match=re.escape(f"{op.name}: {message}")):
        op(*inputs)


def what_is_not_a_tensor(op: ExpressedOperator, device: str) -> None:
    """None for a required argument, a number, and a list."""
    for value, called in NOT_TENSORS:
        for i, name in enumerate(op.inputs):
            if value is not None or name not in op.optional:
                inputs = right_inputs(op, device)
                inputs[i] = value
                refused(op, inputs, TypeError, f"{name} must be a Tensor, but it is {called}")


def none_for_the_dispatcher(op: ExpressedOperator, device: str) -> None:
    """None as an argument of torch.ops, which refuses it like the function."""
    place, last = [(i, name) for i, name in enumerate(op.inputs) if name not in op.optional][-1]
    inputs = right_inputs(op, device)
    inputs[place] = None
    with pytest.raises(TypeError, match=re.escape(f"{op.name}: {last} must be a Tensor, but it is None")):
        op.overload(*op.arguments(*inputs))


def dtypes_that_do_not_go_together(op: ExpressedOperator, device: str) -> None:
    """Dtypes that are supported, but not in this combination."""
    inputs = right_inputs(op, device)
    inputs[0] = inputs[0].to(dtypes_apart(op)[0])
    assert inputs[-1].dtype == op.columns[0][-1]
    refused(op, inputs, TypeError, f"({', '.join(op.inputs)}) have dtypes (")


def a_cpu_tensor_among_npu_tensors(op: ExpressedOperator, device: str) -> None:
    """A CPU tensor among NPU tensors. The message names it."""
    for i, name in enumerate(op.inputs):
        inputs = right_inputs(op, device)
        inputs[i] = inputs[i].cpu()
        refused(op, inputs, RuntimeError, f"{name} must be on an NPU as the other arguments are, but it is on cpu")


def an_argument_that_does_not_exist(op: ExpressedOperator, device: str) -> None:
    """An unknown argument, as for any Python function."""
    with pytest.raises(TypeError, match="nonsense"):
        op.function(*op.arguments(*right_inputs(op, device)), nonsense=1)


def dtypes_apart(op: ExpressedOperator) -> list[torch.dtype]:
    """Dtypes of the first input that are not supported with the dtypes of the others."""
    first = dict.fromkeys(column[0] for column in op.columns)
    return [dtype for dtype in first if (dtype, *op.columns[0][1:]) not in op.columns]


def every_op(_op: ExpressedOperator) -> bool:
    """True, for calls that are wrong for every operator."""
    return True
