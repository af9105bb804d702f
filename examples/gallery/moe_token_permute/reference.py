"""The meaning of MoeTokenPermute."""

from torch import Tensor


def moe_token_permute(x: Tensor, order: Tensor) -> Tensor:
    """Row i is the token order[i]; a token may come twice."""
    return x[order.long()]
