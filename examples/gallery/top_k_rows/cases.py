"""What TopKRows is run with."""

import torch

TOLERANCE = 0.0


def _rows(rows, n, k):
    return lambda g: ([torch.randint(-50, 50, (rows, n), generator=g).float()], {"k": k})


CASES = (
    ("one", _rows(1, 1, 1)),
    ("rows of 33", _rows(3, 33, 7)),
    ("more rows than cores", _rows(101, 997, 32)),
)
