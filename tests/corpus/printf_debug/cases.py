"""What PrintfDebug is run with."""

import torch

TOLERANCE = 0.0


def _values(*shape):
    return lambda g: ([torch.randn(shape, generator=g)], {})


CASES = (
    ("one", _values(1)),
    ("several blocks", _values(7, 997)),
)
