"""What ArangeLike is run with."""

import torch

TOLERANCE = 0.0


def _like(count, start, step):
    return lambda g: ([torch.randn(count, generator=g)], {"start": start, "step": step})


CASES = (
    ("one", _like(1, 3.0, 2.0)),
    ("odd length", _like(997, -5.0, 0.5)),
    ("every core", _like(50 * 1024 + 33, 0.0, 1.0)),
)
