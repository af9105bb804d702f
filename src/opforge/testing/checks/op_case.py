"""An elementwise operator in a project's tests: its shapes, and data for them."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import torch
from torch import Tensor

from opforge.testing.checks.closeness import assert_close, assert_same
from opforge.testing.checks.module_case import ModuleCase
from opforge.testing.checks.regions import narrow_on
from opforge.testing.checks.tensors import on
from opforge.testing.checks.tested_operator import Columns, ExpressedOperator
from opforge.testing.measuring.drawing import ANY, Values, bound_names, draw, drawable
from opforge.testing.measuring.sizes import ROWS, usual, varied

SMALL = (((5,),), ((3, 4), (4,)), ((2, 1), (1, 3)), ((0,), (1,)))
WIDE = 3  # number of columns after the rows


@dataclass(frozen=True)
class OpCase(ExpressedOperator):
    """One elementwise operator."""

    function: Callable[..., Any]
    reference: Callable[..., Any]
    inputs: tuple[str, ...]  # names of the tensors
    columns: Columns  # combinations of the dtypes of the inputs
    tiles: tuple[int, ...]  # elements per tile of the kernel, for each combination
    dims: Mapping[str, tuple[str, ...]] = field(default_factory=dict)  # of inputs with named dimensions
    reduced: tuple[str, ...] = ()  # the dimensions of a row, if it is not the last one; "..." for the leading ones
    axis: str = ""  # the attribute that gives the reduced dimension, one of the leading ones
    optional: tuple[str, ...] = ()
    written: tuple[str, ...] = ()  # inputs that outputs are written to
    attrs: Mapping[str, Any] = field(default_factory=dict)
    values: Mapping[str, Values] = field(default_factory=dict)  # of inputs that may not hold any value
    differentiable: bool = True
    detaches: bool = False  # parts of the expression have no gradient, which differences see
    module: ModuleCase | None = None
    by_author: Callable[..., Any] | None = None

    every_gradient = False  # a result may depend on an input only by a condition

    @property
    def symbols(self) -> tuple[str, ...]:
        """The named dimensions."""
        named = (dim for dims in self.dims.values() for dim in dims)
        return tuple(dict.fromkeys(dim for dim in named if dim != "..." and not dim.isdigit()))

    def over(self, dim: int) -> OpCase:
        """The operator that reduces this dimension."""
        return replace(self, attrs={**self.attrs, self.axis: dim})

    def shapes(self, leading: tuple[tuple[int, ...], ...], **symbols: int) -> list[tuple[int, ...]]:
        """The inputs' shapes: the leading dimensions, which the inputs use in turn, then the sizes of symbols.

        Leading dimensions that are reduced do not broadcast: all inputs have the broadcast of them.
        """
        sizes = usual(self.symbols, {}) | symbols
        if "..." in self.reduced:
            leading = (tuple(torch.broadcast_shapes(*leading)),)
        made = []
        for i, name in enumerate(self.inputs):
            dims = self.dims.get(name, ("...",))
            rest = tuple(int(dim) if dim.isdigit() else sizes[dim] for dim in dims if dim != "...")
            made.append((*leading[i % len(leading)], *rest) if "..." in dims else rest)
        whole = tuple(torch.broadcast_shapes(*made)) if self.written else ()
        return [whole if name in self.written else shape for name, shape in zip(self.inputs, made, strict=True)]

    @property
    def names(self) -> tuple[str, ...]:
        """The dimensions that tests vary: the leading ones as one, and the named ones."""
        leads = any("..." in self.dims.get(name, ("...",)) for name in self.inputs)
        return (*((ROWS,) if leads else ()), *self.symbols)

    def varied(self, column: int) -> Iterator[list[Tensor]]:
        """Inputs in which every dimension has every size of interest, the smallest first.

        There are none of sizes that leave an input without valid values, such as classes of an empty row.
        """
        for sizes in varied(self.names, {}):
            symbols = {name: size for name, size in sizes.items() if name != ROWS}
            leading = [(sizes[ROWS],)] if ROWS in sizes else []
            if _drawable(self, column, *leading, **symbols):
                yield random_inputs(self, column, *leading, **symbols)

    def floating(self, column: int) -> tuple[int, ...]:
        """The indices of the inputs that can have gradients."""
        return tuple(i for i, dtype in enumerate(self.columns[column]) if dtype.is_floating_point)

    def sample(self, column: int, rows: int) -> list[Tensor]:
        """Inputs with this number of rows."""
        return random_inputs(self, column, (rows, WIDE))

    def samples(self, column: int) -> list[list[Tensor]]:
        """Inputs of several small shapes; positive if others give NaN, which opcheck reports as a difference."""
        made = []
        for shapes in SMALL:
            inputs = random_inputs(self, column, *shapes)
            if self._gives_nan(inputs):
                inputs = [value.abs() + 0.5 if value.dtype.is_floating_point else value for value in inputs]
            if not self._gives_nan(inputs):  # as the mean of no elements does
                made.append(inputs)
        return made

    def _gives_nan(self, inputs: list[Tensor]) -> bool:
        return any(bool(output.isnan().any()) for output in self.golden(*inputs))

    def shape_samples(self, column: int) -> list[list[Tensor]]:
        """Inputs that broadcast."""
        return [random_inputs(self, column, (3, 1, 5), (4, 1))]

    def author_samples(self, column: int) -> list[list[Tensor]]:
        """Inputs of several sizes, and two that broadcast."""
        sizes = [((1009,),), ((0,),), ((1,),), ((33,),), ((3, 1), (1, 5))]
        return [random_inputs(self, column, *leading) for leading in sizes]

    def large_sample(self) -> list[Tensor]:
        """Inputs that take a device some time."""
        return random_inputs(self, 0, (100_000,))

    def training_sample(self, world: int) -> tuple[list[Tensor], list[int | None]]:
        """Inputs whose first leading dimension has the rows. What is reduced cannot be shared out."""
        shared = "..." not in self.reduced
        rows = [0 if shared and "..." in self.dims.get(name, ("...",)) else None for name in self.inputs]
        return random_inputs(self, -1, (2 * world, WIDE)), rows

    def column_dims(self) -> list[int | None] | None:
        """None: the operator has no columns."""
        return None

    @property
    def autocasts(self) -> bool:
        """Whether autocast applies: to operators with several floating-point tensors that write to no argument."""
        return not self.written and len(self.floating(0)) > 1

    def check_region(self, device: str) -> None:
        """In a region, tensors of different dtypes are cast to the widest dtype."""
        first, *_ = self.floating(0)
        for column, dtypes in enumerate(self.columns):
            if {dtype for dtype in dtypes if dtype.is_floating_point} != {torch.float32}:
                continue
            for narrow in narrow_on(device):
                wide = on(device, self.sample(column, 5))
                mixed = [value.to(narrow) if place == first else value for place, value in enumerate(wide)]
                with torch.autocast(device, dtype=narrow):
                    actual = self(*mixed)
                supported = tuple(value.dtype for value in mixed) in self.columns
                wide[first] = mixed[first].float()
                assert_same(actual, self(*(mixed if supported else wide)))

    def assert_close(self, actual: Tensor, golden: Tensor, what: str = "the result", native: Any = None) -> None:
        """Compares with the tolerances of the dtype."""
        assert_close(actual, golden, what, native)


def _drawable(op: OpCase, column: int, *leading: tuple[int, ...], **symbols: int) -> bool:
    """Whether ``random_inputs`` can draw these inputs."""
    shapes = op.shapes(leading or ((),), **symbols)
    named = bound_names(op.attrs, usual(op.symbols, {}) | symbols)
    return all(
        drawable(op.values.get(name, ANY), op.columns[column][i], math.prod(shape), named)
        for i, (name, shape) in enumerate(zip(op.inputs, shapes, strict=True))
    )


def random_inputs(op: OpCase, column: int, *leading: tuple[int, ...], **symbols: int) -> list[Tensor]:
    """CPU tensors for all inputs. The inputs use the leading dimensions in turn."""
    shapes = op.shapes(leading or ((),), **symbols)
    named = bound_names(op.attrs, usual(op.symbols, {}) | symbols)
    return [
        draw(shape, op.columns[column][i], i + 1, op.values.get(name, ANY), named)
        for i, (name, shape) in enumerate(zip(op.inputs, shapes, strict=True))
    ]
