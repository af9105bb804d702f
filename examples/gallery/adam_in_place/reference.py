"""The meaning of AdamInPlace."""

from torch import Tensor


def adam_in_place(  # noqa: PLR0917 - as many as the op has
    var: Tensor,
    m: Tensor,
    v: Tensor,
    grad: Tensor,
    lr: float = 0.001,
    beta1: float = 0.9,
    beta2: float = 0.999,
    eps: float = 1e-8,
) -> tuple[Tensor, Tensor, Tensor]:
    """A step of Adam without bias correction."""
    g = grad.double()
    first = beta1 * m.double() + (1 - beta1) * g
    second = beta2 * v.double() + (1 - beta2) * g * g
    return (var.double() - lr * first / (second.sqrt() + eps)).float(), first.float(), second.float()
