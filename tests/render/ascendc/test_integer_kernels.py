"""Integers of every width are exact: kernels give what torch's own arithmetic in that dtype gives, to the bit."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch
from generated_ops import Chip, GeneratedOps
from integer_ops import WIDTHS

pytestmark = [pytest.mark.compiler, pytest.mark.torch]

SMALL = Chip(1, 72 * 1024)  # one core with little UB: many tiles of a few hundred elements
ODD = Chip(7, 72 * 1024)
Tensors = tuple[torch.Tensor, ...]


def wrapped_sums(x: torch.Tensor, y: torch.Tensor) -> Tensors:
    z = (x - y) * x + 3 * y - 7
    return z, torch.maximum(x + y, torch.clamp(x * y, max=5)), torch.abs(x) - y * y


def ordered(x: torch.Tensor, y: torch.Tensor) -> Tensors:
    z = torch.where(x >= y, x, torch.where(y > 7, torch.ones_like(y), -y))
    w = torch.minimum(torch.clamp(x, min=3), y) + torch.relu(x) * torch.sign(y)
    return (x > y) | (x + 1 >= 100), (x < y) & ~(x * 2 <= 1), (x == y) | ((x != 3) & (y - x == 1)), z, w


def divided(x: torch.Tensor, y: torch.Tensor) -> Tensors:
    zero, divisor = y == 0, torch.where(y == 0, 1, y)  # torch raises for 0
    below = torch.where(zero, 0, x // divisor)
    numbers = (x // 7 - torch.where(zero, 100, 100 % divisor)) // 3 + torch.fmod(y, 5)
    return below, torch.where(zero, x, x % divisor), torch.where(zero, x, torch.fmod(x, divisor)), numbers


def bits(x: torch.Tensor, y: torch.Tensor) -> Tensors:
    return (x & y) - (x | 5), x ^ ~y ^ 100, (x << 3) + (~x >> 1) + ~(x + y), (x << 9) | (y >> 31)


def promoted(a: torch.Tensor, b: torch.Tensor, c: torch.Tensor, d: torch.Tensor) -> Tensors:
    narrow = (d + 1).to(torch.int8), d.to(torch.uint8), d.to(torch.int16)
    return a * 2 + b * c, a * a + d, *narrow, (a * 3).to(torch.int64), (b + 1).float() * 0.5


def borders(dtype: str) -> torch.Tensor:
    """The ends of a dtype, small numbers, those about 2^24, where float32 ends, and some others."""
    limits = torch.iinfo(getattr(torch, dtype))
    some = (0, 1, 2, 3, 7, 99, 100, 127, 128, 255, -1, -2, -128, 181, 46341, 2**24, 2**24 + 1, -(2**24) - 1, 65537)
    ends = [limits.min, limits.min + 1, limits.max - 1, limits.max]
    kept = sorted({*ends, *(value for value in some if limits.min <= value <= limits.max)})
    return torch.tensor(kept, dtype=getattr(torch, dtype))


def drawn(size: int, dtype: str, seed: int) -> torch.Tensor:
    """All values of a dtype are as likely."""
    generator = torch.Generator().manual_seed(seed)
    limits = torch.iinfo(getattr(torch, dtype))
    wide = torch.randint(limits.min, limits.max + 1, (size,), generator=generator)
    return wide.to(getattr(torch, dtype))


def pairs(dtype: str) -> Tensors:
    """Each border beside each other one."""
    one = borders(dtype)
    x, y = (grid.flatten().contiguous() for grid in torch.meshgrid(one, one, indexing="ij"))
    return x, y


def check(ops: GeneratedOps, name: str, inputs: Tensors, wanted: Callable[..., Tensors], chip: Chip) -> None:
    """The kernel's results are torch's, and so are their dtypes."""
    op = ops.ops[name]
    for output, result, expected in zip(op.outputs, ops.run(name, inputs, chip), wanted(*inputs), strict=True):
        where = f"{name}.{output.name} of {', '.join(str(tensor.dtype) for tensor in inputs)}"
        assert result.dtype == expected.dtype, where
        wrong = (result != expected).nonzero().flatten()[:5].tolist()
        shown = [([t[i].item() for t in inputs], result[i].item(), expected[i].item()) for i in wrong]
        assert not shown, f"{where}: {shown}"


WANTED = {"WrappedSums": wrapped_sums, "OrderedIntegers": ordered, "DividedIntegers": divided, "Bits": bits}
QUICK = [
    *((name, dtype) for name in ("WrappedSums", "OrderedIntegers") for dtype in WIDTHS),
    ("DividedIntegers", "int32"),
]
REST = [(name, dtype) for name in WANTED for dtype in WIDTHS if (name, dtype) not in QUICK]


@pytest.mark.parametrize(("name", "dtype"), [*QUICK, *(pytest.param(*each, marks=pytest.mark.slow) for each in REST)])
def test_every_width(integer_ops: GeneratedOps, name: str, dtype: str) -> None:
    wanted = WANTED[name]
    check(integer_ops, name, pairs(dtype), wanted, SMALL)
    tile = tile_of(integer_ops, name, dtype)
    for size in (0, 1, 31, 1031, tile - 1, tile, tile + 1):
        check(integer_ops, name, (drawn(size, dtype, 1), drawn(size, dtype, 2)), wanted, ODD if size == 1031 else SMALL)


def test_two_dtypes_meet(integer_ops: GeneratedOps) -> None:
    dtypes = ("int8", "uint8", "int16", "int32")
    whole = borders("int32")
    ends = tuple(whole.to(getattr(torch, dtype)) for dtype in dtypes)
    check(integer_ops, "PromotedIntegers", ends, promoted, SMALL)
    tile = tile_of(integer_ops, "PromotedIntegers", "int8")
    for size in (0, 1, 1031, tile + 1):
        inputs = tuple(drawn(size, dtype, seed) for seed, dtype in enumerate(dtypes))
        check(integer_ops, "PromotedIntegers", inputs, promoted, SMALL)


def tile_of(ops: GeneratedOps, name: str, dtype: str) -> int:
    """The elements of a tile on SMALL."""
    plan = ops.plans[name]
    column = plan.arguments[0].dtypes.index(dtype)
    return (SMALL.ub - 256 - plan.reserved) // plan.bytes_per_element(column) // 256 * 256
