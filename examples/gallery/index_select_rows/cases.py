"""What IndexSelectRows is run with."""

import torch

TOLERANCE = 0.0


def _rows(table, rows, n, dtype):
    return lambda g: (
        [torch.randn(table, n, generator=g).to(dtype), torch.randint(0, table, (rows,), generator=g).int()],
        {},
    )


CASES = (
    ("one", _rows(1, 1, 1, torch.float32)),
    ("odd rows of float16", _rows(9, 33, 77, torch.float16)),
    ("more rows than cores", _rows(50, 199, 1001, torch.float32)),
)
