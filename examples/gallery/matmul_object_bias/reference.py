"""The meaning of MatmulObjectBias."""

from torch import Tensor


def matmul_object_bias(x: Tensor, y: Tensor, bias: Tensor) -> Tensor:
    """The product of the matrices, with a bias for each column."""
    return (x.double() @ y.double() + bias.double()).float()
