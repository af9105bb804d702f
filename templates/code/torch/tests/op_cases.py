"""The operators under test, as the spec has them. The tests go through this table; extend it at will."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import torch
import torch_npu  # noqa: F401  (device "npu")
from torch import Tensor

import {{ package }}
from {{ package }} import _reference


@dataclass(frozen=True)
class OpCase:
    """One operator."""

    name: str
    inputs: tuple[str, ...]
    columns: tuple[tuple[torch.dtype, ...], ...]  # combinations of input dtypes
    tiles: tuple[int, ...]  # elements that the kernel takes at once, per combination
    attrs: dict[str, Any] = field(default_factory=dict)  # other values than the defaults, to see that they arrive
    differentiable: bool = True

    @property
    def function(self) -> Callable[..., Any]:
        """The operator as users call it."""
        return getattr({{ package }}, self.name)

    @property
    def overload(self) -> Any:
        """The operator in the dispatcher."""
        return getattr(torch.ops.{{ package }}, self.name).default

    def __call__(self, *tensors: Tensor) -> tuple[Tensor, ...]:
        """The operator's outputs."""
        return as_tuple(self.function(*tensors, **self.attrs))

    def golden(self, *tensors: Tensor) -> tuple[Tensor, ...]:
        """What they should be."""
        return as_tuple(getattr(_reference, self.name)(*tensors, **self.attrs))


def as_tuple(outputs: Any) -> tuple[Tensor, ...]:
    """One output or several, as a tuple."""
    return outputs if isinstance(outputs, tuple) else (outputs,)


OPS = (
{% for op in ops %}
    OpCase(
        name="{{ op.name }}",
        {{ op.inputs }},
        {{ op.columns }},
        {{ op.tiles }},
{% if op.attrs %}
        {{ op.attrs }},
{% endif %}
{% if not op.differentiable %}
        differentiable=False,
{% endif %}
    ),
{% endfor %}
)

# Every operator with each combination of dtypes.
COMBINATIONS = [(op, column) for op in OPS for column in range(len(op.columns))]


def identify(value: Any) -> str | None:
    """Test ids: the operator's name, shapes; numbers as pytest writes them."""
    return value.name if isinstance(value, OpCase) else None
