"""Gradients of results that are made of rows, by the generated package, are those of torch's autograd."""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType

import pytest
import torch

pytestmark = [pytest.mark.torch, pytest.mark.compiler, pytest.mark.slow]

X, ROW, COLUMN = (4, 3, 5), (5,), (4, 3, 1)
# The shapes of the inputs, and the op in torch. Inputs that are smaller than a row count once for each element.
WANTED: dict[str, tuple[tuple[tuple[int, ...], ...], Callable[..., torch.Tensor]]] = {
    "shifted": ((X, ROW, COLUMN), lambda x, y, z: (x + y * 3 - z).sum(-1).mean()),
    "direct": ((X, ROW), lambda x, y: (x + y).sum()),
    "row_sums": ((X, COLUMN), lambda x, y: (x + y).sum(-1)),
    "rows_alone": ((X, (3, 1)), lambda x, r: x.sum(-1, keepdim=True) * r + r.tanh()),
    "outer": (((4, 1), (1, 5)), lambda x, y: (x + y).sum(-1)),
    "range": ((X, X), lambda x, y: (x * y).sum(-1).amax() - x.amin()),
    "spread": ((X, X), lambda x, y: ((x * x).sum() + y.mean().exp()).sqrt()),
}


@pytest.mark.parametrize("name", WANTED)
def test_gradients(name: str, loss_ops: ModuleType) -> None:
    shapes, function = WANTED[name]
    torch.manual_seed(3)
    given = [torch.randn(shape, dtype=torch.float64).requires_grad_() for shape in shapes]
    expected, actual = function(*given), getattr(loss_ops, name)(*given)
    torch.testing.assert_close(actual, expected)
    weight = torch.randn_like(expected)
    wanted = torch.autograd.grad(expected, given, weight)
    for one, other in zip(torch.autograd.grad(actual, given, weight), wanted, strict=True):
        torch.testing.assert_close(one, other)


@pytest.mark.parametrize("rows", [COLUMN, (3, 1), (1, 1)], ids=str)
def test_gradients_read_a_result_of_rows(rows: tuple[int, ...], loss_ops: ModuleType) -> None:
    torch.manual_seed(5)
    x, r = (torch.randn(shape, dtype=torch.float64).requires_grad_() for shape in (X, rows))
    rstd = torch.rsqrt((x * x).mean(-1, keepdim=True) + 0.5)
    expected, actual = (x * rstd * r, rstd.squeeze(-1)), loss_ops.scaled_rows(x, r)
    weights = [torch.randn_like(value) for value in expected]
    wanted = torch.autograd.grad(expected, (x, r), weights)
    for one, other in zip(torch.autograd.grad(actual, (x, r), weights), wanted, strict=True):
        torch.testing.assert_close(one, other)


@pytest.mark.parametrize("dtype", [torch.int8, torch.int32], ids=str)
def test_integers_wrap_around_in_the_dtype_that_they_came_in(dtype: torch.dtype, loss_ops: ModuleType) -> None:
    torch.manual_seed(4)
    x = torch.randn(4, 5, dtype=torch.float64).requires_grad_()
    k, t = torch.tensor([1, 2, 3, -1, -2], dtype=dtype).expand(4, 5), torch.ones(4, 1, dtype=torch.int32)
    m, n = torch.rand(4, 5) > 0.3, 3
    kept = (k.int() * 200).to(dtype).int() > n
    assert bool(kept.any())
    assert not bool(kept.all())
    rows = torch.where(kept & m, x * x, t.double()).sum(-1)
    expected = (rows.mean() + torch.tensor(3.0).double().exp() / n * max(n, 2) + 1.0).sqrt()
    actual = loss_ops.integers(x, k, t, m, n=n)
    torch.testing.assert_close(actual, expected)
    torch.testing.assert_close(*(torch.autograd.grad(value, x)[0] for value in (actual, expected)))
