"""The rules of torch.autocast for the operators' arguments; derivatives run outside autocast.

Casts are not cached: torch caches those of its own operators until the region ends, but offers no access to the cache.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import torch
{% if casts %}
from torch import Tensor

from {{ package }}._opforge._checks import Columns

LIBRARY = torch.library.Library("{{ package }}", "IMPL")  # registrations live as long as this object
KEYS = {"cpu": "AutocastCPU", "npu": "AutocastPrivateUse1"}
{% endif %}
{% if follows %}


def follow_autocast(function: str, columns: Columns) -> None:
    """For matrix products: floating-point tensors are cast to the region's dtype, as for torch.matmul.

    If the operator does not support that dtype, it is treated like other operators.
    """

    def wanted(arguments: tuple[Any, ...], device: str) -> torch.dtype | None:
        dtype = torch.get_autocast_dtype(device)
        return dtype if any(set(column) == {dtype} for column in columns) else _promoted(arguments, device, columns)

    _register(function, wanted)
{% endif %}
{% if promotes %}


def promote_in_autocast(function: str, columns: Columns) -> None:
    """For other operators: floating-point tensors of different dtypes are cast to the widest one, as for torch.addcmul.

    Supported combinations of dtypes are not cast, nor are tensors for which the promoted combination is not supported.
    """
    _register(function, lambda arguments, device: _promoted(arguments, device, columns))
{% endif %}
{% if casts %}


def _register(function: str, wanted: Callable[[tuple[Any, ...], str], torch.dtype | None]) -> None:
    """Registers a rule for CPU and NPU tensors. ``wanted`` returns the region's dtype for floating-point arguments."""
    overload = getattr(torch.ops.{{ package }}, function).default
    for device, key in KEYS.items():
        LIBRARY.impl(function, _casting(overload, device, wanted), key)


def _casting(
    overload: Callable[..., Any], device: str, wanted: Callable[[tuple[Any, ...], str], torch.dtype | None]
) -> Callable[..., Any]:
    excluded = torch._C.DispatchKeySet(getattr(torch._C.DispatchKey, KEYS[device]))

    def cast_and_call(*arguments: Any) -> Any:
        dtype = wanted(arguments, device)
        with torch._C._ExcludeDispatchKeyGuard(excluded):
            return overload(*(arguments if dtype is None else _cast(arguments, device, dtype)))

    return cast_and_call


def _promoted(arguments: tuple[Any, ...], device: str, columns: Columns) -> torch.dtype | None:
    given = {tensor.dtype for _, tensor in _tensors(arguments) if _eligible(tensor, device)}
    if len(given) < 2 or _supported(arguments, columns):
        return None
    widest = functools.reduce(torch.promote_types, given)
    return widest if _supported(_cast(arguments, device, widest), columns) else None


def _supported(arguments: tuple[Any, ...], columns: Columns) -> bool:
    given = [(place, tensor.dtype) for place, tensor in _tensors(arguments)]
    return any(all(column[place] == dtype for place, dtype in given) for column in columns)


def _tensors(arguments: tuple[Any, ...]) -> list[tuple[int, Tensor]]:
    """All tensors, including those in lists, with the index of their argument."""
    listed = (
        (place, argument if isinstance(argument, (list, tuple)) else [argument])
        for place, argument in enumerate(arguments)
    )
    return [(place, each) for place, items in listed for each in items if isinstance(each, Tensor)]


def _cast(arguments: Any, device: str, dtype: torch.dtype) -> Any:
    return tuple(
        _cast(argument, device, dtype)
        if isinstance(argument, (list, tuple))
        else argument.to(dtype)
        if _eligible(argument, device)
        else argument
        for argument in arguments
    )


def _eligible(argument: Any, device: str) -> bool:
    """The rule of torch: floating-point tensors on the region's device, except float64."""
    floating = isinstance(argument, Tensor) and argument.is_floating_point() and argument.device.type == device
    return floating and argument.dtype != torch.float64
{% endif %}
{% if derivatives %}


def outside_autocast(backward: Callable[..., Any]) -> Callable[..., Any]:
    """A derivative that computes in the dtypes of the forward pass, even if the backward pass runs in a region."""

    @functools.wraps(backward)
    def computed(*arguments: Any) -> Any:
        with torch._C._DisableAutocast():
            return backward(*arguments)

    return computed
{% endif %}
