"""The meaning of SortRows."""

import torch
from torch import Tensor


def sort_rows(x: Tensor) -> tuple[Tensor, Tensor]:
    """In descending order, equal ones as they stand."""
    values, indices = torch.sort(x.float(), dim=1, descending=True, stable=True)
    return values.to(x.dtype), indices.to(torch.int32)
