"""The tensors among an operator's arguments and results."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from torch import Tensor


def on(device: str, values: Iterable[Any]) -> list[Any]:
    """The tensors on a device, also those in lists; other values are unchanged."""
    return [
        value.to(device) if isinstance(value, Tensor) else on(device, value) if isinstance(value, list) else value
        for value in values
    ]


def as_tuple(outputs: Any) -> tuple[Tensor, ...]:
    """One output or several, as a tuple."""
    return outputs if isinstance(outputs, tuple) else (outputs,)


def double(value: Any) -> Any:
    """In float64 where it is a floating-point tensor."""
    return value.double() if isinstance(value, Tensor) and value.is_floating_point() else value
