"""The meaning of TbufPoolAdd."""

from torch import Tensor


def tbuf_pool_add(x: Tensor, y: Tensor, doubled: int = 0) -> Tensor:
    """The sum, and twice it in the first elements."""
    z = (x.double() + y.double()).float().flatten()
    z[:doubled] *= 2
    return z.reshape(x.shape)
