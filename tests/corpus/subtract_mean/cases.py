"""What SubtractMean is run with."""

import torch

TOLERANCE = 1e-5


def _of(*shape):
    return lambda g: ([torch.randn(*shape, generator=g) + 3], {})


CASES = (
    ("one", _of(1)),
    ("a core", _of(7, 131)),
    ("several cores", _of(3, 2048 + 33)),
)
