"""The meaning of PrintfDebug."""

from torch import Tensor


def printf_debug(x: Tensor) -> Tensor:
    """One more than x."""
    return x + 1
