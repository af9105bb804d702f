"""What RowSumWorkspace is run with."""

import torch

TOLERANCE = 1e-4


def _rows(rows, columns):
    return lambda g: ([torch.randn(rows, columns, generator=g)], {})


CASES = (
    ("one", _rows(1, 1)),
    ("a core", _rows(7, 997)),
    ("several cores", _rows(5, 3 * 2048 + 33)),
)
