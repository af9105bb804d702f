"""Sums of squares on the NPU: rows shorter and longer than a tile, their gradients, and what torch.library asks."""

from __future__ import annotations

from typing import Any

import pytest
import torch
import torch_npu  # noqa: F401  (device "npu")

import {{ package }}
from {{ package }} import golden

TILE = {{ tile }}
FUNCTIONS = [
{% for function in functions %}
    {{ package }}.{{ function }},
{% endfor %}
]
EVERY = pytest.mark.parametrize("function", FUNCTIONS, ids=lambda function: function.__name__)


def rows(*shape: int) -> torch.Tensor:
    return torch.randn(shape, generator=torch.Generator().manual_seed(1))


@pytest.mark.parametrize("columns", [1, 7, 8, 33, TILE - 1, TILE, TILE + 1, 3 * TILE + 5])
@EVERY
def test_columns(function: Any, columns: int) -> None:
    x = rows(5, columns)
    torch.testing.assert_close(function(x.npu()).cpu(), golden.sum_of_squares(x), rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("leading", [(), (0,), (1,), (2, 3), (300,)], ids=str)
@EVERY
def test_rows(function: Any, leading: tuple[int, ...]) -> None:
    x = rows(*leading, 67)
    torch.testing.assert_close(function(x.npu()).cpu(), golden.sum_of_squares(x), rtol=1e-4, atol=1e-4)


@EVERY
def test_gradients(function: Any) -> None:
    x, weights = rows(4, 33), torch.linspace(-1, 1, 4)
    grads = []
    for device, sums in (("npu", function), ("cpu", golden.sum_of_squares)):
        leaf = x.to(device).requires_grad_()
        (sums(leaf) * weights.to(device)).sum().backward()
        grads.append(leaf.grad.cpu())
    torch.testing.assert_close(*grads)


@EVERY
def test_registration(function: Any) -> None:
    overload = getattr(torch.ops.{{ package }}, function.__name__).default
    torch.library.opcheck(overload, (rows(3, 5).requires_grad_(),))
