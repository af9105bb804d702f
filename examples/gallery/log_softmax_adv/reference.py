"""The meaning of LogSoftmaxAdv."""

from torch import Tensor


def log_softmax_adv(x: Tensor) -> Tensor:
    """Along the last axis, in double."""
    return x.double().log_softmax(dim=-1).to(x.dtype)
