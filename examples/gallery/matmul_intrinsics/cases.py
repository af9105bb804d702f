"""What MatmulIntrinsics is run with."""

import torch

TOLERANCE = 1e-4


def _product(m, k, n):
    return lambda g: ([torch.randn(m, k, generator=g).half(), torch.randn(k, n, generator=g).half()], {})


CASES = (
    ("one", _product(1, 17, 1)),
    ("ragged tiles", _product(97, 131, 33)),
    ("more tiles than cores", _product(5 * 64 + 1, 64, 5 * 64 + 7)),
)
