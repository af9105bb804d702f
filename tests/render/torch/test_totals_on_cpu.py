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
    "rows_weighted": ((X, (3,)), lambda x, r: (x * x).sum(-1) * r + r.tanh()),
    "sum_of_first": ((X,), lambda x: x.sum(0)),
    "down_product": ((X, X), lambda x, w: (x * w).sum(-2)),
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


OVER: dict[str, Callable[..., tuple[torch.Tensor, ...]]] = {
    "moments_over": lambda x, w, dim: (
        x.mean(dim, keepdim=True),
        x.var(dim, correction=0),
        (x - x.mean(dim, keepdim=True)) * w,
    ),
    "mean_product_over": lambda x, w, dim: ((x * w).mean(dim),),
}


@pytest.mark.parametrize("name", OVER)
@pytest.mark.parametrize("shape", [(), (7,), (4, 1), (2, 3, 5)], ids=str)
def test_results_over_the_dimension_of_a_call(name: str, shape: tuple[int, ...], loss_ops: ModuleType) -> None:
    torch.manual_seed(6)
    x, w = (torch.randn(shape, dtype=torch.float64).requires_grad_() for _ in range(2))
    for dim in range(-max(len(shape), 1), max(len(shape), 1)):
        expected, actual = OVER[name](x, w, dim), getattr(loss_ops, name)(x, w, dim)
        actual = actual if isinstance(actual, tuple) else (actual,)
        for one, other in zip(actual, expected, strict=True):
            torch.testing.assert_close(one, other)
        weights = [torch.randn_like(value) for value in expected]
        wanted = torch.autograd.grad(expected, (x, w), weights)
        for one, other in zip(torch.autograd.grad(actual, (x, w), weights), wanted, strict=True):
            torch.testing.assert_close(one, other)
    with pytest.raises(IndexError, match="Dimension out of range"):
        getattr(loss_ops, name)(x, w, max(len(shape), 1))


def test_shapes_over_the_dimension_of_a_call(loss_ops: ModuleType) -> None:
    """Of tensors with symbolic sizes, too."""
    x = torch.randn(2, 3, 5, requires_grad=True)
    for dim in (-3, 1, 2):
        torch.library.opcheck(torch.ops.loss_ops.moments_over.default, (x, x.detach().clone(), dim))
        torch.library.opcheck(torch.ops.loss_ops.least_over.default, (x, dim))
    torch.library.opcheck(torch.ops.loss_ops.largest_plane.default, (x,))
    meta = loss_ops.moments_over(x.to("meta"), x.to("meta"), -2)
    assert [tuple(result.shape) for result in meta] == [(2, 1, 5), (2, 5), (2, 3, 5)]


@pytest.mark.parametrize("shape", [(), (7,), (4, 1), (2, 3, 5), (2, 3, 1, 4)], ids=str)
def test_the_first_of_equal_elements_has_the_gradient(shape: tuple[int, ...], loss_ops: ModuleType) -> None:
    """Of every dimension, counted from either end; and the gradient of the gradient."""
    x = torch.randint(-2, 3, shape, generator=torch.Generator().manual_seed(7)).double().requires_grad_()
    rank = max(len(shape), 1)
    calls = [(loss_ops.least_over(x, dim), x.min(dim)) for dim in range(-rank, rank)]
    if rank > 2:
        calls.append((loss_ops.largest_plane(x), x.max(-3, keepdim=True)))
    for (value, index), wanted in calls:
        torch.testing.assert_close(value, wanted.values, rtol=0, atol=0)
        assert torch.equal(index, wanted.indices)
        weight = torch.randn_like(value).requires_grad_()
        (golden,) = torch.autograd.grad(wanted.values, x, weight)
        (found,) = torch.autograd.grad(value, x, weight, create_graph=True)
        torch.testing.assert_close(found, golden, rtol=0, atol=0)
        (again,) = torch.autograd.grad(found, weight, torch.ones_like(found))
        torch.testing.assert_close(again, torch.ones_like(again), rtol=0, atol=0)


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
