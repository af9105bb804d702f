"""The meaning of IndexSelectRows."""

from torch import Tensor


def index_select_rows(x: Tensor, index: Tensor) -> Tensor:
    """Row i of the result is row index[i] of x."""
    return x[index.long()]
