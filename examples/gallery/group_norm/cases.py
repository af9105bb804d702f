"""What GroupNorm is run with."""

import torch

TOLERANCE = 1e-5


def _samples(samples, channels, length, groups):
    def make(g):
        sizes = ((samples, channels, length), channels, channels)
        return [torch.randn(size, generator=g) for size in sizes], {"groups": groups}

    return make


CASES = (
    ("seven elements", _samples(1, 1, 7, 1)),
    ("three channels a group", _samples(5, 33, 101, 11)),
    ("several tiles a channel", _samples(2, 4, 4099, 2)),
)
