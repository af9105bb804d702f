"""Kernels of products of the elements of rows, beside torch's and autograd."""

from __future__ import annotations

import pytest
import torch
from generated_ops import ALL, ROW_CHIPS, GeneratedOps

from opforge.spec.combinations import combinations

pytestmark = [pytest.mark.compiler, pytest.mark.torch]

SMALL, ODD = ROW_CHIPS


def row_of(ops: GeneratedOps, name: str, dtype: str) -> tuple[str, ...]:
    """The combination of dtypes of an op, or of a gradient, whose floats have this dtype."""
    return next(row for row in combinations(ops.ops[name]) if dtype in row)


@pytest.mark.parametrize(
    "length", [*range(1, 18), 31, 33, 63, 64, 65, 240, 241, 248, 249, 255, 256, 257, 509, 576, 577]
)
def test_no_element_is_left_out_or_read_twice(multiplied_ops: GeneratedOps, length: int) -> None:
    """Each row has a 2 at another place."""
    x = torch.ones(length, length) + torch.eye(length)
    (found,) = multiplied_ops.run("Prod", [x], ODD, {}, row_of(multiplied_ops, "Prod", "float32"))
    assert torch.equal(found, torch.full((length,), 2.0))
