"""The meaning of LengthNormTwoPass."""

from torch import Tensor


def length_norm_two_pass(x: Tensor, eps: float = 1e-12) -> Tensor:
    """As long as 1, all of x as one vector."""
    return (x.double() / x.double().norm().clamp(min=eps)).float()
