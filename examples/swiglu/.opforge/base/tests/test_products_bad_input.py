"""Wrong arguments of operators with matrix products raise an error with the argument's name, dimensions and numbers."""

from __future__ import annotations

import re
from typing import Any

import pytest
import torch

from operators import identify
from precision import product_inputs
from product_cases import PRODUCTS, ProductCase, Sizes

INT32_MAX = 2**31 - 1
DEVICES = pytest.mark.parametrize("device", ["npu", "cpu", "meta"])
EVERY = pytest.mark.parametrize("op", PRODUCTS, ids=identify)


def on(device: str, op: ProductCase, sizes: Sizes = ((4,), 6, 5)) -> list[Any]:
    return [tensor.to(device) for tensor in product_inputs(op, 0, sizes)]


def refused(op: ProductCase, inputs: list[Any], error: type[Exception], message: str) -> None:
    with pytest.raises(error) as caught:
        op(*inputs)
    assert re.search(re.escape(f"{op.name}: {message}"), str(caught.value)), str(caught.value)


def pairs(op: ProductCase, symbol: str) -> list[tuple[str, str]]:
    """The first argument that has the symbol, with each other one."""
    names = [name for name, dims in op.inputs.items() if symbol in dims]
    return [(names[0], other) for other in names[1:]]


@pytest.mark.parametrize(("value", "called"), [(None, "None"), (1.0, "a float"), ([1.0], "a list")], ids=str)
@EVERY
def test_no_tensor(op: ProductCase, value: object, called: str) -> None:
    for i, name in enumerate(op.inputs):
        if value is None and name in op.optional:
            continue
        inputs = on("npu", op)
        inputs[i] = value
        refused(op, inputs, TypeError, f"{name} must be a Tensor, but it is {called}")


@pytest.mark.parametrize("device", ["npu", "cpu"])
@EVERY
def test_none_for_the_dispatcher(op: ProductCase, device: str) -> None:
    inputs = on(device, op)
    last = max(i for i, name in enumerate(op.inputs) if name not in op.optional)
    inputs[last] = None
    with pytest.raises(TypeError, match=f"{op.name}: {list(op.inputs)[last]} must be a Tensor, but it is None"):
        op.overload(*op.arguments(*inputs))


@DEVICES
@EVERY
def test_an_integer_dtype(op: ProductCase, device: str) -> None:
    for i, name in enumerate(op.inputs):
        inputs = on(device, op)
        inputs[i] = inputs[i].to(torch.int32)
        refused(op, inputs, TypeError, f"{name} has dtype int32; supported: ")


@DEVICES
@EVERY
def test_mixed_dtypes(op: ProductCase, device: str) -> None:
    others = [column[0] for column in op.columns if column[0] != op.columns[0][0]]
    if not others or (others[0], *op.columns[0][1:]) in op.columns:
        pytest.skip("there is one dtype, or every one goes with every other")
    inputs = on(device, op)
    inputs[0] = inputs[0].to(others[0])
    refused(op, inputs, TypeError, f"({', '.join(op.inputs)}) have dtypes (")


@DEVICES
@EVERY
def test_sizes_that_must_be_equal(op: ProductCase, device: str) -> None:
    for symbol in {*op.symbols} - {"..."}:
        for first, other in pairs(op, symbol):
            inputs = on(device, op)
            i = list(op.inputs).index(other)
            shape = [*inputs[i].shape]
            place = op.inputs[other].index(symbol) - len(op.inputs[other])
            known, shape[place] = shape[place], shape[place] + 2
            inputs[i] = torch.ones(shape, dtype=inputs[i].dtype, device=device)
            shown = [*inputs[list(op.inputs).index(first)].shape]
            message = f"{symbol} is {known} in {first} of shape {shown} and {known + 2} in {other} of shape {shape}"
            refused(op, inputs, ValueError, message)


@DEVICES
@EVERY
def test_leading_dimensions_that_must_be_equal(op: ProductCase, device: str) -> None:
    for first, other in pairs(op, "..."):
        inputs = on(device, op)
        i = list(op.inputs).index(other)
        rest = [*inputs[i].shape[1:]]
        one = [*inputs[list(op.inputs).index(first)].shape]
        for leading in ([1], [3], [2, 2], []):
            inputs[i] = torch.ones([*leading, *rest], dtype=inputs[i].dtype, device=device)
            message = f"the leading dimensions of {first} of shape {one} and {other} of shape {[*leading, *rest]} "
            refused(op, inputs, ValueError, f"{message}differ: [4] and {leading}")


@DEVICES
@EVERY
def test_rank(op: ProductCase, device: str) -> None:
    for i, (name, dims) in enumerate(op.inputs.items()):
        inputs = on(device, op)
        named = len([dim for dim in dims if dim != "..."])
        dtype = inputs[i].dtype
        inputs[i] = torch.ones((1,) * 9, dtype=dtype, device=device)
        refused(op, inputs, ValueError, f"{name} has 9 dimensions; at most 8 are supported")
        least = "at least " if "..." in dims else ""
        for rank in (named - 1, *(() if least else (named + 1,))):
            inputs[i] = torch.ones((1,) * rank, dtype=dtype, device=device)
            refused(op, inputs, ValueError, f"{name} has {rank} dimensions; [{', '.join(dims)}] has {least}{named}")


@DEVICES
@EVERY
def test_sizes_beyond_int32(op: ProductCase, device: str) -> None:
    huge = INT32_MAX + 1
    for symbol in {*op.symbols} - {"..."}:
        inputs = on(device, op, ((0,), 0, 0))
        first = next(i for i, dims in enumerate(op.inputs.values()) if symbol in dims)
        name, dims = list(op.inputs.items())[first]
        shape = [huge if dim == symbol else 0 for dim in dims]
        if 0 not in shape:
            continue  # it would be as large as that
        inputs[first] = torch.empty(shape, dtype=inputs[first].dtype, device=device)
        message = f"{symbol} is {huge} in {name} of shape {shape}; at most {INT32_MAX} is supported"
        refused(op, inputs, ValueError, message)


@pytest.mark.parametrize("op", [op for op in PRODUCTS if op.folds], ids=identify)
@DEVICES
def test_rows_beyond_int32(op: ProductCase, device: str) -> None:
    shapes = op.shapes(((65536, 32768), 0, 0))
    inputs = [torch.empty(s, dtype=d, device=device) for s, d in zip(shapes, op.columns[0], strict=True)]
    first = next(i for i, dims in enumerate(op.inputs.values()) if dims[0] == "...")
    name, shape = list(op.inputs)[first], [*inputs[first].shape]
    message = f"{name} of shape {shape} has {65536 * 32768} rows; at most {INT32_MAX} are supported"
    refused(op, inputs, ValueError, message)


@EVERY
def test_a_cpu_tensor_among_npu_tensors(op: ProductCase) -> None:
    for i, name in enumerate(op.inputs):
        inputs = on("npu", op)
        inputs[i] = inputs[i].cpu()
        refused(op, inputs, RuntimeError, f"{name} must be on an NPU as the other arguments are, but it is on cpu")


@EVERY
def test_arguments_that_do_not_exist(op: ProductCase) -> None:
    with pytest.raises(TypeError, match="nonsense"):
        op.function(*op.arguments(*on("npu", op)), nonsense=1)
