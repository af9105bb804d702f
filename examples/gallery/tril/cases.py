"""What Tril is run with."""

import torch

TOLERANCE = 0.0


def _matrices(shape, dtype, diagonal):
    return lambda g: ([torch.randn(shape, generator=g).to(dtype)], {"diagonal": diagonal})


CASES = (
    ("one", _matrices((1, 1), torch.float32, 0)),
    ("above the main diagonal", _matrices((33, 7), torch.float16, 2)),
    ("matrices below it", _matrices((3, 41, 997), torch.float32, -5)),
)
