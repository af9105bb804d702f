"""What MoeGatingTopKSoftmax is run with."""

import torch

TOLERANCE = 2e-6


def _tokens(tokens, experts, k):
    # a permutation scaled: no two probabilities are close
    def make(g):
        rows = [torch.randperm(experts, generator=g).float() * (8.0 / experts) for _ in range(tokens)]
        return [torch.stack(rows)], {"k": k}

    return make


CASES = (
    ("one expert", _tokens(1, 1, 1)),
    ("eight of 60", _tokens(9, 60, 8)),
    ("six of 160, more tokens than cores", _tokens(53, 160, 6)),
)
