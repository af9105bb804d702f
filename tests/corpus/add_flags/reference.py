"""The meaning of AddFlags."""

from torch import Tensor


def add_flags(x: Tensor, y: Tensor) -> Tensor:
    """The sum, rounded once."""
    return (x.double() + y.double()).to(x.dtype)
