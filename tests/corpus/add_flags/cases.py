"""What AddFlags is run with."""

import torch

TOLERANCE = 0.0


def _pair(size, dtype):
    return lambda g: ([torch.randn(size, generator=g).to(dtype) for _ in range(2)], {})


CASES = (
    ("one", _pair(1, torch.float16)),
    ("two tiles and a rest", _pair(2 * 4096 + 33, torch.float16)),
    ("every core", _pair(61 * 4096 + 7, torch.float32)),
)
