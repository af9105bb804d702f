"""The meaning of ScaleShiftKeys."""

from torch import Tensor


def scale_shift_keys(x: Tensor, scale: float = 1.0, shift: float = 0.0) -> Tensor:
    """scale x + shift."""
    return (scale * x.double() + shift).to(x.dtype)
