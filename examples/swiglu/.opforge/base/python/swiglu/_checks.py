"""What is wrong with an operator's arguments: which one, what it is, and what was expected.

The messages are those of csrc/argument_checks.h, which guards the NPU implementation.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import torch
from torch import Tensor

MAX_RANK = 8  # most dimensions of an aclTensor in format ND
MAX_SIZE = 2**31 - 1  # most rows, columns and terms of a matrix product: the cube counts in int32

Columns = tuple[tuple[torch.dtype, ...], ...]


@dataclass(frozen=True)
class Shapes:
    """The shapes of an operator with matrix products, by symbol: a symbol has one size wherever it stands.

    "..." are leading dimensions, any number of them: the rows of a product.
    """

    inputs: dict[str, tuple[str, ...]]
    output: tuple[str, ...]
    optional: tuple[str, ...] = ()  # arguments that may be None


def check_tensors(op: str, /, **arguments: object) -> None:
    """Every argument is a tensor. Raises TypeError."""
    for name, value in arguments.items():
        if not isinstance(value, Tensor):
            given = "None" if value is None else f"a {type(value).__name__}"
            raise TypeError(f"{op}: {name} must be a Tensor, but it is {given}")


def check_arguments(op: str, columns: Columns, /, **arguments: Tensor) -> torch.Size:
    """One device, a supported combination of dtypes, shapes that broadcast. Gives the common shape.

    Each column is one supported combination, an entry per argument. On the CPU float64 is taken besides, for gradcheck.
    """
    check_tensors(op, **arguments)  # the dispatcher takes None for a Tensor
    _check_devices(op, arguments)
    _check_dtypes(op, columns, arguments)
    for name, tensor in arguments.items():
        if tensor.dim() > MAX_RANK:
            raise ValueError(f"{op}: {name} has {tensor.dim()} dimensions; at most {MAX_RANK} are supported")
    try:
        return torch.broadcast_shapes(*(tensor.shape for tensor in arguments.values()))
    except RuntimeError as error:
        raise ValueError(f"{op}: {_clash(arguments)}") from error


def check_products(op: str, columns: Columns, shapes: Shapes, /, **arguments: Tensor | None) -> tuple[int, ...]:
    """One device, a supported combination of dtypes, one size for each symbol. Gives the outputs' shape.

    Each column is one supported combination, an entry per argument. On the CPU float64 is taken besides, for gradcheck.
    """
    expected = {name: value for name, value in arguments.items() if value is not None or name not in shapes.optional}
    check_tensors(op, **expected)  # the dispatcher takes None for a Tensor
    given = {name: tensor for name, tensor in arguments.items() if tensor is not None}
    _check_devices(op, given)
    places = [i for i, name in enumerate(arguments) if name in given]
    _check_dtypes(op, tuple(dict.fromkeys(tuple(column[i] for i in places) for column in columns)), given)
    sizes: dict[str, int] = {}
    rows: tuple[int, ...] = ()
    for name, tensor in given.items():
        leading = _leading(op, name, tensor, shapes.inputs[name])
        if leading is not None:
            rows = _same_rows(op, shapes, given, name, leading)
        for symbol, size in zip(reversed(shapes.inputs[name]), reversed(tensor.shape), strict=False):
            if symbol == "...":
                break
            _same_size(op, shapes, given, symbol, sizes.setdefault(symbol, size), (name, size))
    return (*rows, *(sizes[symbol] for symbol in shapes.output if symbol != "..."))


def _check_devices(op: str, arguments: dict[str, Tensor]) -> None:
    if len({tensor.device for tensor in arguments.values()}) == 1:
        return
    first_name, first = next(iter(arguments.items()))
    on_npu = any(tensor.device.type == "npu" for tensor in arguments.values())
    for name, tensor in arguments.items():
        if on_npu and tensor.device.type != "npu":
            raise RuntimeError(
                f"{op}: {name} must be on an NPU as the other arguments are, but it is on {tensor.device}; "
                'move it there with .to("npu")'
            )
        if tensor.device != first.device:
            raise RuntimeError(
                f"{op}: {name} is on {tensor.device} and {first_name} is on {first.device}; "
                "all arguments must be on one device"
            )


def _check_dtypes(op: str, columns: Columns, arguments: dict[str, Tensor]) -> None:
    given = tuple(tensor.dtype for tensor in arguments.values())
    if given in columns:
        return
    if all(tensor.device.type == "cpu" and tensor.dtype == torch.float64 for tensor in arguments.values()):
        return
    for i, (name, tensor) in enumerate(arguments.items()):
        supported = tuple(dict.fromkeys(column[i] for column in columns))
        if tensor.dtype not in supported:
            raise TypeError(f"{op}: {name} has dtype {_names((tensor.dtype,))}; supported: {_names(supported)}")
    together = ", ".join(f"({_names(column)})" for column in columns)
    names = ", ".join(arguments)
    raise TypeError(f"{op}: ({names}) have dtypes ({_names(given)}); supported together: {together}")


def _names(dtypes: tuple[torch.dtype, ...]) -> str:
    return ", ".join(str(dtype).removeprefix("torch.") for dtype in dtypes)


def _leading(op: str, name: str, tensor: Tensor, dims: tuple[str, ...]) -> tuple[int, ...] | None:
    """The sizes that "..." stands for, or None where it does not occur. Raises ValueError for a wrong rank."""
    named = len(dims) - dims.count("...")
    rank = tensor.dim()
    if rank > MAX_RANK:
        raise ValueError(f"{op}: {name} has {rank} dimensions; at most {MAX_RANK} are supported")
    if rank < named or (rank > named and named == len(dims)):
        least = "at least " if named < len(dims) else ""
        raise ValueError(f"{op}: {name} has {rank} dimensions; [{', '.join(dims)}] has {least}{named}")
    return None if named == len(dims) else tuple(tensor.shape[: rank - named])


def _same_rows(
    op: str, shapes: Shapes, given: dict[str, Tensor], name: str, leading: tuple[int, ...]
) -> tuple[int, ...]:
    """The leading dimensions, which all arguments that have any share."""
    first = next(other for other in given if shapes.inputs[other][0] == "...")
    rows = tuple(given[first].shape[: given[first].dim() - len(shapes.inputs[first]) + 1])

    def differ() -> str:
        one, other = (f"{n} of shape {list(given[n].shape)}" for n in (first, name))
        return f"{op}: the leading dimensions of {one} and {other} differ: {list(rows)} and {list(leading)}"

    if len(rows) != len(leading):
        raise ValueError(differ())
    for one, other in zip(rows, leading, strict=True):
        torch._check_value(one == other, differ)
    count = math.prod(rows)
    if isinstance(count, int) and count > MAX_SIZE:  # a symbol is left to the call itself, that no guard comes of it
        shape = list(given[first].shape)
        raise ValueError(f"{op}: {first} of shape {shape} has {count} rows; at most {MAX_SIZE} are supported")
    return rows


def _same_size(
    op: str, shapes: Shapes, given: dict[str, Tensor], symbol: str, known: int, found: tuple[str, int]
) -> None:
    """A symbol's size is the same in the argument that had it first and in this one, and one that a kernel takes."""
    name, size = found

    def differ() -> str:
        first = next(other for other in given if symbol in shapes.inputs[other])
        one, other = (f"{n} of shape {list(given[n].shape)}" for n in (first, name))
        return f"{op}: {symbol} is {known} in {one} and {size} in {other}"

    torch._check_value(known == size, differ)
    if isinstance(size, int) and size > MAX_SIZE:
        shape = list(given[name].shape)
        raise ValueError(f"{op}: {symbol} is {size} in {name} of shape {shape}; at most {MAX_SIZE} is supported")


def _clash(arguments: dict[str, Tensor]) -> str:
    """The first two arguments whose sizes meet and differ, neither being 1."""
    owner: dict[int, tuple[str, Tensor]] = {}
    for name, tensor in arguments.items():
        for dim in range(-tensor.dim(), 0):
            size = tensor.shape[dim]
            if size == 1:
                continue
            other_name, other = owner.setdefault(dim, (name, tensor))
            if other.shape[dim] != size:
                return (
                    f"{other_name} of shape {list(other.shape)} and {name} of shape {list(tensor.shape)} "
                    f"do not broadcast: sizes {other.shape[dim]} and {size} meet in dimension {dim}"
                )
    return "the shapes do not broadcast"
