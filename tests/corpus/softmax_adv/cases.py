"""What SoftmaxAdv is run with."""

import torch

TOLERANCE = {"float16": 2e-3, "float32": 2e-6}


def _rows(shape, dtype):
    return lambda g: ([(4 * torch.randn(shape, generator=g)).to(dtype)], {})


CASES = (
    ("one", _rows((1, 1), torch.float32)),
    ("a tile and a rest", _rows((131, 33), torch.float16)),
    ("a row a tile", _rows((3, 17, 2203), torch.float32)),
)
