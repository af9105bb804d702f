"""What TransposeMatrix is run with."""

import torch

TOLERANCE = 0.0


def _matrix(rows, columns):
    return lambda g: ([torch.randn(rows, columns, generator=g).half()], {})


CASES = (
    ("one", _matrix(1, 1)),
    ("odd sides", _matrix(33, 47)),
    ("more columns than cores take", _matrix(37, 997)),
)
