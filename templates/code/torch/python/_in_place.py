"""Operators that write to an argument have no derivative. They raise an error instead of losing a gradient."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

LIBRARY = torch.library.Library("{{ package }}", "IMPL")  # registrations live as long as this object
KEYS = ("AutogradCPU", "AutogradPrivateUse1")


def refuse_gradients(function: str) -> None:
    """Makes the operator raise RuntimeError for arguments that autograd tracks, unless gradients are off.

    torch accepts no formula for a schema that writes to its arguments, and would compute an incomplete gradient.
    """
    overload = getattr(torch.ops.{{ package }}, function).default
    for key in KEYS:
        LIBRARY.impl(function, _refusing(overload, torch._C.DispatchKeySet(getattr(torch._C.DispatchKey, key))), key)


def _refusing(overload: Any, autograd: Any) -> Callable[..., Any]:
    names = [argument.name for argument in overload._schema.arguments]
    written = {argument.name for argument in overload._schema.arguments if argument.is_write}
    function = overload._schema.name.partition("::")[2]

    def check_and_call(*arguments: Any) -> Any:
        if torch.is_grad_enabled():
            for name, argument in zip(names, arguments, strict=False):  # without trailing defaults
                for tensor in argument if isinstance(argument, (list, tuple)) else [argument]:
                    if isinstance(tensor, Tensor) and tensor.requires_grad:
                        what = "is written in place" if name in written else "is an argument of what writes in place"
                        raise RuntimeError(
                            f"{function}: {name} {what}, which has no derivative, and requires grad; "
                            f"give {name}.detach(), or call it under torch.no_grad()"
                        )
        with torch._C._ExcludeDispatchKeyGuard(autograd):
            return overload(*arguments)

    return check_and_call
