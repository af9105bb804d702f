"""What Rope is run with."""

import torch

TOLERANCE = 2e-6


def _tokens(tokens, heads, dim):
    def make(g):
        angles = 6.3 * torch.rand((tokens, dim), generator=g)
        return [torch.randn((tokens, heads, dim), generator=g), angles.cos(), angles.sin()], {}

    return make


CASES = (
    ("one token", _tokens(1, 1, 16)),
    ("seven heads", _tokens(33, 7, 64)),
    ("several tokens a core, fewer on the last", _tokens(101, 33, 128)),
)
