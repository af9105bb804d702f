"""The meaning of PerSocConfig."""

from torch import Tensor


def per_soc_config(x: Tensor) -> Tensor:
    """What of x is not below 0."""
    return x.clamp(min=0)
