"""What LogSoftmaxAdv is run with."""

import torch

TOLERANCE = 1e-5


def _rows(*shape):
    return lambda g: ([4 * torch.randn(shape, generator=g)], {})


CASES = (
    ("one", _rows(1, 1)),
    ("a tile and a rest", _rows(67, 33)),
    ("a few rows a tile", _rows(3, 17, 997)),
)
