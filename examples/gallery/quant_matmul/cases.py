"""What QuantMatmul is run with."""

import torch

TOLERANCE = 1e-3


def _product(m, k, n, scale):
    def make(g):
        x, y = (torch.randint(-128, 128, (rows, k), generator=g, dtype=torch.int8) for rows in (m, n))
        return [x, y], {"scale": scale}

    return make


# Fixpipe takes the upper 19 bits of a scale: these have no others.
CASES = (
    ("one", _product(1, 32, 1, 2**-10)),
    ("ragged tiles", _product(97, 331, 33, 1.5 * 2**-11)),
    ("more tiles than cores", _product(5 * 64 + 1, 64, 5 * 64 + 7, -(2**-7))),
)
