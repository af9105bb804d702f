"""Operators without their kernel: on CPU tensors and other NPUs, PyTorch's own operators compute the same.

At the first call on an NPU tensor, csrc/opforge/fallback.h checks whether there are kernels for that NPU.
"""

from __future__ import annotations

import functools
import inspect
import json
import sys
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TypeVar

import torch
from torch import Tensor

FOLDER = Path(__file__).resolve().parents[1]
# The operator has already applied autocast: the steps of its reference must keep their dtypes.
KEYS = ("AutocastCPU", "AutocastPrivateUse1")
AUTOCAST = functools.reduce(
    lambda keys, key: keys | key, (torch._C.DispatchKeySet(getattr(torch._C.DispatchKey, key)) for key in KEYS)
)
# CANN's compute units; a chip's name begins with its unit's.
COMPUTE_UNITS = ({{ units | wrap }})

Function = TypeVar("Function", bound=Callable[..., Any])
_said: set[tuple[str, str]] = set()


class FallbackWarning(UserWarning):
    """PyTorch's own operators compute instead of the operator's kernel. Given once per operator and reason."""


def computes(function: str, public: str) -> Callable[[Function], Function]:
    """Registers the decorated function for calls of ``function`` with tensors that have no kernel.

    ``public`` is the operator that users call: for a derivative's kernel, the operator that was differentiated.
    """

    def register(reference: Function) -> Function:
        names = list(inspect.signature(reference).parameters)

        @functools.wraps(reference)
        def computed(*arguments: Any) -> Any:
            for name, argument in zip(names, arguments, strict=False):  # torch omits trailing defaults
                for tensor in _tensors((argument,)):
                    _check_storage(function, name, tensor)
            first = next(_tensors(arguments))
            with torch._C._ExcludeDispatchKeyGuard(AUTOCAST), first.device:  # for new tensors
                results = reference(*arguments)
            _say(public, first)
            return results

        # The adapter also calls the function registered for CPU tensors with NPU tensors.
        torch.library.register_kernel(f"{{ package }}::{function}", "cpu", computed)
        return reference

    return register


{% if unreferenced %}
def no_reference(function: str, tensor: Tensor) -> RuntimeError:
    """The error for an operator that only a kernel can compute."""
    if tensor.device.type == "cpu":
        return RuntimeError(
            f"{{ package }}.{function} has no CPU implementation: opforge.yaml gives it no `reference:`; "
            'move its tensors to an NPU with .to("npu")'
        )
    return RuntimeError(
        f"{{ package }}.{function} has no kernel here, and opforge.yaml gives it no `reference:`; {_no_kernels(tensor)}"
    )


{% endif %}
def _check_storage(function: str, name: str, tensor: Tensor) -> None:
    """All elements are inside the storage, which may have been resized. argument_checks.h has the same message."""
    steps = zip(tensor.shape, tensor.stride(), strict=True)
    last = tensor.storage_offset() + sum((size - 1) * stride for size, stride in steps)
    needed, held = (last + 1) * tensor.itemsize, tensor.untyped_storage().nbytes()
    if tensor.numel() > 0 and needed > held:
        raise RuntimeError(f"{function}: {name} needs {needed} bytes of its storage, which has {held}: was it freed?")


def _say(function: str, tensor: Tensor) -> None:
    """Warns once about a fallback. float64 is never reported: kernels do not support it, and gradcheck needs it."""
    if (function, tensor.device.type) in _said or tensor.dtype == torch.float64:
        return
    how = f"{{ package }}.{function} is computed by PyTorch's own operators"
    if tensor.device.type == "cpu":
        text = f'{how} on the CPU; for its kernel, move its tensors to an NPU with .to("npu")'
    else:
        text = f"{how} on this NPU, which is slower than a kernel: {_no_kernels(tensor)}"
    warnings.warn(text, FallbackWarning, stacklevel=_depth_of_caller())
    _said.add((function, tensor.device.type))  # not reached if warnings are errors


def _no_kernels(tensor: Tensor) -> str:
    chip = str(torch.npu.get_device_name(tensor.device))  # type: ignore[attr-defined]  # torch_npu makes torch.npu
    units = [unit for unit in COMPUTE_UNITS if chip.lower().startswith(unit)]
    built = json.loads((FOLDER / "_build.json").read_text(encoding="utf-8"))["socs"]
    return (
        f"it is an {chip}, and {{ package }} was built for {', '.join(built)}. Add {max(units, key=len, default='its SoC')} "
        "to `soc:` in opforge.yaml, then type `opforge build && opforge install`"
    )


def _tensors(arguments: tuple[Any, ...]) -> Iterator[Tensor]:
    for argument in arguments:
        if isinstance(argument, Tensor):
            yield argument
        elif isinstance(argument, (list, tuple)):
            yield from _tensors(tuple(argument))


def _depth_of_caller() -> int:
    """The stack level for warnings: the first frame that belongs neither to this package nor to torch."""
    inner = (str(FOLDER), str(Path(torch.__file__).parent))
    depth, frame = 1, sys._getframe(1)  # 1 is the function that warns
    while frame.f_back is not None and frame.f_code.co_filename.startswith(inner):
        depth, frame = depth + 1, frame.f_back
    return depth
