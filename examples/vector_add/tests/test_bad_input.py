"""Wrong arguments raise an error that names the argument and says what was expected."""

from __future__ import annotations

import re
from typing import Any

import pytest
import torch

from op_cases import OPS, OpCase
from operators import identify
from precision import random_inputs

DEVICES = pytest.mark.parametrize("device", ["npu", "cpu"])
EVERY_OP = pytest.mark.parametrize("op", OPS, ids=identify)
SEVERAL = pytest.mark.parametrize("op", [op for op in OPS if len(op.inputs) > 1], ids=identify)


def on(device: str, op: OpCase, *shapes: tuple[int, ...]) -> list[Any]:
    return [tensor.to(device) for tensor in random_inputs(op, 0, *(shapes or ((5,),)))]


@pytest.mark.parametrize(("value", "called"), [(None, "None"), (1.0, "a float"), ([1.0], "a list")], ids=str)
@EVERY_OP
def test_no_tensor(op: OpCase, value: object, called: str) -> None:
    for i, name in enumerate(op.inputs):
        inputs = on("npu", op)
        inputs[i] = value
        with pytest.raises(TypeError, match=re.escape(f"{op.name}: {name} must be a Tensor, but it is {called}")):
            op(*inputs)


@DEVICES
@SEVERAL
def test_none_for_the_dispatcher(op: OpCase, device: str) -> None:
    inputs = [*on(device, op)[:-1], None]
    with pytest.raises(TypeError, match=re.escape(f"{op.name}: {op.inputs[-1]} must be a Tensor, but it is None")):
        op.overload(*inputs, **op.attrs)


@DEVICES
@EVERY_OP
def test_dtype(op: OpCase, device: str) -> None:
    for i, name in enumerate(op.inputs):
        inputs = on(device, op)
        inputs[i] = inputs[i].to(torch.int32)
        with pytest.raises(TypeError, match=re.escape(f"{op.name}: {name} has dtype int32; supported: ")):
            op(*inputs)


@DEVICES
@SEVERAL
def test_dtypes_that_do_not_go_together(op: OpCase, device: str) -> None:
    first, last = {column[0] for column in op.columns}, op.columns[0][-1]
    others = [dtype for dtype in first if (dtype, *op.columns[0][1:]) not in op.columns]
    if not others:
        pytest.skip("every dtype goes with every other")
    inputs = on(device, op)
    inputs[0] = inputs[0].to(others[0])
    assert inputs[-1].dtype == last
    with pytest.raises(TypeError, match=re.escape(f"{op.name}: ({', '.join(op.inputs)}) have dtypes (")):
        op(*inputs)


@DEVICES
@SEVERAL
def test_shapes_that_do_not_broadcast(op: OpCase, device: str) -> None:
    first, second = op.inputs[:2]
    message = f"{op.name}: {first} of shape [2, 3] and {second} of shape [4] do not broadcast: "
    message += "sizes 3 and 4 meet in dimension -1"
    with pytest.raises(ValueError, match=re.escape(message)):
        op(*on(device, op, (2, 3), (4,)))


@DEVICES
@EVERY_OP
def test_rank(op: OpCase, device: str) -> None:
    message = f"{op.name}: {op.inputs[0]} has 9 dimensions; at most 8 are supported"
    with pytest.raises(ValueError, match=re.escape(message)):
        op(*on(device, op, (1,) * 9))


@SEVERAL
def test_devices(op: OpCase) -> None:
    for i, name in enumerate(op.inputs):
        inputs = on("npu", op)
        inputs[i] = inputs[i].cpu()
        message = f"{op.name}: {name} must be on an NPU as the other arguments are, but it is on cpu"
        with pytest.raises(RuntimeError, match=re.escape(message)):
            op(*inputs)


@EVERY_OP
def test_arguments_that_do_not_exist(op: OpCase) -> None:
    with pytest.raises(TypeError, match="nonsense"):
        op.function(*on("npu", op), nonsense=1, **op.attrs)
