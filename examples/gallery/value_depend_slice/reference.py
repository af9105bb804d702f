"""The meaning of ValueDependSlice."""

from torch import Tensor


def value_depend_slice(x: Tensor, offset: list[int], length: int) -> Tensor:
    """Some rows of x."""
    first = offset[0] % len(x)
    return x[first : first + length].clone()
