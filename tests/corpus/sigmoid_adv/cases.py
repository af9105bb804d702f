"""What SigmoidAdv is run with."""

import torch

TOLERANCE = {"float16": 2e-3, "float32": 2e-6}


def _random(size, dtype):
    return lambda g: ([(4 * torch.randn(size, generator=g)).to(dtype)], {})


CASES = (
    ("one", _random(1, torch.float16)),
    ("a whole tile", _random(4096, torch.float32)),
    ("every core", _random((97, 2203), torch.float16)),
)
