"""What ScaleShiftKeys is run with."""

import torch

TOLERANCE = {"float16": 1e-3, "bfloat16": 8e-3, "float32": 1e-6}


def _values(dtype, size, **settings):
    return lambda g: ([torch.randn(size, generator=g).to(dtype)], settings)


CASES = (
    ("one", _values(torch.float32, 1, scale=0.5)),
    ("float16", _values(torch.float16, 4097, scale=-1.5, shift=0.25)),
    ("bfloat16", _values(torch.bfloat16, 997, shift=3.0)),
    ("every core", _values(torch.float32, 45 * 4096 + 33, scale=3.0, shift=-1.0)),
)
