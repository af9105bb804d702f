"""torch.autocast for operators with matrix products: tensors are cast to the region's dtype, as for torch.matmul."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from swiglu._checks import Columns

LIBRARY = torch.library.Library("swiglu", "IMPL")  # registrations live as long as this does
KEYS = {"cpu": "AutocastCPU", "npu": "AutocastPrivateUse1"}


def follow_autocast(function: str, columns: Columns) -> None:
    """Registers it for CPU and NPU tensors. A region's dtype that the operator does not have changes nothing."""
    overload = getattr(torch.ops.swiglu, function).default
    for device, key in KEYS.items():
        LIBRARY.impl(function, _casting(overload, device, columns), key)


def _casting(overload: Callable[..., Any], device: str, columns: Columns) -> Callable[..., Any]:
    excluded = torch._C.DispatchKeySet(getattr(torch._C.DispatchKey, KEYS[device]))

    def cast_and_call(*arguments: Any) -> Any:
        dtype = torch.get_autocast_dtype(device)
        if any(set(column) == {dtype} for column in columns):
            arguments = tuple(_cast(argument, device, dtype) for argument in arguments)
        with torch._C._ExcludeDispatchKeyGuard(excluded):
            return overload(*arguments)

    return cast_and_call


def _cast(argument: Any, device: str, dtype: torch.dtype) -> Any:
    """As torch does it: floating-point tensors of the region's device, but for float64."""
    eligible = isinstance(argument, Tensor) and argument.is_floating_point() and argument.device.type == device
    return argument.to(dtype) if eligible and argument.dtype != torch.float64 else argument
