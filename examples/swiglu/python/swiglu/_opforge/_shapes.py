# Owned by opforge: `opforge update` replaces this file.
# SPDX-License-Identifier: Apache-2.0
"""Checks the shapes of operators whose dimensions have names, or that take lists or numbers.

The messages are those of csrc/opforge/shape_checks.h, which guards the NPU implementation.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import torch
from torch import Tensor

from swiglu._opforge import _checks
from swiglu._opforge._checks import MAX_RANK, Columns

MAX_SIZE = 2**31 - 1  # most rows, columns and terms of a matrix product: the cube counts in int32


@dataclass(frozen=True)
class Shapes:
    """The kinds of an operator's arguments, and the relations between their sizes.

    ``inputs`` has the dimensions of each. "..." stands for any number of leading dimensions. A symbol has the same size
    everywhere; a number is a fixed size. Leading dimensions broadcast. With ``rows``, they are the rows of a matrix
    product and must be equal. Named ones, "...gamma", are equal in all arguments, but may differ inside a list.
    """

    inputs: Mapping[str, tuple[str, ...]]
    optional: tuple[str, ...] = ()  # arguments that may be None
    lists: tuple[str, ...] = ()  # lists of tensors
    numbers: tuple[str, ...] = ()  # numbers, or lists of numbers
    rows: bool = False
    alike: bool = False  # leading dimensions are reduced, so they do not broadcast


@dataclass(frozen=True)
class Sizes:
    """The sizes of the symbols in one call, its leading dimensions, and its tensors by name."""

    op: str
    tensors: Mapping[str, Tensor]
    leading: tuple[int, ...] = ()
    symbols: Mapping[str, int] = field(default_factory=dict)
    dots: Mapping[str, tuple[int, ...]] = field(default_factory=dict)  # named leading dimensions

    def __getitem__(self, symbol: str) -> int:
        """The size of a symbol."""
        return self.symbols[symbol]

    def kept(self, dim: int) -> tuple[int, ...]:
        """The leading dimensions with extent 1 in dimension ``dim``, which they have; a number has none."""
        return tuple(1 if place == dim % len(self.leading) else size for place, size in enumerate(self.leading))

    def dropped(self, dim: int) -> tuple[int, ...]:
        """The leading dimensions without dimension ``dim``, which they have; a number has none."""
        return tuple(size for place, size in enumerate(self.leading) if place != dim % len(self.leading))

    def broadcast(self) -> torch.Size:
        """The common shape of all tensors. Raises ValueError if they do not broadcast."""
        return _checks.broadcast(self.op, dict(self.tensors))

    def check_written(self, name: str, tensor: Tensor, shape: Sequence[int]) -> None:
        """Checks that an in-place argument has the result's shape. Raises ValueError."""

        def differ() -> str:
            own = list(tensor.shape)
            return f"{self.op}: {name} is written in place: it has shape {own}, and the result has {list(shape)}"

        if tensor.dim() != len(shape):
            raise ValueError(differ())
        for one, other in zip(tensor.shape, shape, strict=True):
            torch._check_value(one == other, differ)


def check_arguments(op: str, columns: Columns, shapes: Shapes, /, **arguments: Any) -> Sizes:
    """Checks for one device, a supported combination of dtypes, and one size for each symbol. Returns the sizes.

    Each column is a supported combination, with one dtype per argument. The CPU also takes float64, for gradcheck.
    """
    given = dict(_tensors(op, shapes, arguments))
    tensors = {name: tensor for name, (tensor, _) in given.items()}
    _checks.check_devices(op, tensors)
    order = list(arguments)
    places = [order.index(argument) for _, argument in given.values()]
    _checks.check_dtypes(op, tuple(dict.fromkeys(tuple(column[i] for i in places) for column in columns)), tensors)
    _check_numbers(op, shapes, columns, arguments, [(order.index(name), each.dtype) for each, name in given.values()])
    found = _Found(op, shapes)
    for name, (tensor, argument) in given.items():
        found.add(name, tensor, shapes.inputs[argument], own=argument in shapes.lists)
    for name in shapes.numbers:
        dims = shapes.inputs[name]
        if dims and dims != ("...",) and arguments[name] is not None:
            count = len(arguments[name])
            found.set(dims[0], count, f"{name} of {count} numbers")
    return Sizes(op, tensors, found.rows(), found.symbols, found.dots)


def made(op: str, name: str, shape: Sequence[int]) -> tuple[int, ...]:
    """The shape of a result, computed from sizes and attributes. Raises ValueError for a size that is not valid."""

    def wrong() -> str:
        return f"{op}: {name} would have the shape {list(shape)}"

    for size in shape:
        torch._check_value(size >= 0, wrong)
        if isinstance(size, int) and size >= 2**63:
            raise ValueError(wrong())
    return tuple(shape)


def _check_numbers(
    op: str,
    shapes: Shapes,
    columns: Columns,
    arguments: Mapping[str, Any],
    given: Sequence[tuple[int, torch.dtype]],
) -> None:
    """Checks that each number fits the dtype that the combination gives it. Raises TypeError and ValueError."""
    column = next((column for column in columns if all(column[place] == dtype for place, dtype in given)), None)
    for place, (name, value) in enumerate(arguments.items()):
        if name in shapes.numbers and column is not None and value is not None:
            listed = isinstance(value, (list, tuple))
            for i, number in enumerate(value if listed else [value]):
                _check_number(op, f"{name}[{i}]" if listed else name, number, column[place])


def _check_number(op: str, name: str, number: Any, dtype: torch.dtype) -> None:
    if not isinstance(number, (int, float)) or dtype == torch.bool:  # the call itself checks symbols
        return
    called = str(dtype).removeprefix("torch.")
    if dtype.is_floating_point:
        fits = abs(number) <= torch.finfo(dtype).max or not math.isfinite(number)
    elif isinstance(number, float) and not number.is_integer():
        raise TypeError(f"{op}: {name} must be a whole number, as its dtype {called} is, but it is {number}")
    else:
        fits = torch.iinfo(dtype).min <= number <= torch.iinfo(dtype).max
    if not fits:
        raise ValueError(f"{op}: {name} is {number}, which its dtype {called} does not hold")


def _tensors(op: str, shapes: Shapes, arguments: Mapping[str, Any]) -> Iterator[tuple[str, tuple[Tensor, str]]]:
    """Every given tensor by name. In a list, the name of the argument is followed by an index."""
    for name, value in arguments.items():
        if name in shapes.numbers or (value is None and name in shapes.optional):
            continue
        if name not in shapes.lists:
            _checks.check_tensors(op, **{name: value})  # the dispatcher accepts None for a Tensor
            yield name, (value, name)
            continue
        check = _checks.check_lists if name in shapes.optional else _checks.check_filled_lists
        check(op, **{name: value})
        for i, tensor in enumerate(value):
            yield f"{name}[{i}]", (tensor, name)


class _Found:
    """The sizes found so far, and the argument of each."""

    def __init__(self, op: str, shapes: Shapes) -> None:
        self.op = op
        self.shapes = shapes
        self.symbols: dict[str, int] = {}
        self.where: dict[str, str] = {}
        self.dots: dict[str, tuple[int, ...]] = {}
        self.leading: tuple[int, ...] | None = None
        self.first = ""

    def add(self, name: str, tensor: Tensor, dims: tuple[str, ...], *, own: bool) -> None:
        """One tensor; ``own``: its named leading dimensions are independent of others. Raises ValueError."""
        described = f"{name} of shape {list(tensor.shape)}"
        open_ = bool(dims) and dims[0].startswith("...")
        named = dims[1:] if open_ else dims
        rank = tensor.dim()
        if rank > MAX_RANK:
            raise ValueError(f"{self.op}: {name} has {rank} dimensions; at most {MAX_RANK} are supported")
        if rank < len(named) or (rank > len(named) and not open_):
            least = "at least " if open_ else ""
            raise ValueError(f"{self.op}: {name} has {rank} dimensions; [{', '.join(dims)}] has {least}{len(named)}")
        if open_ and dims[0] != "...":
            if not own:
                self.meet(dims[0], tuple(tensor.shape[: rank - len(named)]), described)
        elif open_:
            self.join(tuple(tensor.shape[: rank - len(named)]), described)
        for symbol, size in zip(reversed(named), reversed(tensor.shape), strict=False):
            self.set(symbol, size, described)

    def set(self, symbol: str, size: int, described: str) -> None:
        """A dimension's size. Raises ValueError if the symbol has a different size or one above the kernel's limit."""
        op = self.op
        if symbol.isdigit():
            torch._check_value(size == int(symbol), lambda: f"{op}: {described} has {size} where the size is {symbol}")
            return
        known, where = self.symbols.setdefault(symbol, size), self.where.setdefault(symbol, described)
        torch._check_value(known == size, lambda: f"{op}: {symbol} is {known} in {where} and {size} in {described}")
        if self.shapes.rows and isinstance(size, int) and size > MAX_SIZE:
            raise ValueError(f"{op}: {symbol} is {size} in {described}; at most {MAX_SIZE} is supported")

    def meet(self, dots: str, leading: tuple[int, ...], described: str) -> None:
        """Named leading dimensions. Raises ValueError if an earlier argument had different ones."""
        known, where = self.dots.setdefault(dots, leading), self.where.setdefault(dots, described)

        def differ() -> str:
            return f"{self.op}: {dots} is {list(known)} in {where} and {list(leading)} in {described}"

        if len(known) != len(leading):
            raise ValueError(differ())
        for one, other in zip(known, leading, strict=True):
            torch._check_value(one == other, differ)

    def join(self, leading: tuple[int, ...], described: str) -> None:
        """The leading dimensions of one more argument. Raises ValueError if they do not match the earlier ones."""
        if self.leading is None:
            self.leading, self.first = leading, described
            return
        known, first, equal = self.leading, self.first, self.shapes.rows or self.shapes.alike

        def differ() -> str:
            how = "differ" if equal else "do not broadcast"
            return (
                f"{self.op}: the leading dimensions of {first} and {described} {how}: {list(known)} and {list(leading)}"
            )

        if equal:
            if len(known) != len(leading):
                raise ValueError(differ())
            for one, other in zip(known, leading, strict=True):
                torch._check_value(one == other, differ)
            return
        try:
            self.leading = tuple(torch.broadcast_shapes(known, leading))
        except RuntimeError as error:
            raise ValueError(differ()) from error

    def rows(self) -> tuple[int, ...]:
        """The leading dimensions of all tensors. Raises ValueError if they are more rows than a kernel supports."""
        leading = self.leading or ()
        count = math.prod(leading) if self.shapes.rows else 0
        if isinstance(count, int) and count > MAX_SIZE:  # a symbol would become a guard; the call itself checks it
            raise ValueError(f"{self.op}: {self.first} has {count} rows; at most {MAX_SIZE} are supported")
        return leading
