"""The meaning of SubtractMean."""

from torch import Tensor


def subtract_mean(x: Tensor) -> Tensor:
    """Each element less the mean of all."""
    wide = x.double()
    return (wide - wide.mean()).float()
