"""Generated kernels with rows of products compute what torch computes: odd sizes, every dtype, every kind of operand."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import pytest
import torch
from generated_ops import ALL, Chip, GeneratedOps
from test_matmul_kernels import check, tensor

pytestmark = [pytest.mark.compiler, pytest.mark.torch]

WHOLE = Chip(48)
SMALL = Chip(2)  # one cube core, two vector cores: each has many tiles
LITTLE_UB = Chip(6, 64 * 1024)  # rows of thousands are read in parts


def norm(m: Sequence[int], k: int, n: int) -> list[list[int]]:
    return [[*m, k], [k, n], [n]]


@pytest.mark.parametrize("dtype", ALL)
def test_sizes_around_a_tile(product_row_ops: GeneratedOps, dtype: str) -> None:
    """Fewer rows than cores and more; one tile of a product, a tile and a bit, primes."""
    for m, n in itertools.product((1, 2, 15, 17, 129), (1, 3, 16, 31, 257)):
        check(product_row_ops, "MatmulRMSNorm", norm([m], 19, n), dtype, SMALL)
    for m, k, n in ((128, 64, 256), (129, 1, 257), (13, 1031, 17), (1, 5, 4099), (1009, 3, 5)):
        check(product_row_ops, "MatmulRMSNorm", norm([m], k, n), dtype, WHOLE)
