"""What DropOutBytes is run with."""

import torch

TOLERANCE = {"float16": 2e-3, "float32": 1e-6}


def _values(shape, dtype, keep):
    def make(g):
        mask = (torch.rand(shape, generator=g) < keep).to(torch.uint8)
        return [torch.randn(shape, generator=g).to(dtype), mask], {"keep_prob": keep}

    return make


CASES = (
    ("one", _values((1,), torch.float32, 0.5)),
    ("a row and a rest", _values((3, 997), torch.float16, 0.9)),
    ("many tiles", _values((7, 33, 641), torch.float32, 0.25)),
)
