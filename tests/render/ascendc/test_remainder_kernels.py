"""Kernels of fmod, remainder and floor_divide: exact for every quotient that float32 numbers can have."""

from __future__ import annotations

import math

import pytest
import torch
from generated_ops import Chip, GeneratedOps

from opforge.spec.combinations import combinations

pytestmark = [pytest.mark.compiler, pytest.mark.torch]

WHOLE = Chip(48)
ODD = (
    *(0.0, -0.0, 0.5, -0.75, 1.0, -3.0, 4095.0, 4097.0, 16777215.0, -16777216.0, 1e-30, -1e-38, 1e-42, 1.4e-45),
    *(3.4028235e38, -3.4028235e38, 1.1754944e-38, math.inf, -math.inf, math.nan),
)


def pairs() -> tuple[torch.Tensor, torch.Tensor]:
    """Every pair of odd numbers; numbers of all sizes; quotients beside integers of up to 24 bits, and beyond."""
    odd = torch.tensor(ODD)
    x, y = (part.flatten() for part in torch.meshgrid(odd, odd, indexing="ij"))
    source = torch.Generator().manual_seed(4)
    bits = torch.randint(-(2**31), 2**31, (2, 20_000), generator=source).to(torch.int32).view(torch.float32)
    sizes = torch.where(bits.isnan(), 1.5, bits)
    divisors = torch.rand(30_000, generator=source) * 2 + 0.1
    integers = torch.exp2(torch.rand(30_000, generator=source) * 30).round()
    beside = (divisors.double() * integers * (1 + torch.randint(-1, 2, (30_000,), generator=source) * 2**-24)).float()
    return torch.cat([x, sizes[0], beside, -beside]), torch.cat([y, sizes[1], divisors, divisors])


def exact(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    """By the C library, which is exact; torch's vectors are not where the quotient overflows."""
    given = zip(x.tolist(), y.tolist(), strict=True)
    return torch.tensor([math.nan if b == 0 or math.isinf(a) else math.fmod(a, b) for a, b in given])


def same(found: torch.Tensor, wanted: torch.Tensor) -> None:
    torch.testing.assert_close(found, wanted, rtol=0, atol=0, equal_nan=True)
    assert torch.equal(found.signbit()[found == 0], wanted.signbit()[found == 0])


def remainder(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    """With the sign of y, as torch makes it of fmod."""
    rest = exact(x, y)
    return torch.where((rest != 0) & ((y < 0) != (rest < 0)), rest + y, rest)


def same_floor(found: torch.Tensor, x: torch.Tensor, y: torch.Tensor) -> None:
    """Where torch's own vectors are right."""
    right = ~(torch.fmod(x, y).isnan() & ~exact(x, y).isnan())
    same(found[right], torch.floor_divide(x, y)[right])


def test_every_quotient(remainder_ops: GeneratedOps) -> None:
    x, y = pairs()
    row = next(row for row in combinations(remainder_ops.ops["Remainders"]) if row[0] == "float32")
    z, w, v = remainder_ops.run("Remainders", [x, y], WHOLE, {}, row)
    same(z, exact(x, y))
    same(w, remainder(x, y))
    same_floor(v, x, y)


@pytest.mark.slow
@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_short_types(remainder_ops: GeneratedOps, dtype: str) -> None:
    """Computed in float32 and rounded once, as torch does; the rest of two short numbers is exact."""
    kind = getattr(torch, dtype)
    source = torch.Generator().manual_seed(9)
    x, y = ((torch.randn(3001, generator=source) * scale).to(kind) for scale in (1000.0, 3.0))
    row = next(row for row in combinations(remainder_ops.ops["Remainders"]) if row[0] == dtype)
    found = remainder_ops.run("Remainders", [x, y], WHOLE, {}, row)
    wide = x.float(), y.float()
    for value, function in zip(found, (torch.fmod, torch.remainder, torch.floor_divide), strict=True):
        same(value, function(*wide).to(kind))


def test_numbers(remainder_ops: GeneratedOps) -> None:
    x, _ = pairs()
    row = next(row for row in combinations(remainder_ops.ops["OfNumbers"]) if row[0] == "float32")
    z, w, v = remainder_ops.run("OfNumbers", [x], WHOLE, {}, row)
    same(z, exact(x, torch.full_like(x, 3)))
    same(w, remainder(x, torch.full_like(x, -0.75)))
    same_floor(v, torch.full_like(x, 7), x)


@pytest.mark.slow
def test_gradients(remainder_ops: GeneratedOps) -> None:
    x, y = (part.requires_grad_() for part in torch.randn(2, 999, generator=torch.Generator().manual_seed(2)) * 5)
    ups = [torch.full((999,), scale) for scale in (0.5, -2.0)]
    wanted = torch.autograd.grad([torch.fmod(x, y), torch.remainder(x, y)], [x, y], ups)
    row = next(row for row in combinations(remainder_ops.ops["RemaindersGrad"]) if row[0] == "float32")
    given = {"x": x.detach(), "y": y.detach(), "grad_z": ups[0], "grad_w": ups[1]}
    inputs = [given[tensor.name] for tensor in remainder_ops.ops["RemaindersGrad"].inputs]
    names = [tensor.name for tensor in remainder_ops.ops["RemaindersGrad"].outputs]
    made = dict(zip(names, remainder_ops.run("RemaindersGrad", inputs, WHOLE, {}, row), strict=True))
    torch.testing.assert_close(made["grad_y"], wanted[1], rtol=1e-5, atol=1e-5)
