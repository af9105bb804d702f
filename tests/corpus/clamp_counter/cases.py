"""What ClampCounter is run with."""

import torch

TOLERANCE = 0.0


def _random(size, dtype):
    return lambda g: ([torch.randn(size, generator=g).to(dtype)], {"low": -0.75, "high": 0.5})


CASES = (
    ("one", _random(1, torch.float16)),
    ("a prime", _random(997, torch.float32)),
    ("every core", _random(101 * 8192 + 33, torch.float16)),
)
