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

Values = list[Any]  # all arguments of one call, in order
UNWRITTEN = "KERNEL BODY NOT WRITTEN YET"  # a line in a kernel's header until the author removes it


@dataclass(frozen=True)
class Input:
    """One argument. ``kind`` is the type in the dispatcher's schema: Tensor, Tensor[], Scalar, Scalar[], int[], ..."""

    kind: str = "Tensor"
    dims: tuple[str, ...] = ("...",)
    optional: bool = False


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

    def why_not(self, root: Path) -> str:
        """Why the operator cannot be called; empty if it can. ``root`` is the project's folder."""
        header = root / self.kernel
        if self.kernel and header.is_file() and UNWRITTEN in header.read_text(encoding="utf-8"):
            return f"its kernel body is not written yet: {self.kernel}"
        return ""

    def custom(self, values: Values) -> tuple[Tensor, ...]:
        """The operator's outputs."""
        return _as_tuple(self.function(*values))

    @property
    def native(self) -> Callable[[Values], tuple[Tensor, ...]] | None:
        """The expression in PyTorch's own operators; None if its computation is not known."""
        return _of_values(self.in_torch)

    @property
    def golden(self) -> Callable[[Values], tuple[Tensor, ...]] | None:
        """The reference; None if there is none."""
        return _of_values(self.reference or self.in_torch)

    def cases(
        self, *, products: Sequence[tuple[int, int, int]], elements: Sequence[tuple[int, int]]
    ) -> tuple[Case, ...]:
        """One case for each combination of dtypes and each size.

        An operator with matrix products takes ``products``: tokens, terms and columns. Any other takes ``elements``:
        tokens and the elements of each.
        """
        columns = range(len(self.columns))
        if self.products:
            return tuple(product_case(self, column, *sizes) for column in columns for sizes in products)
        return tuple(element_case(self, column, *sizes) for column in columns for sizes in elements)


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

    def inputs(self, seed: int = 0) -> Values:
        """CPU values for all arguments. The same seed gives the same values."""
        shapes = self.shapes()
        made: Values = []
        for place, (name, given) in enumerate(self.op.inputs.items()):
            if name in self.omitted:
                made.append(None)
                continue
            dtype, own = self.op.columns[self.column][place], 1000 * seed + 10 * place + 1
            if name in (*self.op.left, *self.op.right):
                made.append(self._operand(name, shapes[name], dtype, own))
            else:
                made.append(_value(given, dtype, shapes[name], self.count, own))
        return [*made, *self.op.attrs.values()]

    def _operand(self, name: str, shape: tuple[int, ...], dtype: torch.dtype, seed: int) -> Tensor:
        """Normal values, like activations after normalisation. Weights are divided by the root of the terms."""
        terms = max(self.sizes[self.op.products[2]], 1)
        normal = torch.randn(shape, generator=torch.Generator().manual_seed(seed))
        return (normal / terms**0.5 if name in self.op.right else normal).to(dtype)


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
    leading = () if not op.leads else (tokens,) if symbols else (tokens, elements)
    return Case(op, column, "x".join(map(str, (*leading, *sizes.values()))), (leading,), sizes)


def _value(given: Input, dtype: torch.dtype, shape: tuple[int, ...], count: int, seed: int) -> Any:
    if given.kind == "Tensor":
        return random_tensor(shape, dtype, seed)
    if given.kind == "Tensor[]":
        return [random_tensor(shape, dtype, seed + i) for i in range(count)]
    length = shape[0] if given.dims != ("...",) and shape else count
    numbers = random_tensor((length,), dtype, seed).tolist()
    return numbers if given.kind.endswith("[]") else numbers[0] if numbers else 1


def random_tensor(shape: Sequence[int], dtype: torch.dtype, seed: int) -> Tensor:
    """CPU data by CANN's precision standard: one half uniform in [-5, 5], the other half normal.

    The normal half has a random mean in [-5, 5] and a random deviation in [0.1, 2]. Integers are small, because
    products of two must fit. (opbase, docs/zh/ops_precision_standard/experimental_standard.md, section 1.2)
    """
    source = torch.Generator().manual_seed(seed)
    if dtype == torch.bool:
        return torch.rand(tuple(shape), generator=source) < 0.5
    if not dtype.is_floating_point:
        return torch.randint(-9 if dtype.is_signed else 0, 10, tuple(shape), generator=source).to(dtype)
    uniform = torch.rand(tuple(shape), generator=source) * 10 - 5
    mean, deviation = (torch.rand(2, generator=source) * torch.tensor([10.0, 1.9]) + torch.tensor([-5.0, 0.1])).tolist()
    normal = torch.randn(tuple(shape), generator=source) * deviation + mean
    chosen = torch.rand(tuple(shape), generator=source) < 0.5
    return torch.where(chosen, uniform, normal).to(dtype)


def mapped(values: Sequence[Any], function: Callable[[Tensor], Tensor]) -> Values:
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


def _of_values(function: Callable[..., Any] | None) -> Callable[[Values], tuple[Tensor, ...]] | None:
    return None if function is None else lambda values: _as_tuple(function(*values))


def _as_tuple(outputs: Any) -> tuple[Tensor, ...]:
    return tuple(outputs) if isinstance(outputs, (tuple, list)) else (outputs,)
