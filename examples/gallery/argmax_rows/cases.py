"""What ArgmaxRows is run with."""

import torch

TOLERANCE = 0.0


def _rows(*shape):
    return lambda g: ([torch.randn(shape, generator=g)], {})


def _few_values(*shape):
    return lambda g: ([torch.randint(-3, 3, shape, generator=g).float()], {})


CASES = (
    ("one row of seven", _rows(1, 7)),
    ("the same element often", _few_values(67, 997)),
    ("more rows than cores", _rows(5, 83, 130)),
)
