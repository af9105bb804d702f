"""What CumsumRows is run with."""

import torch

TOLERANCE = 1e-5


def _matrix(rows, cols):
    return lambda g: ([torch.randn((rows, cols), generator=g)], {})


CASES = (
    ("one", _matrix(1, 1)),
    ("a tile of rows and one", _matrix(65, 33)),
    ("more stripes than cores", _matrix(131, 49 * 64 + 7)),
)
