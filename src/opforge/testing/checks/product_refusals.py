"""Wrong arguments of operators with matrix products: errors with the argument's name, dimensions and numbers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

from opforge.testing.checks.product_case import ProductCase, Sizes, product_inputs
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

INT32_MAX = 2**31 - 1


def placed(device: str, op: ProductCase, sizes: Sizes = ((4,), 6, 5)) -> list[Any]:
    """Valid inputs, before a test changes one of them."""
    return [tensor.to(device) for tensor in product_inputs(op, 0, sizes)]


def pairs(op: ProductCase, symbol: str) -> list[tuple[str, str]]:
    """Pairs of the first argument that has the symbol and each other one."""
    names = [name for name, dims in op.inputs.items() if symbol in dims]
    return [(names[0], other) for other in names[1:]]


def an_integer_dtype(op: ProductCase, device: str) -> None:
    """An integer dtype. Products require floating-point numbers."""
    for i, name in enumerate(op.inputs):
        inputs = placed(device, op)
        inputs[i] = inputs[i].to(torch.int32)
        refused(op, inputs, TypeError, f"{name} has dtype int32; supported: ")


def sizes_that_must_be_equal(op: ProductCase, device: str) -> None:
    """Two different sizes for one symbol."""
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
    """Different leading dimensions, which do not broadcast."""
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
    """Nine dimensions; one too few; and, without leading dimensions, one too many."""
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
    """A size above the kernel's limit of int32."""
    huge = INT32_MAX + 1
    for symbol in {*op.symbols} - {"..."}:
        inputs = placed(device, op, ((0,), 0, 0))
        first = next(i for i, dims in enumerate(op.inputs.values()) if symbol in dims)
        name, dims = list(op.inputs.items())[first]
        shape = [huge if dim == symbol else 0 for dim in dims]
        if 0 not in shape:
            continue  # this tensor would need that much memory
        inputs[first] = torch.empty(shape, dtype=inputs[first].dtype, device=device)
        message = f"{symbol} is {huge} in {name} of shape {shape}; at most {INT32_MAX} is supported"
        refused(op, inputs, ValueError, message)


def rows_beyond_int32(op: ProductCase, device: str) -> None:
    """Leading dimensions whose product exceeds int32."""
    shapes = op.shapes(((65536, 32768), 0, 0))
    inputs = [torch.empty(s, dtype=d, device=device) for s, d in zip(shapes, op.columns[0], strict=True)]
    first = next(i for i, dims in enumerate(op.inputs.values()) if dims[0] == "...")
    name, shape = list(op.inputs)[first], [*inputs[first].shape]
    message = f"{name} of shape {shape} has {65536 * 32768} rows; at most {INT32_MAX} are supported"
    refused(op, inputs, ValueError, message)


def _mixed(op: ProductCase) -> bool:
    return bool(dtypes_apart(op))


def _shared_leading(op: ProductCase) -> bool:
    return bool(pairs(op, "...")) if any("..." in dims for dims in op.inputs.values()) else False


def _folds(op: ProductCase) -> bool:
    return op.folds


EVERYWHERE = ("npu", "cpu", "meta")
# Each check, with the devices that it is tried on and the operators that it applies to.
WRONG_CALLS: tuple[tuple[Callable[[ProductCase, str], None], tuple[str, ...], Callable[[ProductCase], bool]], ...] = (
    (what_is_not_a_tensor, ("npu",), every_op),
    (none_for_the_dispatcher, ("npu", "cpu"), every_op),
    (an_integer_dtype, EVERYWHERE, every_op),
    (dtypes_that_do_not_go_together, EVERYWHERE, _mixed),
    (sizes_that_must_be_equal, EVERYWHERE, every_op),
    (leading_dimensions_that_must_be_equal, EVERYWHERE, _shared_leading),
    (a_wrong_number_of_dimensions, EVERYWHERE, every_op),
    (sizes_beyond_int32, EVERYWHERE, every_op),
    (rows_beyond_int32, EVERYWHERE, _folds),
    (a_cpu_tensor_among_npu_tensors, ("npu",), every_op),
    (an_argument_that_does_not_exist, ("npu",), every_op),
)
