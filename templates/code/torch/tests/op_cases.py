"""The operators under test, as in the spec. The tests use this table; extend it as you like."""

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
    OpCase(
        function={{ op.function }},
        reference={{ op.reference }},
        inputs=({{ op.inputs | wrap }}),
        columns=({{ op.columns | wrap }}),
        tiles=({{ op.tiles | wrap }}),
{% if op.dims %}
        dims={ {{ op.dims | wrap }} },
{% endif %}
{% if op.reduced %}
        reduced=({{ op.reduced | wrap }}),
{% endif %}
{% if op.axis %}
        axis="{{ op.axis }}",
{% endif %}
{% if op.optional %}
        optional=({{ op.optional | wrap }}),
{% endif %}
{% if op.written %}
        written=({{ op.written | wrap }}),
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
{% if op.detaches %}
        detaches=True,
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

# Every operator with each combination of dtypes.
COMBINATIONS = [(op, column) for op in {{ table }} for column in range(len(op.columns))]
