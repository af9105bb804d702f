"""Kernels of functions of rows with cases of their own, beside torch's functions and autograd."""

from __future__ import annotations

import pytest
import torch
from generated_ops import ALL, ROW_CHIPS, GeneratedOps, TilingRefusedError

from opforge.spec.combinations import combinations
from tests.sampled import quick

pytestmark = [pytest.mark.compiler, pytest.mark.torch]

SMALL, ODD = ROW_CHIPS
RELATIVE = {"float32": 2e-5, "float16": 2**-9, "bfloat16": 2**-6}
# Rows in tiles, in parts that stay in UB, and in parts.
LENGTHS = (1, 7, 64, 257, 4100, 20_011, 60_001)
OF_ONE_DTYPE = {length for length in LENGTHS if length % 3 == 1}  # each dtype is a kernel to compile


def row_of(ops: GeneratedOps, name: str, dtype: str) -> tuple[str, ...]:
    """The combination of dtypes of an op, or of a gradient, whose floats have this dtype."""
    return next(row for row in combinations(ops.ops[name]) if dtype in row[: len(ops.ops[name].inputs)])


def run(ops: GeneratedOps, name: str, given: dict[str, torch.Tensor], dtype: str) -> list[torch.Tensor]:
    """The results of an op for its inputs by name."""
    inputs = [given[tensor.name] for tensor in ops.ops[name].inputs]
    return ops.run(name, inputs, ODD, {}, row_of(ops, name, dtype))


def rows(length: int, dtype: str) -> torch.Tensor:
    """Rows of normal values, of zeros, of one value that is not zero, and with zeros of both signs."""
    x = torch.randn((5, length), generator=torch.Generator().manual_seed(length))
    x[1] = 0
    x[2, 1:] = 0
    x[3, ::2] = -0.0
    x[4] = -0.0
    return x.to(getattr(torch, dtype))


@pytest.mark.parametrize("length", quick(LENGTHS, OF_ONE_DTYPE))
def test_norms_and_their_gradients(language_ops: GeneratedOps, length: int) -> None:
    """The gradient of the norm of zeros is 0."""
    dtype = ALL[length % 3]
    x = rows(length, dtype)
    wide = x.float().detach().requires_grad_()
    wanted = [wide.norm(dim=-1), wide.norm(1, -1), wide.norm(torch.inf, -1)]
    tolerance = {"rtol": RELATIVE[dtype], "atol": RELATIVE[dtype]}
    for found, value in zip(run(language_ops, "Norms", {"x": x}, dtype), wanted, strict=True):
        torch.testing.assert_close(found, value.detach().to(x.dtype), **tolerance)
    ups = [torch.tensor([0.5, 1.0, -2.0, 1.5, 2.0]) * scale for scale in (1.0, -2.0, 0.5)]
    (gradient,) = torch.autograd.grad(wanted, wide, ups)
    given = {f"grad_{name}": up.unsqueeze(-1).to(x.dtype) for name, up in zip("nam", ups, strict=True)}
    (found,) = run(language_ops, "NormsGrad", {"x": x, **given}, dtype)
    torch.testing.assert_close(found, gradient.to(x.dtype), **tolerance)


@pytest.mark.slow
@pytest.mark.parametrize("length", quick(LENGTHS, OF_ONE_DTYPE))
def test_normalize_and_its_gradient(language_ops: GeneratedOps, length: int) -> None:
    """A row of zeros stays zero; its gradient is that of a division by eps."""
    dtype = "bfloat16" if length % 2 else "float32"
    x = rows(length, dtype)
    wide = x.float().detach().requires_grad_()
    wanted = torch.nn.functional.normalize(wide, dim=-1)
    tolerance = {"rtol": RELATIVE[dtype], "atol": RELATIVE[dtype]}
    (found,) = run(language_ops, "Normalize", {"x": x}, dtype)
    torch.testing.assert_close(found, wanted.detach().to(x.dtype), **tolerance)
    up = torch.randn(x.shape, generator=torch.Generator().manual_seed(1)).to(x.dtype)
    (gradient,) = torch.autograd.grad(wanted, wide, up.float())
    (found,) = run(language_ops, "NormalizeGrad", {"x": x, "grad_y": up}, dtype)
    torch.testing.assert_close(found, gradient.to(x.dtype), **tolerance)


@pytest.mark.parametrize("length", [1, 7, 257, 4100])
def test_infinite_numbers(language_ops: GeneratedOps, length: int) -> None:
    """A row that is masked as a whole is NaN, as torch's."""
    dtype = ALL[length % 3]
    x, m = rows(length, dtype), torch.rand((5, length), generator=torch.Generator().manual_seed(1)) > 0.5
    m[1], m[2] = True, False
    wide = x.float().detach().requires_grad_()
    wanted = torch.softmax(wide.masked_fill(m, -torch.inf), -1)
    tolerance = {"rtol": RELATIVE[dtype], "atol": RELATIVE[dtype], "equal_nan": True}
    found, infinite = run(language_ops, "MaskedSoftmax", {"x": x, "m": m}, dtype)
    torch.testing.assert_close(found, wanted.detach().to(x.dtype), **tolerance)
    torch.testing.assert_close(infinite, torch.where(m, torch.inf, -0.0))
    assert bool(infinite[~m].signbit().all())
    up = torch.randn(x.shape, generator=torch.Generator().manual_seed(2)).to(x.dtype)
    (gradient,) = torch.autograd.grad(wanted, wide, up.float())
    given = {"x": x, "m": m, "grad_y": up, "grad_c": torch.zeros_like(x, dtype=torch.float32)}
    (found,) = run(language_ops, "MaskedSoftmaxGrad", given, dtype)
    torch.testing.assert_close(found, gradient.to(x.dtype), **tolerance)


@pytest.mark.parametrize("length", quick((0, *LENGTHS), OF_ONE_DTYPE))
def test_tests_of_masks(language_ops: GeneratedOps, length: int) -> None:
    """Of rows in tiles and in parts, of all elements, and across tiles; NaN is not zero."""
    dtype = ALL[length % 3]
    x = rows(length, dtype)
    if length > 1:
        x[2, 1] = float("nan")
    x[0, -1:] = 2.0
    m = torch.rand(x.shape, generator=torch.Generator().manual_seed(3)) > 0.5
    every = x.all(-1, keepdim=True)
    wanted = [(x > 1.5).any(-1), every, x.count_nonzero(-1), (m & (x > 0)).sum(-1).int(), every & m]
    for found, value in zip(run(language_ops, "Tests", {"x": x, "m": m}, dtype), wanted, strict=True):
        assert torch.equal(found, value)
    wanted = [(x > 1.5).any(), x.all(), x.count_nonzero()]
    for found, value in zip(run(language_ops, "TestsOfAll", {"x": x}, dtype), wanted, strict=True):
        assert torch.equal(found, value)
    turned = x.T.contiguous()[None]
    wanted = [(turned > 1.5).any(-2), turned.count_nonzero(-2)]
    for found, value in zip(run(language_ops, "TestsAcross", {"x": turned}, dtype), wanted, strict=True):
        assert torch.equal(found, value)


def test_counts_that_float32_cannot_hold_are_refused(language_ops: GeneratedOps) -> None:
    row = row_of(language_ops, "TestsOfAll", "float16")
    longest = 2**24
    assert language_ops.tiling("TestsOfAll", [[longest], [], [], []], row, ODD, {}).key == 2
    with pytest.raises(TilingRefusedError):
        language_ops.tiling("TestsOfAll", [[longest + 1], [], [], []], row, ODD, {})
