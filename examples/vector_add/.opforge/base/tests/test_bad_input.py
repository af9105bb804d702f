"""Wrong arguments raise an error that names the argument and says what was expected."""

from __future__ import annotations

import re
from typing import Any

import pytest
import torch

from op_cases import OPS, OpCase
from operators import identify, on
from precision import random_inputs

DEVICES = pytest.mark.parametrize("device", ["npu", "cpu"])
EVERY_OP = pytest.mark.parametrize("op", OPS, ids=identify)
SEVERAL = pytest.mark.parametrize("op", [op for op in OPS if len(op.inputs) > 1], ids=identify)
ANY_SHAPE = [op for op in OPS if not op.dims]
NAMED = pytest.mark.parametrize("op", [op for op in OPS if op.symbols], ids=identify)


def placed(device: str, op: OpCase, *shapes: tuple[int, ...]) -> list[Any]:
    return on(device, random_inputs(op, 0, *(shapes or ((5,),))))


def refused(op: OpCase, inputs: list[Any], error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=re.escape(f"{op.name}: {message}")):
        op(*inputs)


@pytest.mark.parametrize(("value", "called"), [(None, "None"), (1.0, "a float"), ([1.0], "a list")], ids=str)
@EVERY_OP
def test_no_tensor(op: OpCase, value: object, called: str) -> None:
    for i, name in enumerate(op.inputs):
        if value is None and name in op.optional:
            continue
        inputs = placed("npu", op)
        inputs[i] = value
        refused(op, inputs, TypeError, f"{name} must be a Tensor, but it is {called}")


@DEVICES
@SEVERAL
def test_none_for_the_dispatcher(op: OpCase, device: str) -> None:
    last = next(name for name in reversed(op.inputs) if name not in op.optional)
    inputs = placed(device, op)
    inputs[op.inputs.index(last)] = None
    with pytest.raises(TypeError, match=re.escape(f"{op.name}: {last} must be a Tensor, but it is None")):
        op.overload(*op.arguments(*inputs))


@DEVICES
@EVERY_OP
def test_dtype(op: OpCase, device: str) -> None:
    for i, name in enumerate(op.inputs):
        supported = {column[i] for column in op.columns}
        other = next(dtype for dtype in (torch.int32, torch.int16, torch.bool, torch.float16) if dtype not in supported)
        inputs = placed(device, op)
        inputs[i] = inputs[i].to(other)
        refused(op, inputs, TypeError, f"{name} has dtype {str(other).removeprefix('torch.')}; supported: ")


@DEVICES
@SEVERAL
def test_dtypes_that_do_not_go_together(op: OpCase, device: str) -> None:
    first, last = {column[0] for column in op.columns}, op.columns[0][-1]
    others = [dtype for dtype in first if (dtype, *op.columns[0][1:]) not in op.columns]
    if not others:
        pytest.skip("every dtype goes with every other")
    inputs = placed(device, op)
    inputs[0] = inputs[0].to(others[0])
    assert inputs[-1].dtype == last
    refused(op, inputs, TypeError, f"({', '.join(op.inputs)}) have dtypes (")


@DEVICES
@pytest.mark.parametrize("op", [op for op in ANY_SHAPE if len(op.inputs) > 1], ids=identify)
def test_shapes_that_do_not_broadcast(op: OpCase, device: str) -> None:
    inputs = placed(device, op, (2, 3))
    inputs[1] = inputs[1].new_empty((4,))
    first, second = op.inputs[:2]
    message = f"{first} of shape [2, 3] and {second} of shape [4] do not broadcast"
    with pytest.raises(ValueError, match=re.escape(message)):
        op(*inputs)


@DEVICES
@NAMED
def test_sizes_that_must_be_equal(op: OpCase, device: str) -> None:
    for symbol in op.symbols:
        having = [name for name in op.inputs if symbol in op.dims.get(name, ())]
        for other in having[1:]:
            inputs = placed(device, op)
            i, first = op.inputs.index(other), inputs[op.inputs.index(having[0])]
            shape = [*inputs[i].shape]
            place = op.dims[other].index(symbol) - len(op.dims[other])
            known, shape[place] = shape[place], 1  # which does not broadcast here
            inputs[i] = inputs[i].new_empty(shape)
            message = f"{symbol} is {known} in {having[0]} of shape {[*first.shape]} and 1 in {other} of shape {shape}"
            refused(op, inputs, ValueError, message)


@DEVICES
@EVERY_OP
def test_rank(op: OpCase, device: str) -> None:
    for i, name in enumerate(op.inputs):
        inputs = placed(device, op)
        inputs[i] = inputs[i].new_empty((1,) * 9)
        refused(op, inputs, ValueError, f"{name} has 9 dimensions; at most 8 are supported")


@DEVICES
@pytest.mark.parametrize("op", [op for op in OPS if op.written], ids=identify)
def test_a_result_that_does_not_fit_where_it_is_written(op: OpCase, device: str) -> None:
    if len(op.inputs) == len(op.written) or op.dims:
        pytest.skip("nothing makes the result larger")
    inputs = placed(device, op, (5,))
    place = op.inputs.index(op.written[0])
    inputs[place] = inputs[place].new_empty((1,))
    message = f"{op.written[0]} is written in place: it has shape [1], and the result has [5]"
    refused(op, inputs, ValueError, message)


@SEVERAL
def test_devices(op: OpCase) -> None:
    for i, name in enumerate(op.inputs):
        inputs = placed("npu", op)
        inputs[i] = inputs[i].cpu()
        refused(op, inputs, RuntimeError, f"{name} must be on an NPU as the other arguments are, but it is on cpu")


@EVERY_OP
def test_arguments_that_do_not_exist(op: OpCase) -> None:
    with pytest.raises(TypeError, match="nonsense"):
        op.function(*op.arguments(*placed("npu", op)), nonsense=1)
