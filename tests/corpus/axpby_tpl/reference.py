"""The meaning of AxpbyTpl."""

from torch import Tensor


def axpby_tpl(x: Tensor, y: Tensor, alpha: float = 1.0, beta: float = 1.0) -> Tensor:
    """alpha x + beta y."""
    return (alpha * x.double() + beta * y.double()).to(x.dtype)
