"""The meaning of GeluTanh."""

import torch
from torch import Tensor


def gelu_tanh(x: Tensor) -> Tensor:
    """PyTorch's, in double."""
    return torch.nn.functional.gelu(x.double(), approximate="tanh").to(x.dtype)
