"""The meaning of ForeachAdd."""

import torch
from torch import Tensor


def foreach_add(x: list[Tensor], y: list[Tensor], total: int) -> Tensor:
    """The sums, one behind the other."""
    z = torch.cat([(a.double() + b.double()).to(a.dtype).flatten() for a, b in zip(x, y, strict=True)])
    assert len(z) == total
    return z
