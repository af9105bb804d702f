"""Data for tests and measurements: tensors of the values that an input may hold."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

SPREAD = 19  # integers between bounds of which only one is known
Bound = float | str


@dataclass(frozen=True)
class Values:
    """The values that an input may hold: ``min <= value < below``.

    A bound is a number, or the text of arithmetic over named dimensions and int attributes: ``"max(N, 1) * 2"``.
    """

    min: Bound | None = None
    below: Bound | None = None
    unique: bool = False  # no two elements are equal
    sorted: bool = False  # ascending along the last dimension


ANY = Values()


def bound_names(attrs: Mapping[str, object], sizes: Mapping[str, int]) -> dict[str, int]:
    """The names that bounds may use, with their values: int attributes, and named dimensions."""
    return {name: value for name, value in attrs.items() if isinstance(value, int)} | dict(sizes)


def bound(given: Bound, names: Mapping[str, int]) -> float:
    """The number that a bound stands for. ``names`` are the sizes of dimensions and the values of int attributes."""
    if not isinstance(given, str):
        return given
    known = {"__builtins__": {}, "min": min, "max": max, **names}
    return float(eval(given, known))  # noqa: S307  (the project's own arithmetic, checked by opforge.yaml's reader)


def limits(values: Values, dtype: torch.dtype, names: Mapping[str, int]) -> tuple[float, float]:
    """The bounds as numbers: the smallest value, and the first one above. Without a bound, they are infinite."""
    low = -math.inf if values.min is None else bound(values.min, names)
    high = math.inf if values.below is None else bound(values.below, names)
    if dtype == torch.bool:
        return 0, 2
    if not dtype.is_floating_point:
        facts = torch.iinfo(dtype)
        return max(math.ceil(low) if math.isfinite(low) else low, facts.min), min(high, facts.max + 1)
    return low, high


def drawable(values: Values, dtype: torch.dtype, count: int, names: Mapping[str, int]) -> bool:
    """Whether ``count`` such values exist."""
    low, high = limits(values, dtype, names)
    if count and low >= high:
        return False
    return dtype.is_floating_point or not values.unique or count <= high - low


def draw(
    shape: Sequence[int], dtype: torch.dtype, seed: int, values: Values = ANY, names: Mapping[str, int] | None = None
) -> Tensor:
    """A CPU tensor of such values; the same seed gives the same tensor. Raises ValueError if they do not exist."""
    if values == ANY:
        return random_tensor(shape, dtype, seed)
    count = math.prod(shape)
    low, high = limits(values, dtype, names or {})
    if not drawable(values, dtype, count, names or {}):
        raise ValueError(f"there are not {count} {'different ' if values.unique else ''}values in [{low}, {high})")
    floating = dtype.is_floating_point
    made = (_floats if floating else _integers)(count, dtype, seed, low, high, unique=values.unique).reshape(
        tuple(shape)
    )
    return torch.sort(made, dim=-1).values if values.sorted and made.dim() else made


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


def _floats(count: int, dtype: torch.dtype, seed: int, low: float, high: float, *, unique: bool) -> Tensor:
    """Within both bounds uniform; from one bound on as far as other data are from zero."""
    source = torch.Generator().manual_seed(seed)
    if math.isfinite(low) and math.isfinite(high):
        made = torch.rand(count, generator=source, dtype=torch.float64) * (high - low) + low
    elif math.isfinite(low) or math.isfinite(high):
        size = random_tensor((count,), torch.float32, seed).double().abs()
        made = low + size if math.isfinite(low) else high - size
    else:
        made = random_tensor((count,), torch.float32, seed).double()
    rounded = _within(made.to(dtype), low, high)
    if unique and count and len(rounded.unique()) < count:
        raise ValueError(f"{count} different values of {dtype} were not found in [{low}, {high})")
    return rounded


def _within(made: Tensor, low: float, high: float) -> Tensor:
    """The nearest values within the bounds, because rounding to a dtype can cross them."""
    up = torch.tensor(math.inf, dtype=made.dtype)
    over, under = made.double() >= high, made.double() < low
    return torch.where(over, torch.nextafter(made, -up), torch.where(under, torch.nextafter(made, up), made))


def _integers(count: int, dtype: torch.dtype, seed: int, low: float, high: float, *, unique: bool) -> Tensor:
    """Integers between the bounds. Both ends are among them if there is room."""
    source = torch.Generator().manual_seed(seed)
    start, stop = _range(count if unique else 0, dtype, low, high)
    if unique:
        return (torch.randperm(stop - start, generator=source)[:count] + start).to(dtype)
    made = torch.randint(start, max(stop, start + 1), (count,), generator=source)
    if count > 1:
        made[0], made[-1] = stop - 1, start
    return made.to(dtype)


def _range(count: int, dtype: torch.dtype, low: float, high: float) -> tuple[int, int]:
    """The integers to draw from: all that the bounds allow, unless a dtype's own limits are the only bounds."""
    facts = torch.iinfo(dtype) if dtype != torch.bool else None
    lowest = facts is not None and low <= facts.min and facts.min < 0
    highest = facts is not None and high > facts.max
    width = max(SPREAD, 2 * count)
    if lowest and highest:
        low, high = max(low, -(width // 2)), min(high, width - width // 2)
    elif highest:
        high = min(high, low + width)
    elif lowest:
        low = max(low, min(-9, high - width))
    return int(low), math.ceil(high)
