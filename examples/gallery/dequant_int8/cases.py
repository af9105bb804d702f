"""What DequantInt8 is run with."""

import torch

TOLERANCE = 1e-2


def _rows(rows, cols):
    return lambda g: (
        [
            torch.randint(-(2**20), 2**20, (rows, cols), generator=g).int(),
            torch.rand(cols, generator=g) / 2**16,
        ],
        {},
    )


CASES = (
    ("one", _rows(1, 1)),
    ("33 columns", _rows(7, 33)),
    ("tiles on every core", _rows(211, 997)),
)
