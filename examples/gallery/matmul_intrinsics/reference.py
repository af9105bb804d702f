"""The meaning of MatmulIntrinsics."""

from torch import Tensor


def matmul_intrinsics(x: Tensor, y: Tensor) -> Tensor:
    """The product of the matrices."""
    return (x.double() @ y.double()).float()
