"""The meaning of SiluMul."""

from torch import Tensor


def silu_mul(x: Tensor, y: Tensor) -> Tensor:
    """x by its sigmoid, times y."""
    wide = x.double()
    return (wide * wide.sigmoid() * y.double()).to(x.dtype)
