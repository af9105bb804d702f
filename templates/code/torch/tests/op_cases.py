"""The operators under test, as the spec has them. The tests go through this table; extend it at will."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import torch

from operators import Operator


@dataclass(frozen=True)
class OpCase(Operator):
    """One operator."""

    name: str
    inputs: tuple[str, ...]
    columns: tuple[tuple[torch.dtype, ...], ...]  # combinations of input dtypes
    tiles: tuple[int, ...]  # elements that the kernel takes at once, per combination
    attrs: dict[str, Any] = field(default_factory=dict)
    differentiable: bool = True


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
