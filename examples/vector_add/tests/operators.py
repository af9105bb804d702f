"""What the tests ask of every operator, with matrix products or without."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
import torch_npu  # noqa: F401  (device "npu")
from torch import Tensor

import vector_add
from vector_add import _reference


class Operator:
    """An operator of vector_add; its subclasses say what it takes."""

    name: str
    attrs: dict[str, Any]  # other values than the defaults, to see that they arrive

    @property
    def function(self) -> Callable[..., Any]:
        """The operator as users call it."""
        return getattr(vector_add, self.name)

    @property
    def overload(self) -> Any:
        """The operator in the dispatcher."""
        return getattr(torch.ops.vector_add, self.name).default

    def __call__(self, *tensors: Tensor | None) -> tuple[Tensor, ...]:
        """The operator's outputs."""
        return as_tuple(self.function(*tensors, **self.attrs))

    def golden(self, *tensors: Tensor | None) -> tuple[Tensor, ...]:
        """What they should be."""
        return as_tuple(getattr(_reference, self.name)(*tensors, **self.attrs))


def as_tuple(outputs: Any) -> tuple[Tensor, ...]:
    """One output or several, as a tuple."""
    return outputs if isinstance(outputs, tuple) else (outputs,)


def identify(value: Any) -> str | None:
    """Test ids: the operator's name, shapes; numbers as pytest writes them."""
    return value.name if isinstance(value, Operator) else None
