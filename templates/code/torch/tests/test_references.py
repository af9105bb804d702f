"""Operators with an expression beside references written by hand: their golden reference on the CPU, and their kernels.

References get floating tensors as float64: what they say is compared, and not how they round.
"""

from __future__ import annotations

from typing import Any

import pytest
from torch import Tensor

{% for line in imports %}
{{ line }}
{% endfor %}

{{ table }}


def wanted(op: Operator, values: list[Any]) -> tuple[Tensor, ...]:
    """What the reference gives."""
    wide = [v.double() if isinstance(v, Tensor) and v.is_floating_point() else v for v in values]
    return as_tuple(REFERENCES[op.name](*op.arguments(*wide)))
{% for text in tests %}
{{ text }}
{% endfor %}
