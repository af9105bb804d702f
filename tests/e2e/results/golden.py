"""What the operators compute: the references that opforge.yaml names."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor


def scale_each(xs: Sequence[Tensor], alpha: float = 2.0) -> list[Tensor]:
    """Each tensor times alpha."""
    return [x * alpha for x in xs]


def split_even(x: Tensor, parts: int = 2) -> tuple[list[Tensor], Tensor]:
    """The parts of x, all of one length, and twice x."""
    size = len(x) // parts
    return [x[i * size : (i + 1) * size].clone() for i in range(parts)], x * 2


def add_each(xs: Sequence[Tensor], term: Sequence[Tensor]) -> list[Tensor]:
    """The sums of two lists, tensor by tensor."""
    return [x + y for x, y in zip(xs, term, strict=True)]


def first_along(x: Tensor, axis: int = -1, keep: bool = False) -> Tensor:
    """The first element along an axis, which stays with the size 1 or is left out."""
    return x.narrow(axis, 0, 1).clone() if keep else x.select(axis, 0).clone()


def chunks(x: Tensor, tail: Tensor | None, lengths: Sequence[int] = (1, 2)) -> tuple[list[Tensor], Tensor]:
    """The first elements of x in pieces of these lengths; the rest, followed by the tail."""
    ends = [sum(lengths[: i + 1]) for i in range(len(lengths))]
    pieces = [x[end - length : end].clone() for end, length in zip(ends, lengths, strict=True)]
    rest = x[sum(lengths) :].clone()
    return pieces, rest if tail is None else torch.cat([rest, tail])


def tiled(x: Tensor, times: Sequence[int]) -> Tensor:
    """x, the first number of times, one behind the other, and a new dimension for each further number."""
    *more, last = times
    return x.repeat(*more, last)


def quantized(x: Tensor) -> Tensor:
    """x, rounded to integers and limited to those of int8."""
    return x.float().round().clamp(-128, 127).to(torch.int8)
