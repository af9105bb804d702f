"""Which operators of {{ package }} can stand for expressions in models, and the functions that graphs call for them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import torch

from ... import _ops
from .. import _native
from .places import Fusible
{% for op in ops %}

{{ op.table }}


def {{ op.function }}(*arguments: Any) -> Any:
    """The operator where it takes these arguments, else the same in PyTorch's own."""
    return {{ op.constant }}({{ op.function }}, arguments)

{% endfor %}

{{ functions }}
