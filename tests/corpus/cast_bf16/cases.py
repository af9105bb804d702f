"""What CastBf16 is run with."""

import torch

TOLERANCE = 0.0


def _random(size, dtype):
    return lambda g: ([(100 * torch.randn(size, generator=g)).to(dtype)], {})


CASES = (
    ("seven", _random(7, torch.float32)),
    ("33 by 997 halves", _random((33, 997), torch.float16)),
    ("several tiles a core", _random(48 * 6144 + 4097, torch.float32)),
)
