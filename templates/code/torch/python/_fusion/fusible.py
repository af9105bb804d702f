"""The operators of {{ package }} that can replace expressions in models, and the functions that graphs call."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import torch

from ... import _ops
from .. import _native
from .places import Fusible
{% for op in ops %}

_{{ op.constant }} = Fusible(
    operator=torch.ops.{{ package }}.{{ op.function }},
    native=_native.{{ op.function }},
    columns=_ops.{{ op.constant }}_COLUMNS,
    dims={ {{ op.dims | wrap }} },
{% for field in op.fields %}
    {{ field }},
{% endfor %}
)


def {{ op.function }}(*arguments: Any) -> Any:
    """The operator if it accepts these arguments, otherwise PyTorch's own operators."""
    return _{{ op.constant }}({{ op.function }}, arguments)

{% endfor %}

FUSIBLE: Mapping[Fusible, Callable[..., Any]] = { {{ functions | wrap }} }
