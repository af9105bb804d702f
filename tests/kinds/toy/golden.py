"""What RowEnergy computes."""

from torch import Tensor


def sum_of_squares(x: Tensor) -> Tensor:
    return (x * x).sum(-1)
