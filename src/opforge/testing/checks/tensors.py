"""Helpers for the tensors among an operator's arguments and results."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from torch import Tensor


def on(device: str, values: Iterable[Any]) -> list[Any]:
    """The values with all tensors, including those in lists, on a device."""
    return [
        value.to(device) if isinstance(value, Tensor) else on(device, value) if isinstance(value, list) else value
        for value in values
    ]


def as_tuple(outputs: Any) -> tuple[Tensor, ...]:
    """One output or several, as a tuple; the tensors of a list one by one."""
    several = outputs if isinstance(outputs, tuple) else (outputs,)
    return tuple(one for output in several for one in (output if isinstance(output, list) else [output]))


def double(value: Any) -> Any:
    """The value in float64 if it is a floating-point tensor, else unchanged."""
    return value.double() if isinstance(value, Tensor) and value.is_floating_point() else value
