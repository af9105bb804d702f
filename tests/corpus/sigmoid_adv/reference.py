"""The meaning of SigmoidAdv."""

from torch import Tensor


def sigmoid_adv(x: Tensor) -> Tensor:
    """1 / (1 + exp(-x)), in double."""
    return x.double().sigmoid().to(x.dtype)
