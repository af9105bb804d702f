"""Kernels of products of the elements of rows, beside torch's and autograd."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
import torch
from generated_ops import ALIKE_CHIPS, ALL, ROW_CHIPS, Chip, GeneratedOps, harness
from test_spread_rows import same_bits

from opforge.spec.combinations import combinations
from tests.sampled import quick

pytestmark = [pytest.mark.compiler, pytest.mark.torch]

SMALL, ODD = ROW_CHIPS
ALONE, *SEVERAL = ALIKE_CHIPS
LENGTHS = (1, 2, 7, 8, 9, 64, 257, 4100, 20_011, 60_001)
SHAPES = ((1, 1), (3, 5), (8, 64), (65, 9), (2, 5003), (701, 130), (3, 0), (0, 3))
RELATIVE = {"float32": 1e-6, "float16": 2**-9, "bfloat16": 2**-6}


def row_of(ops: GeneratedOps, name: str, dtype: str) -> tuple[str, ...]:
    """The combination of dtypes of an op, or of a gradient, whose floats have this dtype."""
    return next(row for row in combinations(ops.ops[name]) if dtype in row)


def one_factor(length: int) -> tuple[torch.Tensor, torch.Tensor]:
    """As many rows, each with one element that is not 1, at another place, and their products."""
    wanted = 2.0 + torch.arange(length) % 7
    return torch.ones(length, length) + torch.diag(wanted - 1), wanted


@pytest.mark.parametrize(
    "length", [*range(1, 18), 31, 33, 63, 64, 65, 240, 241, 248, 249, 255, 256, 257, 509, 576, 577]
)
def test_no_element_is_left_out_or_read_twice(multiplied_ops: GeneratedOps, length: int) -> None:
    x, wanted = one_factor(length)
    (found,) = multiplied_ops.run("Prod", [x], ODD, {}, row_of(multiplied_ops, "Prod", "float32"))
    assert torch.equal(found, wanted)


def factors(shape: tuple[int, ...], dtype: str, length: int, seed: int = 0) -> torch.Tensor:
    """Elements of both signs of which the products of so many are neither large nor small."""
    generator = torch.Generator().manual_seed(seed + length)
    size = torch.exp(torch.randn(shape, generator=generator) / max(length, 1) ** 0.5)
    return torch.where(torch.rand(shape, generator=generator) < 0.5, -size, size).to(getattr(torch, dtype))


def tolerance(dtype: str, length: int) -> dict[str, float]:
    """Each factor is rounded once, at random."""
    return {"rtol": RELATIVE[dtype] + 3e-7 * length**0.5, "atol": 0.0}


def products_and_gradients(
    ops: GeneratedOps, name: str, x: torch.Tensor, dtype: str, dim: int | None
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor]:
    """The result and the gradient of the kernels, each before that of torch in float64."""
    (found,) = ops.run(name, [x], ODD, {}, row_of(ops, name, dtype))
    wide = x.double().requires_grad_()
    wanted = wide.prod() if dim is None else wide.prod(dim)
    up = torch.linspace(-2, 2, wanted.numel()).reshape(wanted.shape) + 0.25
    (gradient,) = torch.autograd.grad(wanted, wide, up.double())
    kept = up if dim is None else up.unsqueeze(dim)
    if name == "ProdOfBoth":
        kept = kept.reshape(1, 1)
    given = {"x": x, "grad_y": kept.to(x.dtype)}
    inputs = [given[tensor.name] for tensor in ops.ops[f"{name}Grad"].inputs]
    (result,) = ops.run(f"{name}Grad", inputs, ODD, {}, row_of(ops, f"{name}Grad", dtype))
    return found, wanted.detach().to(x.dtype), result, gradient.to(x.dtype)


@pytest.mark.parametrize("length", quick(LENGTHS, {length for length in LENGTHS if length % 3 == 1}))
def test_products_and_their_gradients(multiplied_ops: GeneratedOps, length: int) -> None:
    """Of rows in tiles, in parts that stay in UB, and in parts; without zeros, with one and with two."""
    dtype = ALL[length % 3]
    x = factors((5, length), dtype, length)
    x[1, length // 2] = 0
    x[2, 0], x[2, -1] = 0, -0.0
    found, wanted, result, gradient = products_and_gradients(multiplied_ops, "Prod", x, dtype, -1)
    torch.testing.assert_close(found, wanted, **tolerance(dtype, length))
    torch.testing.assert_close(result, gradient, **tolerance(dtype, length))


@pytest.mark.parametrize("rows", [0, 1, 2, 7, 8, 9, 63, 64, 65, 129, 1009])
@pytest.mark.parametrize("length", [3, 65])
def test_counts_of_rows(multiplied_ops: GeneratedOps, rows: int, length: int) -> None:
    x = factors((rows, length), "float32", length)
    (found,) = multiplied_ops.run("Prod", [x], SMALL, {}, row_of(multiplied_ops, "Prod", "float32"))
    torch.testing.assert_close(found, x.double().prod(-1).float(), **tolerance("float32", length))


@pytest.mark.parametrize("rows", [31, 32, 33, 62, 63])
def test_counts_of_long_rows(multiplied_ops: GeneratedOps, rows: int) -> None:
    """Of which tiles have more than are multiplied at once."""
    x = factors((rows, 256), "float32", 256)
    (found,) = multiplied_ops.run("Prod", [x], Chip(1), {}, row_of(multiplied_ops, "Prod", "float32"))
    torch.testing.assert_close(found, x.double().prod(-1).float(), **tolerance("float32", 256))


@pytest.mark.parametrize("shape", quick(SHAPES, {shape for shape in SHAPES if sum(shape) % 3 == 0}), ids=str)
@pytest.mark.parametrize(("name", "dim"), [("ProdOfAll", None), ("ProdOfBoth", None), ("ProdAcross", -2)])
def test_products_over_other_dimensions(
    multiplied_ops: GeneratedOps, name: str, dim: int | None, shape: tuple[int, ...]
) -> None:
    length = shape[0] if dim else shape[0] * shape[1]
    dtype = ALL[sum(shape) % 3]
    x = factors(shape, dtype, length)
    found, wanted, result, gradient = products_and_gradients(multiplied_ops, name, x, dtype, dim)
    torch.testing.assert_close(found, wanted, **tolerance(dtype, length))
    torch.testing.assert_close(result, gradient, **tolerance(dtype, length))


def test_a_value_of_the_row_beside_a_tile(multiplied_ops: GeneratedOps) -> None:
    for length in (5, 250, 20_011):
        x = factors((7, length), "float32", length)
        (found,) = multiplied_ops.run("Scaled", [x], ODD, {}, row_of(multiplied_ops, "Scaled", "float32"))
        product = x.double().prod(-1, keepdim=True)
        wanted = torch.where(product > 0, x / product, x + product).float()
        torch.testing.assert_close(found, wanted, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("length", [5, 64, 200, 256, 1009])
def test_a_row_has_the_same_bits_in_every_batch_and_on_every_chip(multiplied_ops: GeneratedOps, length: int) -> None:
    row = row_of(multiplied_ops, "Prod", "float32")
    many = factors((331, length), "float32", length)
    (whole,) = multiplied_ops.run("Prod", [many], ODD, {}, row)
    for chip in (SMALL, ODD):
        for first, count in ((100, 1), (100, 3), (7, 70)):
            (found,) = multiplied_ops.run("Prod", [many[first : first + count].clone()], chip, {}, row)
            assert torch.equal(found, whole[first : first + count])


def test_special_values(multiplied_ops: GeneratedOps) -> None:
    inf, nan = float("inf"), float("nan")
    rows = [[inf, 1, -2], [inf, 0, 1], [nan, 0, 1], [3e38, 2, 1], [1e-30, 1e-30, 1], [-0.0, 2, 1], [-1, -1, -1]]
    x = torch.tensor(rows)
    (found,) = multiplied_ops.run("Prod", [x], ODD, {}, row_of(multiplied_ops, "Prod", "float32"))
    torch.testing.assert_close(found, x.prod(-1), equal_nan=True, rtol=0, atol=0)
    assert torch.equal(found.signbit(), x.prod(-1).signbit() | found.isnan() & found.signbit())


def test_rows_without_elements(multiplied_ops: GeneratedOps) -> None:
    (found,) = multiplied_ops.run("Prod", [torch.ones(5, 0)], ODD, {}, row_of(multiplied_ops, "Prod", "float32"))
    assert found.tolist() == [1.0] * 5


@pytest.mark.parametrize("name", ["Prod", "Scaled", "ProdGrad", "ProdOfAll", "ProdOfBoth", "ProdAcross"])
def test_few_rows_are_spread_over_the_cores(multiplied_ops: GeneratedOps, name: str) -> None:
    """With the bits of one core, and all elements."""
    case = name, row_of(multiplied_ops, name, "float32")
    for shape in ((9001, 33) if name == "ProdAcross" else (1, 300_007), (2, 200_003), (40_009, 3)):
        length = shape[-2] if name == "ProdAcross" else shape[-1]
        x = factors(shape, "float32", length)
        given = {"x": x, "grad_y": torch.ones(*shape[:-1], 1)}
        inputs = [given[tensor.name] for tensor in multiplied_ops.ops[name].inputs]
        spread = same_bits(multiplied_ops, case, inputs, ALONE, SEVERAL)
        assert spread > 0 or shape not in {(9001, 33), (1, 300_007)}
    if name == "Prod":
        place = random.Random(3).randrange(300_007)
        x = torch.ones(1, 300_007)
        x[0, place] = 3.0
        assert multiplied_ops.run(name, [x], SEVERAL[0], {}, case[1])[0].tolist() == [3.0], place


# What an author of such a reduction may get wrong: the right text and the wrong one.
MISTAKES = {
    "nothing_is_zero": ("return 1.0f", "return 0.0f"),
    "a_lane_is_left_out": ("lane < 4", "lane < 3"),
    "a_lane_twice": ("kFourth + lane)", "kFourth + lane / 2)"),
    "the_odd_lanes_twice": ("kEven = 1", "kEven = 2"),
    "the_last_rows_are_not_multiplied": ("if (rest > 0)", "if (rest > kBlock)"),
    "lanes_beyond_the_row": ("((1U << tile.columns) - 1)", "0xFFU"),
    "the_last_block_is_left_out": (
        "start < tile.columns; start += kBlock",
        "start + kBlock < tile.columns; start += kBlock",
    ),
    "a_half_is_left_out": ("while (left > 2 * kBlock)", "while (left > 4 * kBlock)"),
    "the_rows_of_another_group": ("rows[first], x[first * tile.pitch]", "rows, x[first * tile.pitch]"),
    "the_lanes_of_another_group": ("blocks[first * kBlock]", "blocks"),
}
FEW = 2  # each compiles a kernel


@pytest.mark.parametrize(
    "mistake", [*list(MISTAKES)[:FEW], *(pytest.param(each, marks=pytest.mark.slow) for each in list(MISTAKES)[FEW:])]
)
def test_mistakes_are_caught(multiplied_ops: GeneratedOps, tmp_path: Path, mistake: str) -> None:
    right, wrong = MISTAKES[mistake]
    broken = multiplied_ops.with_mistake(tmp_path, "opforge/row_product.h", {right: wrong}, once=True)
    row, same = row_of(multiplied_ops, "Prod", "float32"), []
    for length in (3, 65, 256, 257):
        x, wanted = one_factor(length)
        try:
            (found,) = broken.run("Prod", [x], Chip(1), {}, row)
        except harness.LaunchError:  # a check of the engine
            return
        same.append(torch.equal(found, wanted))
    assert not all(same)
