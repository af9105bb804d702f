"""What LayerNormRows is run with."""

import torch

TOLERANCE = {"float32": 1e-5}


def _rows(shape, keywords=None):
    def make(g):
        cols = shape[-1]
        return [torch.randn(size, generator=g) for size in (shape, cols, cols)], keywords or {}

    return make


CASES = (
    ("one row of seven", _rows((1, 7))),
    ("33 rows of 997", _rows((33, 997), {"epsilon": 1e-3})),
    ("groups of rows on every core", _rows((401, 65))),
)
