"""The meaning of MaskedRows."""

from torch import Tensor


def masked_rows(x: Tensor, keep: Tensor) -> Tensor:
    """The rows whose entry of keep is true."""
    return x[keep]
