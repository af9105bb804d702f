"""What PadRows is run with."""

import torch

TOLERANCE = 0.0


def _rows(dtype, *shape, **settings):
    return lambda g: ([torch.randn(shape, generator=g).to(dtype)], settings)


CASES = (
    ("one and nothing", _rows(torch.float32, 1, 1, pad=0)),
    ("one more", _rows(torch.float16, 7, 33, pad=1, value=-1.5)),
    ("far more", _rows(torch.float32, 3, 5, 997, pad=100, value=0.25)),
    ("more rows than cores", _rows(torch.float16, 97, 16, pad=17)),
)
