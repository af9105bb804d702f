"""The meaning of EmbeddingGrad."""

from torch import Tensor


def embedding_grad(grad: Tensor, index: Tensor, num_weights: int, padding_index: int = -1) -> Tensor:
    """The rows of grad, added to those of their indices."""
    used = index != padding_index
    wide = grad[used].double()
    return wide.new_zeros(num_weights, grad.shape[1]).index_add(0, index[used].long(), wide).to(grad.dtype)
