"""What OneHot is run with."""

import torch

TOLERANCE = 0.0


def _indices(rows, depth):
    return lambda g: ([torch.randint(-2, depth + 2, (rows,), generator=g).int()], {"depth": depth})


CASES = (
    ("one", _indices(1, 1)),
    ("odd depth", _indices(13, 33)),
    ("more rows than cores", _indices(131, 997)),
)
