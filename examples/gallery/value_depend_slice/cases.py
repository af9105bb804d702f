"""What ValueDependSlice is run with."""

import torch

TOLERANCE = 0.0


def _rows(dtype, rows, width, first, length):
    return lambda g: ([torch.randn(rows, width, generator=g).to(dtype), [first]], {"length": length})


CASES = (
    ("one", _rows(torch.float32, 1, 1, 0, 1)),
    ("from the end", _rows(torch.float16, 7, 33, -3, 2)),
    ("more rows than cores", _rows(torch.float32, 97, 997, 13, 77)),
)
