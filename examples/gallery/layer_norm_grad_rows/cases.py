"""What LayerNormGradRows is run with."""

import torch

TOLERANCE = {"float32": 1e-4}


def _rows(shape, keywords=None):
    def make(g):
        x = torch.randn(shape, generator=g)
        dy, gamma = torch.randn(shape, generator=g), torch.randn(shape[-1], generator=g)
        return [dy, x, x.var(dim=-1, correction=0), x.mean(dim=-1), gamma], keywords or {}

    return make


CASES = (
    ("one row of a block", _rows((1, 8), {"epsilon": 1e-3})),
    ("a tile and a rest", _rows((37, 72))),
    ("tiles on every core", _rows((3, 601, 160))),
)
