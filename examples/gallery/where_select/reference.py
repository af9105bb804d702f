"""The meaning of WhereSelect."""

import torch
from torch import Tensor


def where_select(condition: Tensor, x: Tensor, y: Tensor) -> Tensor:
    """An element of x where condition holds, else of y."""
    return torch.where(condition, x, y)
