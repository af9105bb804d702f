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
from {{ package }}._modules import {{ classes | wrap }}
{% endif %}
from {{ package }}._opforge import _checks
from {{ package }}._opforge._fallback import FallbackWarning
{% if fuse %}
from {{ package }}._opforge._fusion import fuse
{% endif %}
{% if serving %}
from {{ package }}._opforge._serving import register_sglang, register_vllm
{% endif %}

__all__ = [{{ exports | wrap }}]
{% for op in ops %}


def {{ op.name }}({{ op.parameters | wrap }}) -> {{ op.returns }}:
    """{{ op.docstring }}"""
{% for check in op.checks %}
    _checks.{{ check.function }}({{ check.arguments | wrap }})
{% endfor %}
{% for check in op.optional_checks %}
    if {{ check.name }} is not None:
        _checks.{{ check.function }}("{{ op.name }}", {{ check.name }}={{ check.name }})
{% endfor %}
{% if op.made %}
    {{ op.made }} = torch.ops.{{ package }}.{{ op.name }}({{ op.arguments | wrap }})
    return {{ op.returned | wrap }}
{% elif op.returned %}
    torch.ops.{{ package }}.{{ op.name }}({{ op.arguments | wrap }})
    return {{ op.returned | wrap }}
{% else %}
    return torch.ops.{{ package }}.{{ op.name }}({{ op.arguments | wrap }})
{% endif %}
{% endfor %}
