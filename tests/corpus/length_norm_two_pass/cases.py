"""What LengthNormTwoPass is run with."""

import torch

TOLERANCE = 1e-5


def _values(*shape, **settings):
    return lambda g: ([torch.randn(shape, generator=g)], settings)


CASES = (
    ("one", _values(1)),
    ("a core", _values(33, 7)),
    ("every core", _values(50 * 4096 + 997)),
    ("short", _values(7, eps=1e3)),
)
