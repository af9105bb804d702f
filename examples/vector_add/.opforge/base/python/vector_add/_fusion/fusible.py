"""Which operators of vector_add can stand for expressions in models, and the functions that graphs call for them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import torch

from .. import _native, _ops
from .places import Fusible

_VECTOR_ADD = Fusible(
    operator=torch.ops.vector_add.vector_add,
    native=_native.vector_add,
    columns=_ops.VECTOR_ADD_COLUMNS,
    dims={"x": ("...",), "y": ("...",)},
)


def vector_add(*arguments: Any) -> Any:
    """The operator where it takes these arguments, else the same in PyTorch's own."""
    return _VECTOR_ADD(vector_add, arguments)


FUSIBLE: Mapping[Fusible, Callable[..., Any]] = {_VECTOR_ADD: vector_add}
