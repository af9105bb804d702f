"""What WhereSelect is run with."""

import torch

TOLERANCE = 0.0


def _three(size, dtype):
    return lambda g: (
        [torch.rand(size, generator=g) < 0.4, *(torch.randn(size, generator=g).to(dtype) for _ in range(2))],
        {},
    )


CASES = (
    ("one", _three(1, torch.float32)),
    ("a prime", _three(997, torch.float16)),
    ("more tiles than cores", _three((59, 4097), torch.float32)),
)
