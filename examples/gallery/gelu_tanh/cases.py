"""What GeluTanh is run with."""

import torch

TOLERANCE = {"float16": 1e-3, "float32": 2e-6}


def _random(size, dtype):
    return lambda g: ([(3 * torch.randn(size, generator=g)).to(dtype)], {})


CASES = (
    ("one", _random(1, torch.float32)),
    ("a prime", _random(4099, torch.float16)),
    ("more tiles than cores", _random((51, 4096), torch.float32)),
)
