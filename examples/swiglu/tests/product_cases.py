"""The operators with matrix products, as the spec has them, and the kernels of their derivatives.

The tests go through these tables; extend them at will.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

import torch
from torch import Tensor

from operators import Operator, as_tuple

Sizes = tuple[tuple[int, ...], int, int]  # leading dimensions, columns of the result, terms of a product


@dataclass(frozen=True)
class ProductCase(Operator):
    """One operator."""

    name: str
    inputs: dict[str, tuple[str, ...]]  # dimensions; "..." are leading ones
    left: tuple[str, ...]  # operands of the products
    right: tuple[str, ...]
    columns: tuple[tuple[torch.dtype, ...], ...]  # combinations of input dtypes
    symbols: tuple[str, str, str]  # of rows, columns and terms
    tile: tuple[int, int]  # most rows and columns of the result that a core takes at once
    optional: tuple[str, ...] = ()
    attrs: dict[str, Any] = field(default_factory=dict)
    differentiable: bool = True

    @property
    def folds(self) -> bool:
        """Whether any number of leading dimensions makes its rows."""
        return self.symbols[0] == "..."

    def shapes(self, sizes: Sizes) -> list[tuple[int, ...]]:
        """The inputs' shapes; where columns and terms are one symbol, terms count."""
        rows, columns, terms = sizes
        known = {self.symbols[0]: (math.prod(rows),), self.symbols[1]: (columns,), self.symbols[2]: (terms,)}
        known["..."] = rows
        return [tuple(size for dim in dims for size in known[dim]) for dims in self.inputs.values()]


@dataclass(frozen=True)
class GradientKernel(Operator):
    """The kernel that a derivative calls: elementwise, with outputs like its inputs."""

    name: str
    inputs: tuple[str, ...]
    columns: tuple[tuple[torch.dtype, ...], ...]
    tiles: tuple[int, ...]  # elements that the kernel takes at once, per combination
    attrs: dict[str, Any] = field(default_factory=dict)

    def __call__(self, *tensors: Tensor | None) -> tuple[Tensor, ...]:
        """The operator's outputs; it is not for users, and has no function of its own."""
        return as_tuple(self.overload(*self.arguments(*tensors)))


PRODUCTS = (
    ProductCase(
        name="swiglu",
        inputs={"x": ("...", "H"), "w_gate": ("H", "I"), "w_up": ("H", "I")},
        left=("x",),
        right=("w_gate", "w_up"),
        columns=(
            (torch.float16, torch.float16, torch.float16),
            (torch.bfloat16, torch.bfloat16, torch.bfloat16),
            (torch.float32, torch.float32, torch.float32),
        ),
        symbols=("...", "I", "H"),
        tile=(128, 256),
    ),
)

GRADIENT_KERNELS = (
    GradientKernel(
        name="swiglu_grad",
        inputs=("grad_y", "gate", "up"),
        columns=(
            (torch.float16, torch.float16, torch.float16),
            (torch.bfloat16, torch.bfloat16, torch.bfloat16),
            (torch.float32, torch.float32, torch.float32),
        ),
        tiles=(4864, 4864, 4864),
    ),
)

# Every operator with each combination of dtypes.
PRODUCT_COMBINATIONS = [(op, column) for op in PRODUCTS for column in range(len(op.columns))]
