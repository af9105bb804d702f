"""The meaning of {{ op_type }} in torch: what its tests expect, what CPU tensors get, and what its gradient is of."""

from __future__ import annotations

from torch import Tensor


def {{ function }}({{ parameters | wrap }}) -> Tensor:
    """The matrix product."""
    return {{ left.name }} @ {{ right.name }}
