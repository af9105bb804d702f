"""What PerSocConfig is run with."""

import torch

TOLERANCE = 0.0


def _values(dtype, size):
    return lambda g: ([torch.randn(size, generator=g).to(dtype)], {})


CASES = (
    ("one", _values(torch.bfloat16, 1)),
    ("odd", _values(torch.float16, 997)),
    ("several blocks", _values(torch.float32, 5 * 12288 + 33)),
)
