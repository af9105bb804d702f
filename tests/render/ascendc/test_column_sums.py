"""Kernels of gradients sum those of weights over the rows: the values, the bits on any number of cores, the bytes."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
import torch
from generated_ops import ALIKE_CHIPS, ALL, SPREAD, SYSTEM_BYTES, Chip, GeneratedOps, Tiling, harness
from test_row_kernels import inputs_of, tile_of

from opforge.ir.evaluate import evaluate
from opforge.spec.combinations import combinations

pytestmark = [pytest.mark.compiler, pytest.mark.torch]

ALONE, ODD, *_ = ALIKE_CHIPS
WHOLE = Chip(48)
RMS, LAYER = "RmsNormGrad", "LayerNormGrad"
# Beside the rounding of the result: sums of as many terms as there are rows.
RELATIVE = {torch.float32: 2e-5, torch.float16: 2**-9, torch.bfloat16: 2**-6}
# None, one, fewer than shares, primes, one more than shares, more than one tile each, the larger number of shares.
ROWS = (0, 1, 2, 7, 47, 48, 49, 331, 1009)
MANY = 3847
LENGTHS = (1, 7, 8, 9, 64, 255, 256, 257)


def row_of(ops: GeneratedOps, name: str, dtype: str) -> tuple[str, ...]:
    return next(row for row in combinations(ops.ops[name]) if row[0] == dtype)


class SummingTilingData(ctypes.Structure):
    """The beginning of the generated struct, which is the same for both ops."""

    _fields_ = (
        ("tileElements", ctypes.c_uint32),
        ("tileRows", ctypes.c_uint32),
        ("tileColumns", ctypes.c_uint32),
        ("bypassL2", ctypes.c_uint32),
        ("keptElements", ctypes.c_uint32),
        ("partialFloats", ctypes.c_uint32),
        ("sumElements", ctypes.c_uint32),
        ("sumColumns", ctypes.c_uint32),
    )


def tiling_of(
    ops: GeneratedOps, name: str, row: tuple[str, ...], whole: Sequence[int], chip: Chip
) -> tuple[Tiling, SummingTilingData]:
    op = ops.ops[name]
    shapes = [list(whole) if "..." in t.dims else list(whole[-1:]) for t in (*op.inputs, *op.outputs)]
    tiling = ops.tiling(name, shapes, row, chip, {})
    return tiling, SummingTilingData.from_buffer_copy(tiling.data)


def check(ops: GeneratedOps, case: tuple[str, str], leading: tuple[int, ...], length: int, chip: Chip = ODD) -> None:
    """Against the meaning of the graph, which tests of the graph compare with torch's gradients."""
    name, dtype = case
    row, op = row_of(ops, name, dtype), ops.ops[name]
    inputs = inputs_of(ops, name, row, leading, length)
    dtypes = {t.name: getattr(torch, d) for t, d in zip(op.outputs, row[len(op.inputs) :], strict=True)}
    wanted = evaluate(ops.graphs[name], dict(zip((t.name for t in op.inputs), inputs, strict=True)), {}, dtypes)
    for output, result in zip(op.outputs, ops.run(name, inputs, chip, {}, row), strict=True):
        tolerance = RELATIVE[result.dtype]
        scale = max(1.0, float(wanted[output.name].abs().max())) if result.numel() else 1.0
        assert result.shape == wanted[output.name].shape
        torch.testing.assert_close(
            result, wanted[output.name], rtol=tolerance, atol=tolerance * scale,
            msg=lambda text, output=output: f"{case} {output.name} {leading} x {length} on {chip}\n{text}",
        )  # fmt: skip


@pytest.mark.parametrize("dtype", ALL)
@pytest.mark.parametrize("name", [RMS, LAYER])
def test_rows_in_tiles(summing_ops: GeneratedOps, name: str, dtype: str) -> None:
    case = name, dtype
    tile = tile_of(summing_ops, name, row_of(summing_ops, *case), ODD)
    for place, rows in enumerate(ROWS):
        for length in (LENGTHS[place % len(LENGTHS)], LENGTHS[(3 * place + 1) % len(LENGTHS)]):
            check(summing_ops, case, (rows,), length)
    for length in (tile - 1, tile):
        check(summing_ops, case, (3, 17), length)
    check(summing_ops, case, (), 9)
    check(summing_ops, case, (MANY,), 9)


@pytest.mark.parametrize("dtype", ALL)
@pytest.mark.parametrize("name", [RMS, LAYER])
def test_rows_in_parts(summing_ops: GeneratedOps, name: str, dtype: str) -> None:
    """With sums in UB, and with sums that have no room there; all cores read the parts of few rows."""
    case = name, dtype
    row, found = row_of(summing_ops, *case), set()
    tile = tile_of(summing_ops, name, row, ODD)
    for rows, length in ((0, tile + 1), (3, tile + 1), (50, 2 * tile + 1), (1, 31 * tile - 63), (51, 40 * tile + 7)):
        tiling, data = tiling_of(summing_ops, name, row, (rows, length), ODD)
        found.add((tiling.key, data.sumElements > 0))
        check(summing_ops, case, (rows,), length)
    assert found == {(1, True), (1, False), (SPREAD, False)}


@pytest.mark.parametrize("name", [RMS, LAYER])
def test_bits_do_not_depend_on_the_cores(summing_ops: GeneratedOps, name: str) -> None:
    row, keys = row_of(summing_ops, name, "float32"), set()
    tile = tile_of(summing_ops, name, row, ALONE)
    for rows, length in ((331, 130), (MANY, 7), (50, tile + 1), (53, 20 * tile), (1, 31 * tile), (3, 31 * tile)):
        inputs = inputs_of(summing_ops, name, row, (rows,), length)
        wanted = summing_ops.run(name, inputs, ALONE, {}, row)
        for chip in ALIKE_CHIPS[1:]:
            keys.add(tiling_of(summing_ops, name, row, (rows, length), chip)[0].key)
            for one, other in zip(wanted, summing_ops.run(name, inputs, chip, {}, row), strict=True):
                assert torch.equal(one.view(torch.int32), other.view(torch.int32)), (rows, length, chip)
    assert keys == {0, 1, SPREAD}


def test_leading_dimensions_broadcast(summing_ops: GeneratedOps) -> None:
    """Rows lie in several planes, or follow each other with gaps."""
    name = "AddRmsNormGrad"
    op, row = summing_ops.ops[name], row_of(summing_ops, "AddRmsNormGrad", "float32")
    for left, right in (((3, 1), (1, 4)), ((5,), (2, 5)), ((2, 1, 3), (1, 7, 1)), ((1,), (300,)), ((), (6,))):
        for length in (9, 130):
            whole = (*torch.broadcast_shapes(left, right), length)
            shapes = {"x": (*left, length), "r": (*right, length), "w": (length,), "grad_rstd": (*whole[:-1], 1)}
            generator = torch.Generator().manual_seed(length)
            given = {t.name: torch.randn(shapes.get(t.name, whole), generator=generator) for t in op.inputs}
            wanted = evaluate(summing_ops.graphs[name], given, {})
            found = summing_ops.run(name, list(given.values()), ODD, {}, row)
            for output, result in zip(op.outputs, found, strict=True):
                torch.testing.assert_close(result, wanted[output.name], rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("name", [RMS, LAYER])
def test_sums_of_negative_zeros(summing_ops: GeneratedOps, name: str) -> None:
    """Are 0.0, where sums in UB begin with 0.0 and where parts of rows are stored as they are."""
    row = row_of(summing_ops, name, "float32")
    tile = tile_of(summing_ops, name, row, ALONE)
    for rows, length in ((5, 9), (1, tile + 1), (1, 31 * tile)):
        inputs = inputs_of(summing_ops, name, row, (rows,), length)
        inputs[0] = torch.full_like(inputs[0], -0.0)
        for _, *sums in (summing_ops.run(name, inputs, chip, {}, row) for chip in ALIKE_CHIPS):
            assert not any(one.view(torch.int32).any() for one in sums[-1:])


def test_shapes_of_results(summing_ops: GeneratedOps) -> None:
    for whole in ((5, 9), (2, 0, 3, 7), (9,), (3, 0)):
        assert summing_ops.infer_shape(RMS, [whole, whole, whole[-1:]]) == [list(whole), list(whole[-1:])]
    assert summing_ops.infer_shape(RMS, [[-1, 9], [3, 9], [9]]) == [[3, 9], [9]]
    assert summing_ops.infer_shape(RMS, [[-2], [-2], [9]]) == [[-2], [-1]]


def test_all_blocks_start_together_and_none_is_idle(summing_ops: GeneratedOps) -> None:
    row = row_of(summing_ops, RMS, "float32")
    for whole, blocks, shares in (
        ((1, 1), 1, 1), ((7, 64), 7, 7), ((1, 4096), 32, 1), ((48, 1024), 48, 48), ((4096, 4096), 48, 228),
        ((0, 64), 1, 0), ((5, 0), 1, 0),
    ):  # fmt: skip
        tiling, _ = tiling_of(summing_ops, RMS, row, whole, WHOLE)
        assert (tiling.blocks, tiling.together) == (blocks, True), whole
        assert tiling.workspace == SYSTEM_BYTES + shares * -(-whole[-1] // 128) * 512, whole


@pytest.mark.parametrize("dtype", ALL)
@pytest.mark.parametrize("name", [RMS, LAYER])
def test_bytes(summing_ops: GeneratedOps, name: str, dtype: str) -> None:
    """Inputs are read once and results written once, with the sums of shares between: no tensor of x's size."""
    rows, length = 960, 512
    row, sums = row_of(summing_ops, name, dtype), len(summing_ops.ops[name].outputs) - 1
    inputs, timed = inputs_of(summing_ops, name, row, (rows,), length), list[dict[str, Any]]()
    results = summing_ops.run(name, inputs, WHOLE, {}, row, timed=timed)
    moved = timed[0]["gm"]
    tensors = [t.numel() * t.element_size() for t in inputs]
    tiling, _ = tiling_of(summing_ops, name, row, (rows, length), WHOLE)
    shares = tiling.workspace - SYSTEM_BYTES
    assert shares <= 48 * length * 4 * sums < rows * length * 4 / 5
    assert moved["written"] == sum(t.numel() * t.element_size() for t in results) + shares
    assert moved["read"] <= sum(tensors[:2]) + 48 * tensors[2] + shares + 48 * 4096  # and tiling data


# What an author of such a kernel may get wrong: the right text, the wrong one, part of what is said of it, the rows,
# and their length in tiles.
MISTAKES = {
    "a_share_skipped": ("share += AscendC::GetBlockNum()", "share += AscendC::GetBlockNum() + 1", "", 331, 0),
    "sums_not_cleared": ("            ClearSums();\n", "", "", 331, 0),
    "no_wait_for_other_cores": ("{\n        AscendC::SyncAll();", "{", "waited", 331, 0),
    "rows_of_a_tile_not_folded": (
        "row_math::FoldedRows<row_math::Add>(Sum(number), Sum(number), tile)",
        "(void)tile",
        "",
        331,
        0,
    ),
    "the_share_of_another": ("ShareSum(number, share)", "ShareSum(number, share / 2)", "", 331, 0),
    "a_share_left_out": (
        "layout,\n                                              tiling->shareCount)",
        "layout,\n                                              tiling->shareCount - 1)",
        "",
        331,
        0,
    ),
    "columns_of_another_core": ("AscendC::GetBlockIdx(); column", "(AscendC::GetBlockIdx() / 2); column", "", 331, 0),
    "added_over": ("            AscendC::SetAtomicAdd<float>();\n", "", "", 51, 40),
    "added_to_nothing": ("row % tiling->groupsPerBlock > 0", "row >= 0", "", 51, 40),
    "added_ever_after": ("        AscendC::SetAtomicNone();\n", "", "", 51, 40),
}


FEW = 3  # each compiles a kernel


@pytest.mark.parametrize(
    "mistake", [*list(MISTAKES)[:FEW], *(pytest.param(each, marks=pytest.mark.slow) for each in list(MISTAKES)[FEW:])]
)
def test_mistakes_are_caught(summing_ops: GeneratedOps, tmp_path: Path, mistake: str) -> None:
    right, wrong, said, rows, tiles = MISTAKES[mistake]
    broken = summing_ops.with_mistake(tmp_path, "rms_norm_grad_kernel.h", {right: wrong})
    length = tiles * tile_of(summing_ops, RMS, row_of(summing_ops, RMS, "float32"), ODD) + 7
    with pytest.raises((AssertionError, harness.LaunchError), match=said or None):
        check(broken, (RMS, "float32"), (rows,), length + (123 if tiles == 0 else 0))
