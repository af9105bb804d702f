"""Wrong arguments of operators with matrix products: errors with the argument's name, dimensions and numbers."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest
import torch

from opforge.testing.checks.elementwise_refusals import NOT_TENSORS
from opforge.testing.checks.product_case import ProductCase, Sizes, product_inputs

INT32_MAX = 2**31 - 1


def placed(device: str, op: ProductCase, sizes: Sizes = ((4,), 6, 5)) -> list[Any]:
    """Inputs that are right but for what a test changes."""
    return [tensor.to(device) for tensor in product_inputs(op, 0, sizes)]


def refused(op: ProductCase, inputs: list[Any], error: type[Exception], message: str) -> None:
    """The call raises this error, which names the operator."""
    with pytest.raises(error) as caught:
        op(*inputs)
    assert re.search(re.escape(f"{op.name}: {message}"), str(caught.value)), str(caught.value)


def pairs(op: ProductCase, symbol: str) -> list[tuple[str, str]]:
    """The first argument that has the symbol, with each other one."""
    names = [name for name, dims in op.inputs.items() if symbol in dims]
    return [(names[0], other) for other in names[1:]]


def what_is_not_a_tensor(op: ProductCase, device: str) -> None:
    """None for what is not optional, a number, a list."""
    for value, called in NOT_TENSORS:
        for i, name in enumerate(op.inputs):
            if value is not None or name not in op.optional:
                inputs = placed(device, op)
                inputs[i] = value
                refused(op, inputs, TypeError, f"{name} must be a Tensor, but it is {called}")


def none_for_the_dispatcher(op: ProductCase, device: str) -> None:
    """torch.ops refuses as the function does."""
    inputs = placed(device, op)
    last = max(i for i, name in enumerate(op.inputs) if name not in op.optional)
    inputs[last] = None
    with pytest.raises(TypeError, match=f"{op.name}: {list(op.inputs)[last]} must be a Tensor, but it is None"):
        op.overload(*op.arguments(*inputs))


def an_integer_dtype(op: ProductCase, device: str) -> None:
    """Products are of floating-point numbers."""
    for i, name in enumerate(op.inputs):
        inputs = placed(device, op)
        inputs[i] = inputs[i].to(torch.int32)
        refused(op, inputs, TypeError, f"{name} has dtype int32; supported: ")


def dtypes_that_do_not_go_together(op: ProductCase, device: str) -> None:
    """Each is supported beside others."""
    inputs = placed(device, op)
    inputs[0] = inputs[0].to(_apart(op)[0])
    refused(op, inputs, TypeError, f"({', '.join(op.inputs)}) have dtypes (")


def sizes_that_must_be_equal(op: ProductCase, device: str) -> None:
    """A symbol has one size."""
    for symbol in {*op.symbols} - {"..."}:
        for first, other in pairs(op, symbol):
            inputs = placed(device, op)
            i = list(op.inputs).index(other)
            shape = [*inputs[i].shape]
            place = op.inputs[other].index(symbol) - len(op.inputs[other])
            known, shape[place] = shape[place], shape[place] + 2
            inputs[i] = torch.ones(shape, dtype=inputs[i].dtype, device=device)
            shown = [*inputs[list(op.inputs).index(first)].shape]
            message = f"{symbol} is {known} in {first} of shape {shown} and {known + 2} in {other} of shape {shape}"
            refused(op, inputs, ValueError, message)


def leading_dimensions_that_must_be_equal(op: ProductCase, device: str) -> None:
    """They do not broadcast."""
    for first, other in pairs(op, "..."):
        inputs = placed(device, op)
        i = list(op.inputs).index(other)
        rest = [*inputs[i].shape[1:]]
        one = [*inputs[list(op.inputs).index(first)].shape]
        for leading in ([1], [3], [2, 2], []):
            inputs[i] = torch.ones([*leading, *rest], dtype=inputs[i].dtype, device=device)
            message = f"the leading dimensions of {first} of shape {one} and {other} of shape {[*leading, *rest]} "
            refused(op, inputs, ValueError, f"{message}differ: [4] and {leading}")


def a_wrong_number_of_dimensions(op: ProductCase, device: str) -> None:
    """Nine, one less than needed, one more where no leading ones are taken."""
    for i, (name, dims) in enumerate(op.inputs.items()):
        inputs = placed(device, op)
        named = len([dim for dim in dims if dim != "..."])
        dtype = inputs[i].dtype
        inputs[i] = torch.ones((1,) * 9, dtype=dtype, device=device)
        refused(op, inputs, ValueError, f"{name} has 9 dimensions; at most 8 are supported")
        least = "at least " if "..." in dims else ""
        for rank in (named - 1, *(() if least else (named + 1,))):
            inputs[i] = torch.ones((1,) * rank, dtype=dtype, device=device)
            refused(op, inputs, ValueError, f"{name} has {rank} dimensions; [{', '.join(dims)}] has {least}{named}")


def sizes_beyond_int32(op: ProductCase, device: str) -> None:
    """Kernels count in int32."""
    huge = INT32_MAX + 1
    for symbol in {*op.symbols} - {"..."}:
        inputs = placed(device, op, ((0,), 0, 0))
        first = next(i for i, dims in enumerate(op.inputs.values()) if symbol in dims)
        name, dims = list(op.inputs.items())[first]
        shape = [huge if dim == symbol else 0 for dim in dims]
        if 0 not in shape:
            continue  # it would be as large as that
        inputs[first] = torch.empty(shape, dtype=inputs[first].dtype, device=device)
        message = f"{symbol} is {huge} in {name} of shape {shape}; at most {INT32_MAX} is supported"
        refused(op, inputs, ValueError, message)


def rows_beyond_int32(op: ProductCase, device: str) -> None:
    """Leading dimensions are multiplied."""
    shapes = op.shapes(((65536, 32768), 0, 0))
    inputs = [torch.empty(s, dtype=d, device=device) for s, d in zip(shapes, op.columns[0], strict=True)]
    first = next(i for i, dims in enumerate(op.inputs.values()) if dims[0] == "...")
    name, shape = list(op.inputs)[first], [*inputs[first].shape]
    message = f"{name} of shape {shape} has {65536 * 32768} rows; at most {INT32_MAX} are supported"
    refused(op, inputs, ValueError, message)


def a_cpu_tensor_among_npu_tensors(op: ProductCase, device: str) -> None:
    """The message names it."""
    for i, name in enumerate(op.inputs):
        inputs = placed(device, op)
        inputs[i] = inputs[i].cpu()
        refused(op, inputs, RuntimeError, f"{name} must be on an NPU as the other arguments are, but it is on cpu")


def an_argument_that_does_not_exist(op: ProductCase, device: str) -> None:
    """As for any function of Python."""
    with pytest.raises(TypeError, match="nonsense"):
        op.function(*op.arguments(*placed(device, op)), nonsense=1)


def _apart(op: ProductCase) -> list[torch.dtype]:
    """Dtypes of the first input that do not go with those of the others."""
    others = {column[0]: None for column in op.columns if column[0] != op.columns[0][0]}
    return [dtype for dtype in others if (dtype, *op.columns[0][1:]) not in op.columns]


def _any(_op: ProductCase) -> bool:
    return True


def _mixed(op: ProductCase) -> bool:
    return bool(_apart(op))


def _shared_leading(op: ProductCase) -> bool:
    return bool(pairs(op, "...")) if any("..." in dims for dims in op.inputs.values()) else False


def _folds(op: ProductCase) -> bool:
    return op.folds


EVERYWHERE = ("npu", "cpu", "meta")
# Each with the devices it is tried on, and for which operators it makes sense.
WRONG_CALLS: tuple[tuple[Callable[[ProductCase, str], None], tuple[str, ...], Callable[[ProductCase], bool]], ...] = (
    (what_is_not_a_tensor, ("npu",), _any),
    (none_for_the_dispatcher, ("npu", "cpu"), _any),
    (an_integer_dtype, EVERYWHERE, _any),
    (dtypes_that_do_not_go_together, EVERYWHERE, _mixed),
    (sizes_that_must_be_equal, EVERYWHERE, _any),
    (leading_dimensions_that_must_be_equal, EVERYWHERE, _shared_leading),
    (a_wrong_number_of_dimensions, EVERYWHERE, _any),
    (sizes_beyond_int32, EVERYWHERE, _any),
    (rows_beyond_int32, EVERYWHERE, _folds),
    (a_cpu_tensor_among_npu_tensors, ("npu",), _any),
    (an_argument_that_does_not_exist, ("npu",), _any),
)
