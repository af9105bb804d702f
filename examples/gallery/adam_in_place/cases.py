"""What AdamInPlace is run with."""

import torch

TOLERANCE = 1e-5


def _state(*shape, **settings):
    def make(g):
        var, m, v, grad = (torch.randn(shape, generator=g) for _ in range(4))
        return [var, m, v.abs(), grad], settings

    return make


CASES = (
    ("one", _state(1)),
    ("odd", _state(33, 7, lr=0.1)),
    ("every core twice", _state(97 * 2048 + 997, beta1=0.5, beta2=0.75)),
)
