"""The meaning of CumsumRows."""

from torch import Tensor


def cumsum_rows(x: Tensor) -> Tensor:
    """Down the columns, in double."""
    return x.double().cumsum(dim=0).to(x.dtype)
