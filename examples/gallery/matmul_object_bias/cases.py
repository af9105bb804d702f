"""What MatmulObjectBias is run with."""

import torch

TOLERANCE = 1e-4


def _product(m, k, n):
    def make(g):
        x, y = torch.randn(m, k, generator=g).half(), torch.randn(k, n, generator=g).half()
        return [x, y, torch.randn(n, generator=g)], {}

    return make


CASES = (
    ("small", _product(7, 33, 13)),
    ("ragged", _product(97, 131, 77)),
    ("whole blocks of columns", _product(97, 131, 88)),
    ("many cores", _product(517, 64, 390)),
)
