"""Values at which computations lose precision. Inputs whose values are limited, and integers, stay as they are."""

from __future__ import annotations

import inspect
import math
import re
from collections.abc import Callable

import torch
from torch import Tensor

from opforge.testing.measuring.case import Arguments, Case
from opforge.testing.measuring.drawing import ANY

SMALLEST, LARGEST = -12.0, 10.0  # exponents of two of a wide range
MEAN = 100.0  # beside deviations of 1: a variance as E[x^2] - E[x]^2 has lost its precision there
Change = Callable[[Tensor, "Tensor | None", torch.Generator], Tensor]


def largest(function: Callable[..., object], dtype: torch.dtype) -> float:
    """The largest finite value to try. Beyond 10000, sin, cos and tan of kernels lose digits."""
    try:
        text = inspect.getsource(function)
    except (OSError, TypeError):  # one of PyTorch's own, such as torch.sin
        text = f"{getattr(function, '__name__', '')}("
    periodic = re.search(r"\b(sin|cos|tan|sinc)\(", text)
    return min(float(torch.finfo(dtype).max), 10_000.0 if periodic else math.inf)


def wide_range(case: Case, values: Arguments) -> Arguments:
    """Magnitudes from 2^-12 to 2^10, of both signs."""
    return _changed(case, values, _magnitudes)


def near_ties(case: Case, values: Arguments) -> Arguments:
    """Halves, their neighbours, and elements that are equal in two inputs."""
    return _changed(case, values, _ties)


def cancelling(case: Case, values: Arguments) -> Arguments:
    """A mean far from zero, and inputs that nearly cancel each other."""
    return _changed(case, values, _near)


def scaled_rows(case: Case, values: Arguments) -> Arguments:
    """The rows of the left operands of products multiplied by powers of two."""
    changed = list(values)
    for place, name in enumerate(case.op.inputs):
        if name in case.op.left and isinstance(values[place], Tensor) and values[place].dim():
            source = torch.Generator().manual_seed(place)
            rows = torch.randint(-8, 5, values[place].shape[:-1], generator=source)
            changed[place] = (values[place].double() * torch.exp2(rows.double()).unsqueeze(-1)).to(values[place].dtype)
    return changed


def _changed(case: Case, values: Arguments, change: Change) -> Arguments:
    first: Tensor | None = None
    changed = list(values)
    for place, (given, value) in enumerate(zip(case.op.inputs.values(), values, strict=False)):
        if not isinstance(value, Tensor) or not value.dtype.is_floating_point or given.values != ANY:
            continue
        other = first if first is not None and first.shape == value.shape else None
        changed[place] = change(value, other, torch.Generator().manual_seed(place + 1)).to(value.dtype)
        first = changed[place] if first is None else first
    return changed


def _magnitudes(value: Tensor, _: Tensor | None, source: torch.Generator) -> Tensor:
    exponents = torch.rand(value.shape, generator=source) * (LARGEST - SMALLEST) + SMALLEST
    return torch.exp2(exponents) * (1 - 2 * torch.randint(0, 2, value.shape, generator=source))


def _ties(value: Tensor, other: Tensor | None, source: torch.Generator) -> Tensor:
    halves = (value.float() * 2).round() / 2
    moved = halves.to(value.dtype)
    up = torch.tensor(float("inf"), dtype=value.dtype)
    side = torch.randint(0, 3, value.shape, generator=source)
    moved = torch.where(
        side == 1, torch.nextafter(moved, up), torch.where(side == 2, torch.nextafter(moved, -up), moved)
    )
    same = torch.rand(value.shape, generator=source) < 0.5
    return moved if other is None else torch.where(same, other.to(value.dtype), moved)


def _near(value: Tensor, other: Tensor | None, source: torch.Generator) -> Tensor:
    noise = torch.randn(value.shape, generator=source)
    if other is None:
        return MEAN + noise
    sign = 1 - 2 * torch.randint(0, 2, value.shape, generator=source)
    return other.float() * sign * (1 + 2**-8 * noise)
