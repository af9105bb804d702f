"""The operators of {{ package }} in torch: the golden reference of the tests, and the CPU implementation.

Values are computed in float32, or in float64 for float64 inputs, and rounded once at the end.
"""

from __future__ import annotations
{% if sequences %}

from collections.abc import Sequence
{% endif %}

{% if torch %}
import torch
{% endif %}
from torch import Tensor
{% if owned %}

from {{ package }}._opforge import {{ owned }}
{% endif %}
{% for op in ops %}
{% for table in op.tables %}
{% if op.behind_function %}

{% endif %}

{{ table.name }} = {
{% for row in table.rows %}
    {{ row }},
{% endfor %}
}
{% endfor %}


{{ op.signature }}
    """{{ op.docstring }}"""
{% for line in op.lines %}
    {{ line }}
{% endfor %}
{% endfor %}
