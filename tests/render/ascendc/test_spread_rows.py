"""Kernels of rows whose parts all cores read: the bits are those of a core alone, and the cores wait for each other."""

from __future__ import annotations

import ctypes
import random
from collections.abc import Iterable, Sequence
from pathlib import Path

import pytest
import torch
from generated_ops import ALIKE_CHIPS, SPREAD, SYSTEM_BYTES, Chip, GeneratedOps, Tiling, harness
from row_ops import ROWS
from test_axis_kernels import inputs_of as axis_inputs
from test_row_kernels import inputs_of as row_inputs
from test_row_kernels import tile_of

from opforge.spec.combinations import combinations

pytestmark = [pytest.mark.compiler, pytest.mark.torch]

ALONE, *SEVERAL = ALIKE_CHIPS
WHOLE = Chip(48)
Case = tuple[str, tuple[str, ...]]
# The extents of B, M, N and H: rows of several dimensions, of all, and across tiles, in few and in many parts; primes.
SIZES = ((5, 1, 3, 12289), (29, 1, 1, 3001), (2, 1, 4099, 33), (1, 3, 2053, 64), (67, 1, 3, 1000), (1009, 307, 1, 3))


def same_bits(ops: GeneratedOps, case: Case, inputs: Sequence[torch.Tensor], alone: Chip, chips: Iterable[Chip]) -> int:
    """Compares results with those of one core. Returns how many launches spread the parts of rows."""
    name, row = case
    values = {a.name: float(a.default or 0) for a in ops.ops[name].attrs}
    wanted = ops.run(name, inputs, alone, values, row)
    shapes = [list(t.shape) for t in (*inputs, *wanted)]
    assert ops.tiling(name, shapes, row, alone, values).key != SPREAD
    spread = 0
    for chip in chips:
        spread += ops.tiling(name, shapes, row, chip, values).key == SPREAD
        for one, other in zip(wanted, ops.run(name, inputs, chip, values, row), strict=True):
            assert torch.equal(one.isnan(), other.isnan()), (case, chip, shapes)
            assert torch.equal(one.nan_to_num(), other.nan_to_num()), (case, chip, shapes)
    return spread


def of_float32(ops: GeneratedOps, name: str) -> Case:
    return name, next(row for row in combinations(ops.ops[name]) if row[0] == "float32")


def check_few_rows(ops: GeneratedOps, case: Case, chance: random.Random) -> None:
    """Rows in 2 to 31 parts or so, at their borders."""
    alone, several = ALONE, SEVERAL
    if tile_of(ops, *case, alone) == 0:  # the values of rows take all of its UB
        alone, several = Chip(1), [Chip(40), WHOLE]
    tile = min(tile_of(ops, *case, alone), 62 * 256)
    lengths = (*chance.sample([tile + 1, 3 * tile, 5 * tile - 63, 8 * tile - 1, 13 * tile + 7], 2), 31 * tile)
    inputs = [row_inputs(ops, *case, (rows,), length) for length in lengths for rows in (1, 3)]
    assert sum(same_bits(ops, case, each, alone, several) for each in inputs) >= 2, case


def test_few_rows(row_ops: GeneratedOps) -> None:
    chance = random.Random(5)
    pairs = [(name, row) for name in row_ops.ops for row in combinations(row_ops.ops[name])]
    some = [of_float32(row_ops, "Softmax"), of_float32(row_ops, "Statistics"), *chance.sample(pairs, 2)]
    for case in some:
        check_few_rows(row_ops, case, chance)


@pytest.mark.slow
@pytest.mark.parametrize("name", [op.type for op in ROWS])
def test_few_rows_of_every_op(row_ops: GeneratedOps, name: str) -> None:
    """And its gradient, in each dtype."""
    for each in (name, f"{name}Grad"):
        for row in combinations(row_ops.ops[each]):
            check_few_rows(row_ops, (each, row), random.Random(7))


def test_other_dimensions(spread_ops: GeneratedOps) -> None:
    for name in spread_ops.ops:
        case = of_float32(spread_ops, name)
        inputs = [axis_inputs(spread_ops, *case, dict(zip("BMNH", extents, strict=True))) for extents in SIZES]
        assert sum(same_bits(spread_ops, case, each, ALONE, SEVERAL) for each in inputs) >= 2, name


@pytest.mark.slow
def test_other_dimensions_of_every_op(axis_ops: GeneratedOps) -> None:
    """And its gradient, in each dtype."""
    chance, spread = random.Random(3), 0
    for name in axis_ops.ops:
        for row in combinations(axis_ops.ops[name]):
            for extents in chance.sample(SIZES, 3):
                inputs = axis_inputs(axis_ops, name, row, dict(zip("BMNH", extents, strict=True)))
                spread += same_bits(axis_ops, (name, row), inputs, ALONE, SEVERAL)
    assert spread > 100


@pytest.mark.parametrize("count", [2**20 + 3, 1_000_003])
def test_a_million_elements(spread_ops: GeneratedOps, row_ops: GeneratedOps, count: int) -> None:
    x = torch.randn(count, generator=torch.Generator().manual_seed(1))
    mean, softmax = of_float32(spread_ops, "MeanOfAll"), of_float32(row_ops, "Softmax")
    assert same_bits(spread_ops, mean, [x], Chip(1), (Chip(3), WHOLE)) == 1
    assert same_bits(row_ops, softmax, [x.reshape(1, count)], Chip(1), (Chip(40), WHOLE)) == 2
    (found,) = spread_ops.run("MeanOfAll", [x], WHOLE, {}, mean[1])
    torch.testing.assert_close(found, x.mean(), rtol=2e-5, atol=1e-7)


class RowsTilingData(ctypes.Structure):
    """The generated struct of an op without scalars and optional inputs, as far as tests read it."""

    _fields_ = (
        ("tileElements", ctypes.c_uint32),
        ("tileRows", ctypes.c_uint32),
        ("tileColumns", ctypes.c_uint32),
        ("bypassL2", ctypes.c_uint32),
        ("keptElements", ctypes.c_uint32),
        ("partialFloats", ctypes.c_uint32),
        ("groupCount", ctypes.c_int64),
        ("groupsPerBlock", ctypes.c_int64),
        ("partsPerBlock", ctypes.c_int64),
        ("rowTiles", ctypes.c_int64),
        ("columnTiles", ctypes.c_int64),
        ("partCount", ctypes.c_int64),
    )


def softmax(ops: GeneratedOps, shape: Sequence[int], chip: Chip = WHOLE) -> tuple[Tiling, RowsTilingData]:
    tiling = ops.tiling("Softmax", [shape, shape], ["float32"] * 2, chip, {})
    return tiling, RowsTilingData.from_buffer_copy(tiling.data)


def test_a_quarter_as_many_rows_as_cores_are_spread(row_ops: GeneratedOps) -> None:
    for cores in (4, 7, 40, 48):
        chip = Chip(cores, 72 * 1024) if cores in (4, 7) else Chip(cores)
        for rows in (1, cores // 4, cores // 4 + 1, cores):
            tiling, data = softmax(row_ops, [rows, 1 << 20], chip)
            parts = data.groupCount * data.partCount
            assert data.groupCount == rows
            if rows > cores // 4:
                assert (tiling.key, tiling.workspace, tiling.blocks) == (1, 0, rows)
                continue
            assert (tiling.key, data.keptElements) == (SPREAD, 0)
            assert 1 < tiling.blocks <= cores
            assert (tiling.blocks - 1) * data.partsPerBlock < parts <= tiling.blocks * data.partsPerBlock
            assert tiling.workspace == SYSTEM_BYTES + 2 * parts * 32  # the largest, and the sum of exponentials


def test_short_rows_stay_on_one_core(row_ops: GeneratedOps) -> None:
    """Waiting for other cores takes longer than the parts of a row of which a core keeps all in UB."""
    keys = [softmax(row_ops, [1, length])[0].key for length in range(1000, 200_000, 1000)]
    assert keys == sorted(keys)
    assert set(keys) == {0, 1, SPREAD}
    kept = [softmax(row_ops, [1, length])[1].keptElements for length in (30_000, 200_000)]
    assert kept[0] > 0
    assert kept[1] == 0
    for empty in ([0, 1 << 20], [1, 0], [0, 0]):
        assert softmax(row_ops, empty)[0].key != SPREAD


def test_a_row_that_one_core_would_keep(row_ops: GeneratedOps) -> None:
    """The passes over a row in UB give the same bits as those that read it again."""
    case, checked = of_float32(row_ops, "RmsNorm"), 0
    for length in range(15_000, 45_000, 5_003):
        inputs = row_inputs(row_ops, *case, (1,), length)
        shapes = [*(list(t.shape) for t in inputs), [1, length]]
        alone = row_ops.tiling(case[0], shapes, case[1], Chip(1), {})
        if RowsTilingData.from_buffer_copy(alone.data).keptElements > 0:
            checked += same_bits(row_ops, case, inputs, Chip(1), [WHOLE])
    assert checked > 0


def test_parts_depend_on_the_length_alone(row_ops: GeneratedOps) -> None:
    for length in (30_000, 65_537, 100_003, (1 << 20) + 3):
        found = [softmax(row_ops, [rows, length], chip)[1] for rows in (1, 12, 13, 100) for chip in (Chip(1), WHOLE)]
        assert len({(data.tileElements, data.tileRows, data.tileColumns, data.partCount) for data in found}) == 1


KERNEL, MATH = "softmax_kernel.h", "opforge/row_math.h"
# What an author of such a kernel may get wrong: the file, the right text, the wrong one, and part of the refusal. Where
# nothing is refused, the bits differ from those of a core alone.
MISTAKES = {
    "no_wait_for_other_cores": (KERNEL, "AscendC::SyncAll()", "AscendC::PipeBarrier<PIPE_ALL>()", "SyncAll"),
    "the_slot_of_another_pass": (KERNEL, "StoreTotals(1, 1,", "StoreTotals(0, 1,", "workspace"),
    "the_place_of_another_part": (KERNEL, "+ part) * tiling->partialFloats", "+ part / 2) * 8", "workspace"),
    "a_block_of_another_core": (KERNEL, "AscendC::GetBlockIdx()", "0", "that block"),
    "another_order": (MATH, "blocks[part * pitch]", "blocks[(copy.blockCount - part) * pitch]", ""),
    "one_part_less": (MATH, "part < copy.blockCount", "part + 1 < copy.blockCount", ""),
    "stored_too_early": (KERNEL, "HardEvent::V_MTE3", "HardEvent::MTE3_V", "DataCopyPad"),
    "overwritten_too_early": (KERNEL, "HardEvent::MTE3_V", "HardEvent::V_MTE3", "Reduce"),
    "copied_too_early": (MATH, "AscendC::PipeBarrier<PIPE_ALL>();  //", "//", "DataCopyPad"),
    "combined_too_early": (MATH, "WaitFor<AscendC::HardEvent::MTE2_V>", "WaitFor<AscendC::HardEvent::V_MTE3>", "Muls"),
}


FEW = 3  # each compiles a kernel


@pytest.mark.parametrize(
    "mistake", [*list(MISTAKES)[:FEW], *(pytest.param(each, marks=pytest.mark.slow) for each in list(MISTAKES)[FEW:])]
)
def test_mistakes_are_caught(row_ops: GeneratedOps, tmp_path: Path, mistake: str) -> None:
    file, right, wrong, said = MISTAKES[mistake]
    case = of_float32(row_ops, "Softmax")
    inputs = row_inputs(row_ops, *case, (1,), 31 * tile_of(row_ops, *case, ALONE))
    broken = row_ops.with_mistake(tmp_path, file, {right: wrong})
    shapes = [list(inputs[0].shape)] * 2
    chip = SEVERAL[0]  # with several parts for each core
    assert row_ops.tiling(case[0], shapes, case[1], chip, {}).key == SPREAD
    if said:
        with pytest.raises(harness.LaunchError, match=said):
            broken.run("Softmax", inputs, chip, {}, case[1])
        return
    (alone,) = row_ops.run("Softmax", inputs, ALONE, {}, case[1])
    (found,) = broken.run("Softmax", inputs, chip, {}, case[1])
    assert not torch.equal(found, alone)
