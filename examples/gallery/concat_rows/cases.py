"""What ConcatRows is run with."""

import torch

TOLERANCE = 0.0


def _matrices(dtype, width, *rows):
    def make(g):
        tensors = [torch.randn(each, width, generator=g).to(dtype) for each in rows]
        return [tensors], {"total": sum(rows), "width": width}

    return make


CASES = (
    ("one", _matrices(torch.float32, 1, 1)),
    ("alike", _matrices(torch.float16, 33, 7, 7)),
    ("of other lengths", _matrices(torch.float32, 997, 1, 97, 1)),
)
