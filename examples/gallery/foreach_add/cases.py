"""What ForeachAdd is run with."""

import math

import torch

TOLERANCE = 0.0


def _lists(dtype, *shapes):
    def make(g):
        lists = [[torch.randn(shape, generator=g).to(dtype) for shape in shapes] for _ in range(2)]
        return lists, {"total": sum(math.prod(shape) for shape in shapes)}

    return make


CASES = (
    ("one", _lists(torch.float32, (1,))),
    ("three", _lists(torch.float16, (997,), (7, 997), (1,))),
    ("more tiles than cores", _lists(torch.float32, (45 * 2048 + 1,), (3, 1), (45 * 2048 + 1,))),
)
