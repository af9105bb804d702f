"""The operators under test, as the spec has them. The tests go through this table; extend it at will."""

from __future__ import annotations

import torch
import torch_npu  # noqa: F401  (device "npu")
{% for text in imports %}
{{ text }}
{% endfor %}

OPS = (
{% for op in ops %}
    OpCase(
        function={{ op.function }},
        reference={{ op.reference }},
        {{ op.inputs }},
        {{ op.columns }},
        {{ op.tiles }},
{% if op.dims %}
        {{ op.dims }},
{% endif %}
{% if op.optional %}
        {{ op.optional }},
{% endif %}
{% if op.written %}
        {{ op.written }},
{% endif %}
{% if op.attrs %}
        {{ op.attrs }},
{% endif %}
{% if not op.differentiable %}
        differentiable=False,
{% endif %}
{% if op.module %}
        {{ op.module }},
{% endif %}
{% if op.by_author %}
        by_author={{ op.by_author }},
{% endif %}
    ),
{% endfor %}
)

# Every operator with each combination of dtypes.
COMBINATIONS = [(op, column) for op in OPS for column in range(len(op.columns))]
