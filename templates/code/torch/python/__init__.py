"""{{ summary }}"""

from __future__ import annotations

import torch
from torch import Tensor

from {{ package }} import _checks
from {{ package }} import _ops as _ops  # registers what torch must know of the operators

{{ exports }}
{% for op in ops %}


{{ op.signature }}
    """{{ op.docstring }}"""
    {{ op.check }}
{% for check in op.optional_checks %}
    if {{ check.name }} is not None:
        {{ check.call }}
{% endfor %}
    {{ op.call }}
{% endfor %}
