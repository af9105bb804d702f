"""The meaning of EmbeddingGrad."""

import torch
from torch import Tensor


def embedding_grad(grad: Tensor, index: Tensor, num_weights: int, padding_index: int = -1) -> Tensor:
    """The rows of grad, added to those of their indices."""
    used = index != padding_index
    y = torch.zeros(num_weights, grad.shape[1], dtype=torch.float64)
    return y.index_add(0, index[used].long(), grad[used].double()).float()
