"""What SwigluFused is run with."""

import torch

TOLERANCE = {"float16": 1e-3, "float32": 2e-6}


def _rows(shape, dtype):
    return lambda g: ([(2 * torch.randn(shape, generator=g)).to(dtype)], {})


CASES = (
    ("one", _rows((1, 2), torch.float16)),
    ("33 columns", _rows((3, 41, 66), torch.float16)),
    ("whole blocks on every core", _rows((499, 512), torch.float32)),
    ("a row a tile", _rows((5, 2 * 4093), torch.float32)),
)
