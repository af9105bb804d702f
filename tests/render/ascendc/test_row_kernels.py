"""Kernels of rows compute what the graph means: every length at the borders of tiles and parts, dtype and chip."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
import torch
from generated_ops import ALL, ROW_CHIPS, Chip, GeneratedOps
from row_ops import ROWS

from opforge.ir.evaluate import evaluate
from opforge.measure.time_constants import constants
from opforge.measure.timeline import read_timelines
from opforge.spec.combinations import combinations

pytestmark = [pytest.mark.compiler, pytest.mark.torch]

WHOLE = Chip(48)
SMALL, ODD = ROW_CHIPS
# Beside blocks and repeats, lengths of each form of a level: 512, 576 (blocks, then chunks), 4100 (three levels).
LENGTHS = (1, 2, 7, 8, 9, 63, 64, 65, 127, 128, 129, 255, 256, 257, 509, 512, 576, 4100)
# Beside the rounding of the result; sums of thousands of terms, and differences of nearly equal values.
RELATIVE = {torch.float32: 2e-5, torch.float16: 2**-9, torch.bfloat16: 2**-6}
NAMES = [op.type for op in ROWS]


def tensor(shape: tuple[int, ...], dtype: str, seed: int) -> torch.Tensor:
    generator = torch.Generator().manual_seed(seed)
    if dtype == "bool":
        return torch.rand(shape, generator=generator) > 0.5
    if dtype == "int32":
        return torch.randint(-3, 4, shape, generator=generator, dtype=torch.int32)
    return (torch.randn(shape, generator=generator) + 0.25).to(getattr(torch, dtype))


def inputs_of(
    ops: GeneratedOps, name: str, row: tuple[str, ...], leading: tuple[int, ...], length: int
) -> list[torch.Tensor]:
    made = []
    for seed, (spec, dtype) in enumerate(zip(ops.ops[name].inputs, row, strict=False)):
        rest = tuple(1 if dim == "1" else length for dim in spec.dims if dim != "...")
        made.append(tensor((*leading, *rest) if "..." in spec.dims else rest, dtype, seed))
    return made


def check(
    ops: GeneratedOps, case: tuple[str, tuple[str, ...]], leading: tuple[int, ...], length: int, chip: Chip
) -> None:
    name, row = case
    op = ops.ops[name]
    inputs = inputs_of(ops, name, row, leading, length)
    values = {a.name: float(a.default or 0) for a in op.attrs}
    dtypes = {t.name: getattr(torch, d) for t, d in zip(op.outputs, row[len(op.inputs) :], strict=True)}
    given = {t.name: i for t, i in zip(op.inputs, inputs, strict=True)}
    wanted = evaluate(ops.graphs[name], given, values, dtypes)
    for output, result in zip(op.outputs, ops.run(name, inputs, chip, values, row), strict=True):
        tolerance = RELATIVE[result.dtype]
        scale = max(1.0, float(wanted[output.name].abs().max())) if result.numel() else 1.0
        torch.testing.assert_close(
            result, wanted[output.name], rtol=tolerance, atol=tolerance * scale, equal_nan=True,
            msg=lambda text, output=output: f"{name}.{output.name} {row[0]} {leading} x {length} on {chip}\n{text}",
        )  # fmt: skip


def tile_of(ops: GeneratedOps, name: str, row: tuple[str, ...], chip: Chip) -> int:
    plan = ops.plans[name].whole
    column = combinations(ops.ops[name]).index(row)
    return (chip.ub - 256 - plan.reserved) // plan.bytes_per_element(column) // 256 * 256


def cases(ops: GeneratedOps) -> list[tuple[str, tuple[str, ...]]]:
    return [(name, row) for name in ops.ops for row in combinations(ops.ops[name])]


@pytest.mark.parametrize("every", [False, pytest.param(True, marks=pytest.mark.slow)], ids=["a_sample", "all"])
def test_every_length(row_ops: GeneratedOps, *, every: bool) -> None:
    """Of each op and gradient in each dtype, on a chip with little UB: rows in tiles, and rows in parts."""
    chance = random.Random(7)
    pairs = cases(row_ops)
    for name, row in pairs if every else chance.sample(pairs, len(pairs) // 14):
        tile = tile_of(row_ops, name, row, SMALL)
        borders = (tile - 1, tile, tile + 1, 2 * tile, 2 * tile + 1, 3 * tile - 63, 10 * tile - 63)
        lengths = (*LENGTHS, *borders) if every else (*chance.sample(LENGTHS, 4), *chance.sample(borders, 3))
        for length in lengths:
            check(row_ops, (name, row), (chance.choice((1, 3, 5)),), length, chance.choice((SMALL, ODD)))


@pytest.mark.parametrize("dtype", ALL)
def test_counts_of_rows(row_ops: GeneratedOps, dtype: str) -> None:
    """More rows than a tile has, fewer than cores, none; leading dimensions."""
    for name in ("RmsNorm", "AddRmsNorm"):
        row = next(row for row in combinations(row_ops.ops[name]) if row[0] == dtype)
        for leading, length in (
            ((0,), 9), ((1,), 9), ((47,), 33), ((48,), 33), ((49,), 33), ((2, 3, 5), 64), ((1009,), 5),
            ((3, 1, 331), 1), ((26,), 1000), ((), 7), ((2, 0), 7),
        ):  # fmt: skip
            check(row_ops, (name, row), leading, length, WHOLE)


@pytest.mark.parametrize("length", [1, 130, 1009, 4100])
def test_what_depends_on_columns_only_is_computed_once(row_ops: GeneratedOps, length: int) -> None:
    """Rows in tiles, where it is done before the first one, and rows in parts."""
    for row in combinations(row_ops.ops["Columns"]):
        for leading in ((0,), (5,), (331,)):
            check(row_ops, ("Columns", row), leading, length, ODD)


@pytest.mark.parametrize("length", [128, 1024, 4096])
def test_operands_of_an_instruction_lie_in_different_banks(row_ops: GeneratedOps, tmp_path: Path, length: int) -> None:
    """Arithmetic takes its start and one cycle for each 256 bytes, and no more."""
    known = {name: each.value for name, each in constants("Ascend910B1").items()}
    for name in ("RmsNorm", "AddRmsNorm", "LayerNorm"):
        for row in combinations(row_ops.ops[name]):
            lines: list[str] = []
            row_ops.run(name, inputs_of(row_ops, name, row, (96,), length), WHOLE, {}, row, trace=lines)
            (tmp_path / "trace").write_text("".join(lines), encoding="utf-8")
            (timeline,) = read_timelines(tmp_path / "trace")
            events = [event for event in timeline.cores[0].events if event.api in ("Add", "Sub", "Mul")]
            assert len(events) > 3
            for event in events:
                assert event.cycles <= known["vector_start"] + event.amount * 4 / known["vector_width"] + 1, event


def test_leading_dimensions_broadcast(row_ops: GeneratedOps) -> None:
    row = combinations(row_ops.ops["AddRmsNorm"])[2]
    for left, right in (((3, 1), (1, 4)), ((5,), (2, 5)), ((2, 1, 3), (1, 7, 1)), ((1,), (300,)), ((), (6,))):
        for length in (9, 130):
            x, r, w = (
                tensor((*left, length), row[0], 1),
                tensor((*right, length), row[0], 2),
                tensor((length,), row[0], 3),
            )
            wanted = evaluate(row_ops.graphs["AddRmsNorm"], {"x": x, "r": r, "w": w}, {})
            found = row_ops.run("AddRmsNorm", [x, r, w], ODD, {}, row)
            for output, result in zip(row_ops.ops["AddRmsNorm"].outputs, found, strict=True):
                torch.testing.assert_close(result, wanted[output.name], rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("length", [5, 64, 200, 1009])
def test_a_row_has_the_same_bits_in_every_batch_and_on_every_chip(row_ops: GeneratedOps, length: int) -> None:
    """As long as the chips have the same UB, which decides whether a row is read in parts."""
    for name in ("Softmax", "LayerNorm", "Deep"):
        row = combinations(row_ops.ops[name])[2]
        many = inputs_of(row_ops, name, row, (331,), length)
        few = [value[100:103].clone() if value.dim() == 2 else value for value in many]
        whole = row_ops.run(name, many, ODD, {}, row)
        for chip in (SMALL, ODD):
            for found, all_rows in zip(row_ops.run(name, few, chip, {}, row), whole, strict=True):
                assert torch.equal(found, all_rows[100:103])


def test_special_values(row_ops: GeneratedOps) -> None:
    """Infinities, NaN and the largest numbers, as torch has them."""
    inf, nan = float("inf"), float("nan")
    x = torch.tensor([[inf, 1, 2], [-inf, -inf, -inf], [-inf, 0, 1], [nan, 0, 1], [3e38, 3e38, -3e38], [0, -0.0, 0]])
    (softmax,) = row_ops.run("Softmax", [x], ODD, {}, ("float32",) * 2)
    torch.testing.assert_close(softmax, torch.softmax(x, -1), equal_nan=True, rtol=1e-6, atol=0.0)
    (lse,) = row_ops.run("LogSumExp", [x], ODD, {}, ("float32",) * 2)
    torch.testing.assert_close(lse, torch.logsumexp(x, -1), equal_nan=True, rtol=1e-6, atol=1e-6)


def test_rows_without_elements(row_ops: GeneratedOps) -> None:
    """Whole results have no elements then; a result of each row is what the reduction of nothing gives."""
    (found,) = row_ops.run("Softmax", [torch.ones(5, 0)], ODD, {}, ("float32",) * 2)
    assert found.shape == (5, 0)
    (lse,) = row_ops.run("LogSumExp", [torch.ones(5, 0)], ODD, {}, ("float32",) * 2)
    torch.testing.assert_close(lse, torch.full((5,), -torch.inf))
    mean, variance, least, largest = row_ops.run("Statistics", [torch.ones(2, 0)], ODD, {}, ("float32",) * 5)
    assert bool(mean.isnan().all())
    assert bool(variance.isnan().all())
    assert least.tolist() == [torch.inf] * 2
    assert largest.tolist() == [-torch.inf] * 2


def test_inferred_shapes(row_ops: GeneratedOps) -> None:
    assert row_ops.infer_shape("LogSumExp", [[2, 3, 7]]) == [[2, 3]]
    assert row_ops.infer_shape("LogSumExp", [[7]]) == [[]]
    assert row_ops.infer_shape("AddRmsNorm", [[4, 1, 7], [5, 7], [7]]) == [[4, 5, 7], [4, 5, 7], [4, 5, 1]]
    assert row_ops.infer_shape("LogSumExp", [[-2]]) == [[-2]]
    assert row_ops.infer_shape("LogSumExp", [[-1, 7]]) == [[-1]]
