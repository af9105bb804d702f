"""What RmsNormRows is run with."""

import torch

TOLERANCE = {"float32": 2e-6}


def _rows(rows, cols):
    return lambda g: ([torch.randn((rows, cols), generator=g), torch.randn(cols, generator=g)], {})


CASES = (
    ("one row of seven", _rows(1, 7)),
    ("33 rows of 997", _rows(33, 997)),
    ("more groups than cores", _rows(403, 65)),
)
