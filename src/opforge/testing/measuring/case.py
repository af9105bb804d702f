"""The cases of measurements: operators, their arguments, and three ways to compute their results.

*Custom* is the operator itself. *Native* is its expression in PyTorch's own operators, as a model without the operator
computes it: each step rounds to the dtype of the tensors. *Golden* is the reference in float64, the most precise result
available.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from opforge.testing.measuring import drawing
from opforge.testing.measuring.sizes import ROWS, Size, usual, varied

Arguments = list[Any]  # all arguments of one call, in order
UNWRITTEN = "KERNEL BODY NOT WRITTEN YET"  # a line in a kernel's header until the author removes it


@dataclass(frozen=True)
class Input:
    """One argument. ``kind`` is the type in the dispatcher's schema: Tensor, Tensor[], Scalar, Scalar[], int[], ..."""

    kind: str = "Tensor"
    dims: tuple[str, ...] = ("...",)
    optional: bool = False
    values: drawing.Values = drawing.ANY


@dataclass(frozen=True)
class Op:
    """One operator. ``columns`` are the combinations of input dtypes; ``attrs`` has the values to use."""

    type: str  # the name in opforge.yaml
    function: Callable[..., Any]
    inputs: Mapping[str, Input]
    columns: tuple[tuple[torch.dtype, ...], ...]
    outputs: tuple[str, ...]
    in_torch: Callable[..., Any] | None = None  # the expression in PyTorch's own operators
    reference: Callable[..., Any] | None = None  # computes in float64 for float64 inputs; None: in_torch does
    attrs: Mapping[str, Any] = field(default_factory=dict)
    sizes: Mapping[str, Size] = field(default_factory=dict)  # supported sizes of named dimensions, if not all
    written: tuple[str, ...] = ()  # inputs that outputs are written to
    left: tuple[str, ...] = ()  # operands of its matrix products
    right: tuple[str, ...] = ()
    products: tuple[str, ...] = ()  # the symbols of their rows, columns and terms
    differentiable: bool = False
    by_hand: bool = False  # its kernel is handwritten
    kernel: str = ""  # the header of a kernel that opforge started as a skeleton

    @property
    def name(self) -> str:
        """The name of the function."""
        return self.function.__name__

    @property
    def symbols(self) -> tuple[str, ...]:
        """The named dimensions."""
        named = (dim for given in self.inputs.values() for dim in given.dims)
        return tuple(dict.fromkeys(dim for dim in named if not dim.startswith("...") and not dim.isdigit()))

    @property
    def leads(self) -> bool:
        """Whether the operator takes any number of leading dimensions."""
        return any(dim.startswith("...") for given in self.inputs.values() for dim in given.dims)

    @property
    def names(self) -> tuple[str, ...]:
        """The dimensions that tests vary: the leading ones as one, and the named ones."""
        return (*((ROWS,) if self.leads else ()), *self.symbols)

    def at(self, column: int, sizes: Mapping[str, int], *leading: int) -> Case:
        """A case of these sizes. ``leading`` are the leading dimensions; without them there is one, ``sizes[ROWS]``."""
        shape = leading or ((sizes[ROWS],) if ROWS in sizes else ())
        named = {name: size for name, size in sizes.items() if name != ROWS}
        label = " ".join([f"...={list(shape)}"] * self.leads + [f"{name}={size}" for name, size in named.items()])
        return Case(self, column, label, (shape if self.leads else (),), named)

    def usual(self, column: int, *leading: int) -> Case:
        """A case of small sizes."""
        return self.at(column, usual(self.names, self.sizes), *leading)

    def varied(self, column: int) -> list[Case]:
        """Cases in which every dimension has every size of interest, the smallest first."""
        cases = (self.at(column, sizes) for sizes in varied(self.names, self.sizes))
        return [case for case in cases if case.possible]

    def why_not(self, root: Path) -> str:
        """Why the operator cannot be called; empty if it can. ``root`` is the project's folder."""
        header = root / self.kernel
        if self.kernel and header.is_file() and UNWRITTEN in header.read_text(encoding="utf-8"):
            return f"its kernel body is not written yet: {self.kernel}"
        return ""

    def custom(self, values: Arguments) -> tuple[Tensor, ...]:
        """The operator's outputs."""
        return _as_tuple(self.function(*values))

    @property
    def native(self) -> Callable[[Arguments], tuple[Tensor, ...]] | None:
        """The expression in PyTorch's own operators; None if its computation is not known."""
        return _of_values(self.in_torch)

    @property
    def golden(self) -> Callable[[Arguments], tuple[Tensor, ...]] | None:
        """The reference; None if there is none."""
        return _of_values(self.reference or self.in_torch)

    def cases(
        self, *, products: Sequence[tuple[int, int, int]], elements: Sequence[tuple[int, int]]
    ) -> tuple[Case, ...]:
        """One case for each combination of dtypes and each size, if there are enough values for the inputs.

        An operator with matrix products takes ``products``: tokens, terms and columns. Any other takes ``elements``:
        tokens and the elements of each.
        """
        columns = range(len(self.columns))
        if self.products:
            made = (product_case(self, column, *sizes) for column in columns for sizes in products)
        else:
            made = (element_case(self, column, *sizes) for column in columns for sizes in elements)
        return tuple(case for case in made if case.possible)


@dataclass(frozen=True)
class Case:
    """An operator with dtypes and sizes. The inputs use the shapes in ``leading`` in turn."""

    op: Op
    column: int
    label: str
    leading: tuple[tuple[int, ...], ...]
    sizes: Mapping[str, int]  # of the named dimensions
    omitted: tuple[str, ...] = ()  # optional inputs that are not given
    count: int = 2  # length of lists

    @property
    def dtype(self) -> str:
        """The dtypes of the tensors, without duplicates."""
        names = [str(dtype).removeprefix("torch.") for dtype in self.op.columns[self.column]]
        tensors = [name for name, given in zip(names, self.op.inputs.values(), strict=True) if "Tensor" in given.kind]
        return "/".join(dict.fromkeys(tensors))

    @property
    def tokens(self) -> int:
        """The rows of a matrix product; for other operators, the first size."""
        if self.op.products and self.op.products[0] != "...":
            return self.sizes[self.op.products[0]]
        sizes = max((self.leading[0], *self.leading), key=len) or tuple(self.sizes.values())
        return math.prod(sizes) if self.op.products else (sizes or (1,))[0]

    @property
    def elements(self) -> int:
        """The number of elements of all inputs together."""
        return sum(math.prod(shape) for shape in self.shapes().values())

    @property
    def possible(self) -> bool:
        """Whether each input has enough values to hold."""
        named, shapes = self._named, self.shapes()
        return all(
            drawing.drawable(given.values, self.op.columns[self.column][place], math.prod(shapes[name]), named)
            for place, (name, given) in enumerate(self.op.inputs.items())
            if name not in self.omitted
        )

    @property
    def _named(self) -> dict[str, int]:
        """The names in bounds of values: sizes and attributes."""
        return drawing.bound_names(self.op.attrs, self.sizes)

    def shapes(self) -> dict[str, tuple[int, ...]]:
        """The shape of each input."""
        made = {}
        for place, (name, given) in enumerate(self.op.inputs.items()):
            last = [dim for dim in given.dims if not dim.startswith("...")]
            rest = tuple(int(dim) if dim.isdigit() else self.sizes[dim] for dim in last)
            leading = self.leading[place % len(self.leading) if "..." in given.dims else 0]
            made[name] = (*leading, *rest) if len(rest) < len(given.dims) else rest
        if self.op.written:
            tensors = [made[name] for name, given in self.op.inputs.items() if given.kind == "Tensor"]
            whole = tuple(torch.broadcast_shapes(*tensors)) if len(self.leading) > 1 else None
            made.update({name: whole for name in self.op.written if whole is not None})
        return made

    def inputs(self, seed: int = 0) -> Arguments:
        """CPU values for all arguments. The same seed gives the same values."""
        shapes = self.shapes()
        made: Arguments = []
        for place, (name, given) in enumerate(self.op.inputs.items()):
            if name in self.omitted:
                made.append(None)
                continue
            dtype, own = self.op.columns[self.column][place], 1000 * seed + 10 * place + 1
            if name in (*self.op.left, *self.op.right) and given.values == drawing.ANY:
                made.append(self._operand(name, shapes[name], dtype, own))
            else:
                made.append(self._value(given, dtype, shapes[name], own))
        return [*made, *self.op.attrs.values()]

    def _value(self, given: Input, dtype: torch.dtype, shape: tuple[int, ...], seed: int) -> Any:
        if given.kind == "Tensor":
            return drawing.draw(shape, dtype, seed, given.values, self._named)
        if given.kind == "Tensor[]":
            shapes = [_of_list(given.dims, shape, i) for i in range(self.count)]
            return [drawing.draw(s, dtype, seed + i, given.values, self._named) for i, s in enumerate(shapes)]
        length = shape[0] if given.dims != ("...",) and shape else self.count
        numbers = drawing.draw((length,), dtype, seed, given.values, self._named).tolist()
        return numbers if given.kind.endswith("[]") else numbers[0] if numbers else 1

    def _operand(self, name: str, shape: tuple[int, ...], dtype: torch.dtype, seed: int) -> Tensor:
        """Normal values, like activations after normalisation. Weights are divided by the root of the terms."""
        terms = max(self.sizes[self.op.products[2]], 1)
        normal = torch.randn(shape, generator=torch.Generator().manual_seed(seed))
        return (normal / terms**0.5 if name in self.op.right else normal).to(dtype)


def _of_list(dims: tuple[str, ...], shape: tuple[int, ...], place: int) -> tuple[int, ...]:
    """The shape of one tensor of a list. Under named leading dimensions, ``...x``, the tensors differ."""
    own = dims[0].startswith("...") and dims[0] != "..." and len(shape) >= len(dims)
    return (shape[0] + place, *shape[1:]) if own else shape


def product_case(op: Op, column: int, tokens: int, terms: int, columns: int) -> Case:
    """A case with matrix products. If columns and terms have the same symbol, its size is that of the terms."""
    rows, of_columns, of_terms = op.products
    sizes = {of_columns: columns, of_terms: terms}
    if rows != "...":
        sizes = {rows: tokens, **sizes}
    label = f"{tokens}x{terms} @ {terms}x{sizes[of_columns]}"
    return Case(op, column, label, ((tokens,) if op.leads else (),), sizes)


def element_case(op: Op, column: int, tokens: int, elements: int) -> Case:
    """A case without products. The leading dimension is ``tokens``; the named dimensions share ``elements``."""
    symbols = op.symbols if op.leads else op.symbols[1:]
    sizes = {} if op.leads else dict.fromkeys(op.symbols[:1], tokens)
    sizes |= {symbol: max(1, int(elements ** (1 / len(symbols)))) for symbol in symbols}
    sizes = {symbol: op.sizes.get(symbol, Size()).nearest(size) for symbol, size in sizes.items()}
    leading = () if not op.leads else (tokens,) if symbols else (tokens, elements)
    return Case(op, column, "x".join(map(str, (*leading, *sizes.values()))), (leading,), sizes)


def mapped(values: Sequence[Any], function: Callable[[Tensor], Tensor]) -> Arguments:
    """The arguments with ``function`` applied to every tensor, including those in lists."""
    return [_mapped(value, function) for value in values]


def _mapped(value: Any, function: Callable[[Tensor], Tensor]) -> Any:
    if isinstance(value, list):
        return mapped(value, function)
    return function(value) if isinstance(value, Tensor) else value


def tensors_in(values: Sequence[Any]) -> Iterator[Tensor]:
    """Every tensor among the arguments, including those in lists."""
    for value in values:
        if isinstance(value, Tensor):
            yield value
        elif isinstance(value, list):
            yield from tensors_in(value)


def doubled(tensor: Tensor) -> Tensor:
    """A copy in float64; integers and truth values keep their dtype."""
    return tensor.to(torch.float64 if tensor.is_floating_point() else tensor.dtype, copy=True)


def single(tensor: Tensor) -> Tensor:
    """A copy in float32; integers and truth values keep their dtype."""
    return tensor.to(torch.float32 if tensor.is_floating_point() else tensor.dtype, copy=True)


def _of_values(function: Callable[..., Any] | None) -> Callable[[Arguments], tuple[Tensor, ...]] | None:
    return None if function is None else lambda values: _as_tuple(function(*values))


def _as_tuple(outputs: Any) -> tuple[Tensor, ...]:
    several = tuple(outputs) if isinstance(outputs, (tuple, list)) else (outputs,)
    return tuple(one for output in several for one in (output if isinstance(output, list) else [output]))
