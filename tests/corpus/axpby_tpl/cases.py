"""What AxpbyTpl is run with."""

import torch

TOLERANCE = {"float16": 4e-3, "float32": 1e-6}


def _pair(dtype, size, **settings):
    return lambda g: ([torch.randn(size, generator=g).to(dtype) for _ in range(2)], settings)


CASES = (
    ("one", _pair(torch.float32, 1)),
    ("sum", _pair(torch.float16, 4096 + 33)),
    ("x alone", _pair(torch.float16, 997, alpha=-0.5, beta=0.0)),
    ("both", _pair(torch.float32, 45 * 4096 + 7, alpha=2.0, beta=-0.25)),
)
