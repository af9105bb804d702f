"""The meaning of MatmulLeakyMix."""

import torch
from torch import Tensor


def matmul_leaky_mix(x: Tensor, y: Tensor, slope: float = 0.01) -> Tensor:
    """The product, its negative elements scaled."""
    product = x.double() @ y.double()
    return torch.where(product < 0, product * slope, product).float()
