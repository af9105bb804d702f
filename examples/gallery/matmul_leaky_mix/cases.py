"""What MatmulLeakyMix is run with."""

import torch

TOLERANCE = 1e-4


def _product(m, k, n, **settings):
    def make(g):
        return [torch.randn(m, k, generator=g).half(), torch.randn(k, n, generator=g).half()], settings

    return make


CASES = (
    ("one", _product(1, 17, 1)),
    ("ragged tiles", _product(45, 131, 97)),
    ("several blocks", _product(3 * 32 + 1, 64, 200, slope=0.25)),
)
