"""What ScatterAdd is run with."""

import torch

TOLERANCE = 1e-5


def _rows(rows, n, size):
    return lambda g: (
        [torch.randn(rows, n, generator=g), torch.randint(0, size, (rows,), generator=g).int()],
        {"size": size},
    )


CASES = (
    ("one", _rows(1, 1, 1)),
    ("few rows often", _rows(97, 33, 5)),
    ("most rows never", _rows(60, 129, 211)),
)
