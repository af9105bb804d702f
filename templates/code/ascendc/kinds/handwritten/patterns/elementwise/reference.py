"""The meaning of {{ op_type }} in torch: what its tests expect, what CPU tensors get, and what its gradient is of."""

from __future__ import annotations

from torch import Tensor


def {{ function }}({{ parameters | wrap }}) -> Tensor:
    """The sum of the inputs, and 0 where it is negative; computed in float32."""
    total = {{ wide_sum }}
    return total.relu().to({{ input.name }}.dtype)
