"""The meaning of QuantMatmul."""

from torch import Tensor


def quant_matmul(x: Tensor, y: Tensor, scale: float = 1.0) -> Tensor:
    """The product of x with y transposed, scaled."""
    return (x.double() @ y.double().T * scale).half()
