"""What MulTbuf is run with."""

import torch

TOLERANCE = 0.0


def _pair(size, dtype):
    return lambda g: ([torch.randn(size, generator=g).to(dtype) for _ in range(2)], {})


CASES = (
    ("seven", _pair((7,), torch.float32)),
    ("a tile and one", _pair((4097,), torch.float16)),
    ("several tiles a core", _pair((97, 4099), torch.float16)),
)
