"""The operators with matrix products, as the spec has them, and the kernels of their derivatives.

The tests go through these tables; extend them at will.
"""

from __future__ import annotations

import torch
import torch_npu  # noqa: F401  (device "npu")
{% for text in imports %}
{{ text }}
{% endfor %}

PRODUCTS = (
{% for op in ops %}
    ProductCase(
        function={{ op.function }},
        reference={{ op.reference }},
        {{ op.inputs }},
        {{ op.left }},
        {{ op.right }},
        {{ op.columns }},
        {{ op.symbols }},
        {{ op.tile }},
{% if op.optional %}
        {{ op.optional }},
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
{% if kernels %}

GRADIENT_KERNELS = (
{% for kernel in kernels %}
    GradientKernel(
        function={{ kernel.function }},
        reference={{ kernel.reference }},
        {{ kernel.inputs }},
        {{ kernel.columns }},
        {{ kernel.tiles }},
{% if kernel.attrs %}
        {{ kernel.attrs }},
{% endif %}
    ),
{% endfor %}
)
{% endif %}

# Every operator with each combination of dtypes.
PRODUCT_COMBINATIONS = [(op, column) for op in PRODUCTS for column in range(len(op.columns))]
