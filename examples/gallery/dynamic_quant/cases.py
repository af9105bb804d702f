"""What DynamicQuant is run with."""

import torch

TOLERANCE = {"float32": 1e-6}


def _rows(shape, dtype):
    return lambda g: ([(3 * torch.randn(shape, generator=g)).to(dtype)], {})


def _zeros(*shape):
    return lambda _: ([torch.zeros(shape)], {})


CASES = (
    ("one", _rows((1, 1), torch.float16)),
    ("zeros", _zeros(2, 33)),
    ("33 rows of 997", _rows((3, 11, 997), torch.float32)),
    ("rows on every core", _rows((773, 65), torch.float16)),
)
