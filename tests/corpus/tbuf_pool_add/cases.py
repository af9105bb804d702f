"""What TbufPoolAdd is run with."""

import torch

TOLERANCE = 0.0


def _pair(*shape, **settings):
    return lambda g: ([torch.randn(shape, generator=g) for _ in range(2)], settings)


CASES = (
    ("one", _pair(1, doubled=1)),
    ("none doubled", _pair(33, 7)),
    ("some doubled", _pair(45 * 4096 + 997, doubled=3 * 4096 + 2049)),
)
