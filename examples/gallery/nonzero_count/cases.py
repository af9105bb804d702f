"""What NonzeroCount is run with."""

import torch

TOLERANCE = 0.0


def _values(dtype, *shape):
    return lambda g: ([torch.randint(-1, 2, shape, generator=g).to(dtype)], {})


CASES = (
    ("one", _values(torch.int32, 1)),
    ("odd", _values(torch.float32, 7, 33)),
    ("every core", _values(torch.float32, 13, 997)),
)
