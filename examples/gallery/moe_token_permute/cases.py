"""What MoeTokenPermute is run with."""

import torch

TOLERANCE = 0.0


def _tokens(tokens, rows, n):
    return lambda g: (
        [torch.randn(tokens, n, generator=g).half(), torch.randint(0, tokens, (rows,), generator=g).int()],
        {},
    )


CASES = (
    ("one", _tokens(1, 1, 1)),
    ("each token twice", _tokens(37, 74, 129)),
    ("more rows than cores", _tokens(40, 161, 512)),
)
