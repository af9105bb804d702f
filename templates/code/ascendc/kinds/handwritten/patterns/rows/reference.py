"""The meaning of {{ op_type }} in torch: what its tests expect, what CPU tensors get, and what its gradient is of."""

from __future__ import annotations

from torch import Tensor


def {{ function }}({{ parameters | wrap }}) -> Tensor:
{% if value %}
    """The largest element of each row."""
    return {{ input.name }}.amax(dim=-1)
{% else %}
    """Each row minus its largest element."""
    return {{ input.name }} - {{ input.name }}.amax(dim=-1, keepdim=True)
{% endif %}
