"""What SoftmaxRows is run with."""

import torch

TOLERANCE = {"float16": 1e-3, "float32": 2e-6}


def _rows(rows, cols, dtype):
    return lambda g: ([(5 * torch.randn((rows, cols), generator=g)).to(dtype)], {})


CASES = (
    ("one element", _rows(1, 1, torch.float32)),
    ("rows of 997", _rows(7, 997, torch.float16)),
    ("more rows than cores", _rows(101, 2049, torch.float32)),
)
