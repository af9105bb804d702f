"""What EmbeddingGrad is run with."""

import torch

TOLERANCE = 1e-4


def _rows(rows, width, weights, **settings):
    def make(g):
        index = torch.randint(0, weights, (rows,), generator=g, dtype=torch.int32)
        return [torch.randn(rows, width, generator=g), index], {"num_weights": weights, **settings}

    return make


CASES = (
    ("one", _rows(1, 1, 1)),
    ("with padding", _rows(97, 33, 7, padding_index=3)),
    ("more chunks than cores", _rows(43 * 64 + 1, 7, 997)),
)
