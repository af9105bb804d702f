"""What SortRows is run with."""

import torch

TOLERANCE = 0.0


def _rows(rows, n):
    return lambda g: ([torch.randint(-99, 99, (rows, n), generator=g).half()], {})


CASES = (
    ("one", _rows(1, 1)),
    ("rows of 127", _rows(7, 127)),
    ("more rows than cores", _rows(61, 128)),
)
