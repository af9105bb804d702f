"""The operators with matrix products, as in the spec, and the kernels of their derivatives.

The tests use these tables; extend them as you like.
"""

from __future__ import annotations

import torch
import torch_npu  # noqa: F401  (device "npu")
{% for each in imports.testing %}
from opforge.testing.{{ each.module }} import {{ each.names | wrap }}
{% endfor %}

import {{ imports.package }}
{% for each in imports.own %}
from {{ each.module }} import {{ each.names | wrap }}
{% endfor %}

{{ table }} = (
{% for op in ops %}
    ProductCase(
        function={{ op.function }},
        reference={{ op.reference }},
        inputs={ {{ op.inputs | wrap }} },
        left=({{ op.left | wrap }}),
        right=({{ op.right | wrap }}),
        columns=({{ op.columns | wrap }}),
        symbols=({{ op.symbols | wrap }}),
        tile=({{ op.base_m }}, {{ op.base_n }}),
{% if op.optional %}
        optional=({{ op.optional | wrap }}),
{% endif %}
{% if op.attrs %}
        attrs={ {{ op.attrs | wrap }} },
{% endif %}
{% if op.drawn %}
        values={ {{ op.drawn | wrap }} },
{% endif %}
{% if not op.differentiable %}
        differentiable=False,
{% endif %}
{% if op.reduces %}
        reduces=True,
{% endif %}
{% if op.module %}
        module=ModuleCase({{ op.module | wrap }}),
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
        inputs=({{ kernel.inputs | wrap }}),
        columns=({{ kernel.columns | wrap }}),
        tiles=({{ kernel.tiles | wrap }}),
{% if kernel.attrs %}
        attrs={ {{ kernel.attrs | wrap }} },
{% endif %}
    ),
{% endfor %}
)
{% endif %}

# Every operator with each combination of dtypes.
PRODUCT_COMBINATIONS = [(op, column) for op in {{ table }} for column in range(len(op.columns))]
