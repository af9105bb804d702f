"""Wrong arguments of elementwise operators: each raises an error that names the argument."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest
import torch

from opforge.testing.checks.op_case import OpCase, random_inputs
from opforge.testing.checks.tensors import on
from opforge.testing.checks.wrong_arguments import (
    a_cpu_tensor_among_npu_tensors,
    an_argument_that_does_not_exist,
    dtypes_apart,
    dtypes_that_do_not_go_together,
    every_op,
    none_for_the_dispatcher,
    refused,
    what_is_not_a_tensor,
)


def placed(device: str, op: OpCase, *shapes: tuple[int, ...]) -> list[Any]:
    """Valid inputs, before a test changes one of them."""
    return on(device, random_inputs(op, 0, *(shapes or ((5,),))))


def a_dtype_that_is_not_supported(op: OpCase, device: str) -> None:
    """An unsupported dtype. The message lists the supported ones."""
    for i, name in enumerate(op.inputs):
        supported = {column[i] for column in op.columns}
        other = next(dtype for dtype in (torch.int32, torch.int16, torch.bool, torch.float16) if dtype not in supported)
        inputs = placed(device, op)
        inputs[i] = inputs[i].to(other)
        refused(op, inputs, TypeError, f"{name} has dtype {str(other).removeprefix('torch.')}; supported: ")


def shapes_that_do_not_broadcast(op: OpCase, device: str) -> None:
    """Shapes that do not broadcast. The message contains both."""
    inputs = placed(device, op, (2, 3))
    inputs[1] = inputs[1].new_empty((4,))
    first, second = op.inputs[:2]
    message = f"{first} of shape [2, 3] and {second} of shape [4] do not broadcast"
    with pytest.raises(ValueError, match=re.escape(message)):
        op(*inputs)


def leading_dimensions_that_must_be_equal(op: OpCase, device: str) -> None:
    """Leading dimensions that would broadcast, but are reduced."""
    inputs = placed(device, op, (2, 3))
    inputs[1] = inputs[1].new_empty((2, 1))
    first, second = op.inputs[:2]
    message = (
        f"the leading dimensions of {first} of shape [2, 3] and {second} of shape [2, 1] differ: [2, 3] and [2, 1]"
    )
    with pytest.raises(ValueError, match=re.escape(message)):
        op(*inputs)


def sizes_that_must_be_equal(op: OpCase, device: str) -> None:
    """Two different sizes for one symbol."""
    for symbol in op.symbols:
        having = [name for name in op.inputs if symbol in op.dims.get(name, ())]
        for other in having[1:]:
            inputs = placed(device, op)
            i, first = op.inputs.index(other), inputs[op.inputs.index(having[0])]
            shape = [*inputs[i].shape]
            place = op.dims[other].index(symbol) - len(op.dims[other])
            known, shape[place] = shape[place], 1  # not broadcast here
            inputs[i] = inputs[i].new_empty(shape)
            message = f"{symbol} is {known} in {having[0]} of shape {[*first.shape]} and 1 in {other} of shape {shape}"
            refused(op, inputs, ValueError, message)


def too_many_dimensions(op: OpCase, device: str) -> None:
    """Nine dimensions."""
    for i, name in enumerate(op.inputs):
        inputs = placed(device, op)
        inputs[i] = inputs[i].new_empty((1,) * 9)
        refused(op, inputs, ValueError, f"{name} has 9 dimensions; at most 8 are supported")


def a_result_that_does_not_fit_where_it_is_written(op: OpCase, device: str) -> None:
    """An in-place argument with a shape that differs from the result's."""
    inputs = placed(device, op, (5,))
    place = op.inputs.index(op.written[0])
    inputs[place] = inputs[place].new_empty((1,))
    message = f"{op.written[0]} is written in place: it has shape [1], and the result has [5]"
    refused(op, inputs, ValueError, message)


def _several(op: OpCase) -> bool:
    return len(op.inputs) > 1


def _broadcasting(op: OpCase) -> bool:
    return len(op.inputs) > 1 and not op.dims and not op.reduced


def _mixed(op: OpCase) -> bool:
    return len(op.inputs) > 1 and bool(dtypes_apart(op))


def _reduced(op: OpCase) -> bool:
    return "..." in op.reduced and len(op.inputs) > 1 and not op.dims


def _named(op: OpCase) -> bool:
    return any(sum(symbol in dims for dims in op.dims.values()) > 1 for symbol in op.symbols)


def _partly_written(op: OpCase) -> bool:
    return bool(op.written) and len(op.inputs) > len(op.written) and not op.dims


BOTH = ("npu", "cpu")
# Each check, with the devices that it is tried on and the operators that it applies to.
WRONG_CALLS: tuple[tuple[Callable[[OpCase, str], None], tuple[str, ...], Callable[[OpCase], bool]], ...] = (
    (what_is_not_a_tensor, ("npu",), every_op),
    (none_for_the_dispatcher, BOTH, _several),
    (a_dtype_that_is_not_supported, BOTH, every_op),
    (dtypes_that_do_not_go_together, BOTH, _mixed),
    (shapes_that_do_not_broadcast, BOTH, _broadcasting),
    (leading_dimensions_that_must_be_equal, BOTH, _reduced),
    (sizes_that_must_be_equal, BOTH, _named),
    (too_many_dimensions, BOTH, every_op),
    (a_result_that_does_not_fit_where_it_is_written, BOTH, _partly_written),
    (a_cpu_tensor_among_npu_tensors, ("npu",), _several),
    (an_argument_that_does_not_exist, ("npu",), every_op),
)
