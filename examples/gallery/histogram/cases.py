"""What Histogram is run with."""

import torch

TOLERANCE = 0.0


def _values(count, bins):
    return lambda g: ([torch.randint(-3, bins + 3, (count,), generator=g).int()], {"bins": bins})


CASES = (
    ("one", _values(1, 1)),
    ("odd sizes", _values(997, 33)),
    ("every core", _values(48 * 256 + 77, 101)),
)
