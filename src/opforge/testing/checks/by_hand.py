"""Operators with handwritten kernels in a project's tests, and the checks for them.

The sizes of named dimensions are small. If a kernel needs other sizes, change them in the operator's own test.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import Tensor

from opforge.testing.checks.closeness import assert_close
from opforge.testing.checks.module_case import ModuleCase, Named, check_initial_values, check_module, check_tracing
from opforge.testing.checks.tensors import as_tuple
from opforge.testing.checks.tensors import on as _on
from opforge.testing.measuring.case import UNWRITTEN, random_tensor

SYMBOLS = (5, 7, 3, 2)  # sizes in the order in which the symbols occur


@dataclass(frozen=True)
class Input:
    """One argument. ``kind`` is the type in the dispatcher's schema: Tensor, Tensor[], Scalar, Scalar[], int[], ..."""

    kind: str
    dtypes: tuple[torch.dtype, ...]  # one for each combination
    dims: tuple[str, ...] = ("...",)
    optional: bool = False


@dataclass(frozen=True)
class ByHand:
    """One operator. ``reference`` computes the expected results; without it, only shapes and dtypes are compared."""

    function: Callable[..., Any]
    op_type: str
    inputs: Mapping[str, Input]
    kernel: Path | None = None  # the header that started as a skeleton
    attrs: Mapping[str, Any] = field(default_factory=dict)
    written: tuple[str, ...] = ()
    reference: Callable[..., Any] | None = None
    shapes_by_kernel: bool = False  # its kernel determines the shape of an output, which no Meta function knows
    module: ModuleCase | None = None

    @property
    def name(self) -> str:
        """The name of the function."""
        return self.function.__name__

    @property
    def columns(self) -> int:
        """The number of combinations of dtypes."""
        return len(next(iter(self.inputs.values())).dtypes)

    @property
    def overload(self) -> Any:
        """The operator in the dispatcher."""
        package = self.function.__module__.partition(".")[0]
        return getattr(getattr(torch.ops, package), self.name).default

    def require_kernel(self) -> None:
        """Fails while the kernel body is not written."""
        if self.kernel is not None and UNWRITTEN in self.kernel.read_text(encoding="utf-8"):
            header = "/".join(self.kernel.parts[-2:])
            pytest.fail(f"the kernel body of {self.op_type} is not written yet: {header}", pytrace=False)

    def arguments(self, column: int, leading: tuple[int, ...], count: int = 2, *, all_given: bool = True) -> list[Any]:
        """CPU values for all arguments, ``count`` in a list. Unless ``all_given``, optional ones are None."""
        dims = (dim for given in self.inputs.values() for dim in given.dims)
        symbols = dict.fromkeys(dim for dim in dims if not dim.startswith("...") and not dim.isdigit())
        sizes = {symbol: SYMBOLS[i % len(SYMBOLS)] for i, symbol in enumerate(symbols)}
        made: list[Any] = []
        for i, given in enumerate(self.inputs.values()):
            if given.optional and not all_given:
                made.append(None)
                continue
            rest = [int(dim) if dim.isdigit() else sizes[dim] for dim in given.dims if not dim.startswith("...")]
            shape = (*leading, *rest) if len(rest) < len(given.dims) else tuple(rest)
            made.append(_value(given, given.dtypes[column], shape, count, 10 * i + 1))
        return [*made, *self.attrs.values()]

    def named(self, column: int, rows: int) -> Named:
        """The arguments by name, with one leading dimension."""
        return dict(zip((*self.inputs, *self.attrs), self.arguments(column, (rows,)), strict=True))


def _value(given: Input, dtype: torch.dtype, shape: tuple[int, ...], count: int, seed: int) -> Any:
    if given.kind == "Tensor":
        return random_tensor(shape, dtype, seed)
    if given.kind == "Tensor[]":
        return [random_tensor(shape, dtype, seed + i) for i in range(count)]
    length = shape[0] if shape and given.dims != ("...",) else count
    numbers = random_tensor((length,), dtype, seed).tolist()
    return numbers if given.kind.endswith("[]") else numbers[0] if numbers else 1


def placed(values: list[Any], device: str) -> list[Any]:
    """The values with all tensors, including those in lists, on a device."""
    return _on(device, values)


def check_results(op: ByHand, values: list[Any]) -> None:
    """Results on the NPU equal the reference's, or, without one, have the Meta function's shapes and dtypes."""
    op.require_kernel()
    on_npu = placed(values, "npu")
    outputs = as_tuple(op.function(*on_npu))
    if not op.shapes_by_kernel:
        shapes = as_tuple(op.function(*placed(values, "meta")))
        assert [(o.shape, o.dtype) for o in outputs] == [(s.shape, s.dtype) for s in shapes]
    assert all(output.device.type == "npu" for output in outputs)
    for name, value in zip(op.inputs, on_npu, strict=False):
        assert name not in op.written or any(output is value for output in outputs)
    if op.reference is not None:
        goldens = as_tuple(op.reference(*placed(values, "cpu")))
        for i, (output, golden) in enumerate(zip(outputs, goldens, strict=True)):
            assert_close(output, golden.to(output.dtype), f"{op.name}'s output {i}")


def check_registration(op: ByHand, values: list[Any]) -> None:
    """Checks torch's requirements for an operator, except its results."""
    op.require_kernel()
    torch.library.opcheck(op.overload, tuple(placed(values, "npu")))
    if op.reference is not None:
        torch.library.opcheck(op.overload, tuple(values))


def check_as_module(op: ByHand, column: int) -> None:
    """The module computes the same as the function, and is compiled, exported and traced as one operator."""
    op.require_kernel()
    assert op.module is not None
    check_module(op.module, op.function, op.named(column, 33))
    check_initial_values(op.module, op.named(column, 1))
    check_tracing(op.module, lambda rows: op.named(column, rows))


def check_gradients(op: ByHand, column: int) -> None:
    """The gradients on the NPU equal those of the reference."""
    op.require_kernel()
    results = []
    for device in ("npu", "cpu"):
        values = placed(op.arguments(column, (7,)), device)
        leaves = [tensor for value in values for tensor in (value if isinstance(value, list) else [value])]
        leaves = [tensor for tensor in leaves if isinstance(tensor, Tensor) and tensor.dtype.is_floating_point]
        for leaf in leaves:
            leaf.requires_grad_()
        function = op.function if device == "npu" or op.reference is None else op.reference
        outputs = [output for output in as_tuple(function(*values)) if output.requires_grad]
        weights = [random_tensor(o.shape, o.dtype, 100 + i).to(device) for i, o in enumerate(outputs)]
        results.append(torch.autograd.grad(outputs, leaves, weights, allow_unused=True))
    for actual, golden in zip(*results, strict=True):
        assert (actual is None) == (golden is None)
        if golden is not None:
            assert_close(actual, golden, "a gradient", golden)
