"""The operators under test, as the spec has them. The tests go through this table; extend it at will."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import torch

from operators import Operator

SIZES = (5, 7, 3, 2)  # of symbols, in the order in which they occur


@dataclass(frozen=True)
class OpCase(Operator):
    """One operator that works element by element."""

    name: str
    inputs: tuple[str, ...]  # the tensors
    columns: tuple[tuple[torch.dtype, ...], ...]  # combinations of their dtypes
    tiles: tuple[int, ...]  # elements that the kernel takes at once, per combination
    dims: dict[str, tuple[str, ...]] = field(default_factory=dict)  # of inputs that have others than leading ones
    optional: tuple[str, ...] = ()
    written: tuple[str, ...] = ()  # inputs that results are written to
    attrs: dict[str, Any] = field(default_factory=dict)
    differentiable: bool = True

    @property
    def symbols(self) -> tuple[str, ...]:
        """The dimensions that have names."""
        named = (dim for dims in self.dims.values() for dim in dims)
        return tuple(dict.fromkeys(dim for dim in named if dim != "..." and not dim.isdigit()))

    def shapes(self, leading: tuple[tuple[int, ...], ...], **symbols: int) -> list[tuple[int, ...]]:
        """The inputs' shapes: the leading dimensions, in turn, and the sizes of symbols behind them."""
        sizes = {symbol: SIZES[i % len(SIZES)] for i, symbol in enumerate(self.symbols)} | symbols
        made = []
        for i, name in enumerate(self.inputs):
            dims = self.dims.get(name, ("...",))
            rest = tuple(int(dim) if dim.isdigit() else sizes[dim] for dim in dims if dim != "...")
            made.append((*leading[i % len(leading)], *rest) if "..." in dims else rest)
        whole = tuple(torch.broadcast_shapes(*made))
        return [whole if name in self.written else shape for name, shape in zip(self.inputs, made, strict=True)]

    def floating(self, column: int) -> tuple[int, ...]:
        """The places of the inputs that can have gradients."""
        return tuple(i for i, dtype in enumerate(self.columns[column]) if dtype.is_floating_point)


OPS = (
    OpCase(
        name="vector_add",
        inputs=("x", "y"),
        columns=(
            (torch.float16, torch.float16),
            (torch.bfloat16, torch.bfloat16),
            (torch.float32, torch.float32),
        ),
        tiles=(9728, 9728, 7936),
    ),
)

# Every operator with each combination of dtypes.
COMBINATIONS = [(op, column) for op in OPS for column in range(len(op.columns))]
