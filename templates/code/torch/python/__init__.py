"""{{ summary }}"""

from __future__ import annotations

{% if sequences %}
from collections.abc import Sequence

{% endif %}
import torch
from torch import Tensor

{% if converter %}
from {{ package }} import _ge as _ge  # registers how they are written into a GE graph
{% endif %}
from {{ package }} import _ops as _ops  # registers what torch must know of the operators
{% if classes %}
{{ classes }}
{% endif %}
from {{ package }}._opforge import _checks
from {{ package }}._opforge._fallback import FallbackWarning
{% if fuse %}
from {{ package }}._opforge._fusion import fuse
{% endif %}

{{ exports }}
{% for op in ops %}


{{ op.signature }}
    """{{ op.docstring }}"""
{% for check in op.checks %}
    {{ check }}
{% endfor %}
{% for check in op.optional_checks %}
    if {{ check.name }} is not None:
        {{ check.call }}
{% endfor %}
{% for line in op.call %}
    {{ line }}
{% endfor %}
{% endfor %}
