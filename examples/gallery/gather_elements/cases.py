"""What GatherElements is run with."""

import torch

TOLERANCE = 0.0


def _rows(rows, n, m):
    return lambda g: (
        [torch.randn(rows, n, generator=g), torch.randint(0, n, (rows, m), generator=g).int()],
        {},
    )


CASES = (
    ("one", _rows(1, 1, 1)),
    ("shorter rows", _rows(5, 33, 7)),
    ("longer rows, more than cores", _rows(67, 101, 997)),
)
