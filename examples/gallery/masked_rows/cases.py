"""What MaskedRows is run with."""

import torch

TOLERANCE = 0.0


def _rows(dtype, rows, columns, share):
    def make(generator):
        x = torch.rand(rows, columns, generator=generator).to(dtype)
        return [x, torch.rand(rows, generator=generator) < share], {}

    return make


CASES = (
    ("one", _rows(torch.float32, 1, 1, 2)),
    ("none", _rows(torch.float16, 33, 7, 0)),
    ("all", _rows(torch.float16, 97, 13, 2)),
    ("some", _rows(torch.float32, 211, 33, 0.4)),
    ("two tiles", _rows(torch.float32, 5, 8193, 0.5)),
)
