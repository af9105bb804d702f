"""Operators with matrix products, and the kernels of their derivatives, in a project's tests."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import torch
from torch import Tensor

from opforge.testing.checks.closeness import assert_product_close, assert_same
from opforge.testing.checks.module_case import ModuleCase
from opforge.testing.checks.regions import NARROW, narrow_on
from opforge.testing.checks.tensors import as_tuple, on
from opforge.testing.checks.tested_operator import Columns, ExpressedOperator, Operator
from opforge.testing.measuring.drawing import ANY, Values, bound_names, draw, random_tensor
from opforge.testing.measuring.sizes import varied

Sizes = tuple[tuple[int, ...], int, int]  # leading dimensions, columns of the result, terms of a product
SMALL: tuple[Sizes, ...] = (((5,), 7, 3), ((1,), 1, 1), ((4,), 3, 0), ((0,), 3, 5))
FOLDED: tuple[Sizes, ...] = (((), 7, 3), ((2, 3), 4, 5))


@dataclass(frozen=True)
class ProductCase(ExpressedOperator):
    """One operator with matrix products."""

    function: Callable[..., Any]
    reference: Callable[..., Any]
    inputs: Mapping[str, tuple[str, ...]]  # dimensions of each input; "..." are leading ones
    left: tuple[str, ...]  # operands of the products
    right: tuple[str, ...]
    columns: Columns  # combinations of the dtypes of the inputs
    symbols: tuple[str, str, str]  # of the rows, columns and terms
    tile: tuple[int, int]  # largest number of rows and columns of a tile
    optional: tuple[str, ...] = ()
    attrs: Mapping[str, Any] = field(default_factory=dict)
    values: Mapping[str, Values] = field(default_factory=dict)  # of inputs that may not hold any value
    differentiable: bool = True
    reduces: bool = False  # an element of a result depends on a whole row of the products
    module: ModuleCase | None = None
    by_author: Callable[..., Any] | None = None

    every_gradient = True
    written = ()
    autocasts = True

    @property
    def folds(self) -> bool:
        """Whether leading dimensions are merged into rows."""
        return self.symbols[0] == "..."

    def shapes(self, sizes: Sizes) -> list[tuple[int, ...]]:
        """The inputs' shapes. If columns and terms have the same symbol, its size is that of the terms."""
        rows, columns, terms = sizes
        known: dict[str, tuple[int, ...]]
        known = {self.symbols[0]: (math.prod(rows),), self.symbols[1]: (columns,), self.symbols[2]: (terms,)}
        known["..."] = rows
        return [tuple(size for dim in dims for size in known[dim]) for dims in self.inputs.values()]

    @property
    def varied(self) -> list[Sizes]:
        """Sizes in which rows, columns and terms have every size of interest, the smallest first."""
        rows, columns, terms = self.symbols
        return [((each[rows],), each[columns], each[terms]) for each in varied(tuple(dict.fromkeys(self.symbols)), {})]

    def dims_of(self, symbol: str) -> list[int | None]:
        """The dimension of each input that has this symbol."""
        return [dims.index(symbol) if symbol in dims else None for dims in self.inputs.values()]

    def sample(self, column: int, rows: int) -> list[Tensor]:
        """Inputs with this number of rows."""
        return product_inputs(self, column, ((rows,), 7, 5))

    def samples(self, column: int) -> list[list[Tensor]]:
        """Inputs of several small shapes, some without elements."""
        return [product_inputs(self, column, sizes) for sizes in (*SMALL, *(FOLDED if self.folds else ()))]

    def shape_samples(self, column: int) -> list[list[Tensor]]:
        """The same inputs as in ``samples``."""
        return self.samples(column)

    def author_samples(self, column: int) -> list[list[Tensor]]:
        """Inputs with several leading dimensions, and with many rows."""
        rows = ((2, 3), (1009,)) if self.folds else ((6,), (1009,))
        return [product_inputs(self, column, (each, 33, 67)) for each in rows]

    def large_sample(self) -> list[Tensor]:
        """Inputs of more than one tile."""
        return product_inputs(self, 0, ((129,), 257, 65))

    def training_sample(self, world: int) -> tuple[list[Tensor], list[int | None]]:
        """Inputs whose rows are those of the products."""
        return product_inputs(self, -1, ((2 * world,), 5 * world, 7)), self.dims_of(self.symbols[0])

    def column_dims(self) -> list[int | None] | None:
        """The dimension of each input that becomes the result's columns.

        None if the terms have the same symbol, or if an element of a result depends on all columns.
        """
        return None if self.reduces or self.symbols[1] == self.symbols[2] else self.dims_of(self.symbols[1])

    def check_region(self, device: str) -> None:
        """The innermost region applies: float32 tensors are cast to its dtype; gradients keep the tensors' dtypes."""
        if (torch.float32,) * len(self.inputs) in self.columns:
            self._check_nested(device)
        for column in self.columns:
            if column[0] == torch.float32 or len(set(column)) > 1:
                continue
            values = [tensor.float() for tensor in product_inputs(self, 0, ((5,), 7, 3))]
            mixed = [tensor.to(device, column[0]) if i == 0 else tensor.to(device) for i, tensor in enumerate(values)]
            inputs = [tensor.requires_grad_(self.differentiable) for tensor in mixed]
            with torch.autocast(device, dtype=column[0]):
                outputs = self(*inputs)
            for output, golden in zip(outputs, self.golden(*(tensor.to(column[0]) for tensor in values)), strict=True):
                assert_product_close(output, golden)
            if self.differentiable:
                sum(output.float().sum() for output in outputs).backward()
                grads = [tensor.grad for tensor in inputs]
                assert [None if g is None else g.dtype for g in grads] == [tensor.dtype for tensor in inputs]

    def _check_nested(self, device: str) -> None:
        values = on(device, [value.float() for value in product_inputs(self, -1, ((5,), 7, 3))])
        if len(narrow_on(device)) == 1:
            return  # regions have only one dtype
        for outer, inner in (NARROW, NARROW[::-1]):
            with torch.autocast(device, dtype=outer):
                with torch.autocast(device, dtype=inner):
                    in_inner = self(*values)
                with torch.autocast(device, enabled=False):
                    in_none = self(*values)
                in_outer = self(*values)
            assert_same(in_none, self(*values))
            for actual, dtype in ((in_inner, inner), (in_outer, outer)):
                used = dtype if (dtype,) * len(self.inputs) in self.columns else torch.float32
                assert_same(actual, self(*(value.to(used) for value in values)))

    def assert_close(self, actual: Tensor, golden: Tensor, what: str = "the result", native: Any = None) -> None:
        """Compares with the tolerances of the dtype, and a share of the result's size."""
        assert_product_close(actual, golden, what, native)


@dataclass(frozen=True)
class GradientKernel(Operator):
    """The elementwise kernel that a derivative calls. Its outputs have the shapes of its inputs."""

    function: Any
    reference: Callable[..., Any]
    inputs: tuple[str, ...]
    columns: Columns
    tiles: tuple[int, ...]  # elements per tile of the kernel, for each combination
    attrs: Mapping[str, Any] = field(default_factory=dict)

    @property
    def overload(self) -> Any:
        """The operator in the dispatcher."""
        return self.function.default

    def __call__(self, *tensors: Tensor | None) -> tuple[Tensor, ...]:
        """The outputs of the operator, which users do not call and which has no Python function."""
        return as_tuple(self.overload(*self.arguments(*tensors)))


def product_inputs(op: ProductCase, column: int, sizes: Sizes) -> list[Tensor]:
    """CPU tensors for all inputs.

    Left operands are normal. Right operands are normal and divided by the root of the number of terms, like weights in
    networks. The products are then normal as well, and float16 does not overflow.
    """
    rows, columns, terms = op.symbols
    named = bound_names(op.attrs, {rows: math.prod(sizes[0]), columns: sizes[1], terms: sizes[2]})
    made = []
    for i, (name, shape) in enumerate(zip(op.inputs, op.shapes(sizes), strict=True)):
        dtype, values = op.columns[column][i], op.values.get(name, ANY)
        if name in (*op.left, *op.right) and values == ANY:
            normal = torch.randn(shape, generator=torch.Generator().manual_seed(i + 1))
            made.append((normal / max(sizes[2], 1) ** 0.5 if name in op.right else normal).to(dtype))
        else:
            made.append(draw(shape, dtype, i + 1, values, named))
    return made


def kernel_inputs(kernel: GradientKernel, column: int, shape: tuple[int, ...]) -> list[Tensor]:
    """CPU tensors for all inputs."""
    return [random_tensor(shape, dtype, seed=i + 1) for i, dtype in enumerate(kernel.columns[column])]
