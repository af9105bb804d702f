"""The meaning of ScatterAdd."""

from torch import Tensor


def scatter_add(x: Tensor, index: Tensor, size: int) -> Tensor:
    """Rows that no index names are zero."""
    wide = x.double()
    return wide.new_zeros(size, x.shape[1]).index_add(0, index.long(), wide).to(x.dtype)
