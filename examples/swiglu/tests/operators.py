"""What the tests ask of every operator, with matrix products or without."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import torch
import torch_npu  # noqa: F401  (device "npu")
from torch import Tensor

import swiglu
from swiglu import _reference


class Operator:
    """An operator of swiglu; its subclasses say what it takes."""

    name: str
    inputs: Any  # names of the tensors, in order
    attrs: dict[str, Any]  # other arguments: other values than the defaults, to see that they arrive

    @property
    def function(self) -> Callable[..., Any]:
        """The operator as users call it."""
        return getattr(swiglu, self.name)

    @property
    def overload(self) -> Any:
        """The operator in the dispatcher."""
        return getattr(torch.ops.swiglu, self.name).default

    def arguments(self, *tensors: Any) -> tuple[Any, ...]:
        """All arguments in the operator's order."""
        named = dict(zip(self.inputs, tensors, strict=True)) | self.attrs
        return tuple(named[argument.name] for argument in self.overload._schema.arguments)

    def __call__(self, *tensors: Any) -> tuple[Tensor, ...]:
        """The operator's outputs."""
        return as_tuple(self.function(*self.arguments(*tensors)))

    def golden(self, *tensors: Any) -> tuple[Tensor, ...]:
        """What they should be."""
        return as_tuple(getattr(_reference, self.name)(*self.arguments(*tensors)))


def on(device: str, values: Iterable[Any]) -> list[Any]:
    """The tensors on a device; what is no tensor stays as it is."""
    return [value.to(device) if isinstance(value, Tensor) else value for value in values]


def as_tuple(outputs: Any) -> tuple[Tensor, ...]:
    """One output or several, as a tuple."""
    return outputs if isinstance(outputs, tuple) else (outputs,)


def identify(value: Any) -> str | None:
    """Test ids: the operator's name, shapes; numbers as pytest writes them."""
    return value.name if isinstance(value, Operator) else None
