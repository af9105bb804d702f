"""Kernels that number the elements of a row: ties, NaN, every length at the borders of tiles and parts."""

from __future__ import annotations

import random

import pytest
import torch
from generated_ops import ALL, ROW_CHIPS, Chip, GeneratedOps, TilingRefusedError
from index_ops import INDEXED

from opforge.ir.evaluate import evaluate
from opforge.spec.combinations import combinations

pytestmark = [pytest.mark.compiler, pytest.mark.torch]

SMALL, ODD = ROW_CHIPS
LENGTHS = (2, 3, 7, 8, 9, 31, 32, 33, 64, 65, 255, 256, 257, 509, 512, 1000, 4100)
RELATIVE = {torch.float32: 2e-5, torch.float16: 2**-9, torch.bfloat16: 2**-6}
EXTREMES = ("ArgMax", "ArgMin", "MaxWithIndex", "MinWithIndex")
INF, NAN = float("inf"), float("nan")


def row_of(ops: GeneratedOps, name: str, dtype: str) -> tuple[str, ...]:
    """The combination of dtypes of an op, or of a gradient, whose floats have this dtype."""
    return next(row for row in combinations(ops.ops[name]) if dtype in row)


def inputs_of(ops: GeneratedOps, name: str, row: tuple[str, ...], whole: tuple[int, ...]) -> list[torch.Tensor]:
    """Floats of few values, so that many are equal; classes from all of a row, some of them ignored."""
    *leading, length = whole
    made = []
    for seed, (spec, dtype) in enumerate(zip(ops.ops[name].inputs, row, strict=False)):
        generator = torch.Generator().manual_seed(seed + length)
        shape = (*leading, *{"C": [length], "1": [1], "...": []}[spec.dims[-1]])
        if dtype in ("int32", "int64"):
            classes = torch.randint(-1, length, shape, generator=generator)
            made.append(torch.where(classes < 0, -100, classes).to(getattr(torch, dtype)))
        else:
            made.append((torch.randint(-9, 10, shape, generator=generator) / 8).to(getattr(torch, dtype)))
    return made


def check(ops: GeneratedOps, name: str, dtype: str, shape: tuple[int, ...], chip: Chip) -> None:
    op, row = ops.ops[name], row_of(ops, name, dtype)
    inputs = inputs_of(ops, name, row, shape)
    values = {a.name: float(a.default or 0) for a in op.attrs}
    dtypes = {t.name: getattr(torch, d) for t, d in zip(op.outputs, row[len(op.inputs) :], strict=True)}
    given = {t.name: i for t, i in zip(op.inputs, inputs, strict=True)}
    wanted = evaluate(ops.graphs[name], given, values, dtypes)
    for output, result in zip(op.outputs, ops.run(name, inputs, chip, values, row), strict=True):
        tolerance = RELATIVE.get(result.dtype, 0.0)
        torch.testing.assert_close(
            result, wanted[output.name], rtol=tolerance, atol=tolerance,
            msg=lambda text, output=output: f"{name}.{output.name} {row} {shape} on {chip}\n{text}",
        )  # fmt: skip


def tile_of(ops: GeneratedOps, name: str, dtype: str, chip: Chip) -> int:
    plan, op = ops.plans[name].whole, ops.ops[name]
    column = combinations(op).index(row_of(ops, name, dtype))
    return (chip.ub - 256 - plan.reserved) // plan.bytes_per_element(column) // 256 * 256


@pytest.mark.parametrize("every", [False, pytest.param(True, marks=pytest.mark.slow)], ids=["a_sample", "all"])
def test_every_length(index_ops: GeneratedOps, *, every: bool) -> None:
    """Of each op and gradient in each dtype: rows in tiles, rows in parts, and rows in parts that stay in UB."""
    chance = random.Random(11)
    for name in index_ops.ops if every else chance.sample(list(index_ops.ops), 3):
        for dtype in ALL if every else chance.sample(ALL, 1):
            tile = tile_of(index_ops, name, dtype, SMALL)
            borders = (tile - 1, tile, tile + 1, 2 * tile, 2 * tile + 1, 10 * tile - 63)
            for length in (*LENGTHS, *borders) if every else (*chance.sample(LENGTHS, 2), *chance.sample(borders, 2)):
                check(index_ops, name, dtype, (chance.choice((1, 3, 5)), length), chance.choice((SMALL, ODD)))


@pytest.mark.parametrize("name", [op.type for op in INDEXED])
def test_many_rows(index_ops: GeneratedOps, name: str) -> None:
    """More rows than a tile has, several tiles for each core, no rows."""
    for shape in ((0, 9), (1, 7), (49, 33), (2, 3, 5, 64), (331, 130), (3,)):
        check(index_ops, name, "float16", shape, ODD)


@pytest.mark.parametrize("length", [5, 64, 1009, 40_000])
def test_indices_are_torchs_own(index_ops: GeneratedOps, length: int) -> None:
    """The first of equal elements and the first NaN, at the ends of tiles and parts, and infinities."""
    x = torch.zeros(9, length)
    x[1, -1] = x[2, length // 2] = x[3, 0] = NAN
    x[3, -1] = x[4, length // 2] = x[4, -1] = INF
    x[5], x[6] = INF, -INF
    x[7] = torch.arange(length) % 3
    x[8, length // 3] = x[8, -2] = NAN
    for name, row in ((name, row_of(index_ops, name, "float32")) for name in EXTREMES):
        value = x * x - x if name == "MinWithIndex" else x
        pick = torch.max if "Max" in name else torch.min
        wanted = pick(value, -1, keepdim=name == "ArgMin")
        *values, indices = index_ops.run(name, [x], ODD, {}, row)
        assert torch.equal(indices.long(), wanted.indices), name
        for found in values:
            torch.testing.assert_close(found, wanted.values, equal_nan=True, rtol=0, atol=0)


def test_losses_are_torchs_own(index_ops: GeneratedOps) -> None:
    """Stable for large values, 0 for classes that are ignored, whatever the row is."""
    x = torch.randn(6, 17) * 30
    x[1], x[2, 3:], x[3, 5] = x[1] + 3e4, -INF, NAN
    target = torch.tensor([3, 16, 1, -100, 0, -100])
    row = row_of(index_ops, "CrossEntropy", "float32")
    (found,) = index_ops.run("CrossEntropy", [x, target[:, None]], ODD, {}, row)
    wanted = torch.nn.functional.cross_entropy(x, target, reduction="none")
    torch.testing.assert_close(found[:, 0], wanted, rtol=2e-6, atol=2e-6)
    attrs = {"label_smoothing": 0.25, "ignore_index": 2.0}
    y, classes = torch.randn(5, 9), torch.tensor([0, 2, 8, 7, 2], dtype=torch.int32)
    row = row_of(index_ops, "Smoothed", "float32")
    (found,) = index_ops.run("Smoothed", [y, classes[:, None]], ODD, attrs, row)
    wanted = torch.nn.functional.cross_entropy(
        y, classes.long(), reduction="none", ignore_index=2, label_smoothing=0.25
    )
    torch.testing.assert_close(found[:, 0], wanted, rtol=2e-6, atol=2e-6)


def test_rows_that_float32_cannot_number_are_refused(index_ops: GeneratedOps) -> None:
    row = row_of(index_ops, "ArgMax", "float16")
    longest = 2**24
    assert index_ops.tiling("ArgMax", [[1, longest], [1]], row, ODD, {}).key == 2
    with pytest.raises(TilingRefusedError):
        index_ops.tiling("ArgMax", [[1, longest + 1], [1]], row, ODD, {})


def test_int64_results_have_room(index_ops: GeneratedOps) -> None:
    """Beside int32 ones: two buffers of an element for each row, of 4 bytes more."""
    int64, int32 = (index_ops.plans[name].whole for name in ("ArgMax", "ArgMin"))
    assert int64.reserved - int32.reserved == 2 * 256 * 4
    assert int64.bytes_per_element(0) == int32.bytes_per_element(0)
