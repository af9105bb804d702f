"""What SiluMul is run with."""

import torch

TOLERANCE = {"float16": 3e-3, "float32": 2e-6}


def _pair(size, dtype):
    return lambda g: ([torch.randn(size, generator=g).to(dtype) for _ in range(2)], {})


CASES = (
    ("seven", _pair(7, torch.float32)),
    ("a tile and one", _pair(2049, torch.float16)),
    ("every core", _pair((53, 2048), torch.float32)),
)
