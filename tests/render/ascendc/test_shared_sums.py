"""Kernels of products whose cores share sums: every size and kind of operand, the same bits, and mistakes seen."""

from __future__ import annotations

import ctypes
import re
from collections.abc import Sequence
from pathlib import Path

import pytest
import torch
from generated_ops import ALL, ROOT, SHARED_SUM_CHIPS, SYSTEM_BYTES, Chip, GeneratedOps, Tiling, harness
from test_matmul_host import Cube
from test_matmul_kernels import check, tensor

from opforge.kinds.products.plan import PART_BUFFERS

pytestmark = [pytest.mark.compiler, pytest.mark.torch]

WHOLE = Chip(48)
ALONE, PARTS = 0, 2  # tiling keys
LINE = {"float16": 256, "bfloat16": 256, "float32": 128}  # elements of K at whose multiples parts begin


class TilingData(ctypes.Structure):
    """The generated struct, as a C compiler lays it out."""

    _fields_ = (
        ("cube", Cube),
        ("rowCount", ctypes.c_int64),
        ("innerCount", ctypes.c_int64),
        ("columnCount", ctypes.c_int64),
        ("tileCount", ctypes.c_int64),
        ("columnTiles", ctypes.c_int64),
        ("tileRows", ctypes.c_uint32),
        ("tileColumns", ctypes.c_uint32),
        ("tileGroup", ctypes.c_uint32),
        ("partCount", ctypes.c_int64),
        ("partInner", ctypes.c_int64),
        ("partElements", ctypes.c_int64),
        ("addElements", ctypes.c_int64),
    )


def tiling_of(ops: GeneratedOps, sizes: Sequence[int], dtype: str, chip: Chip) -> tuple[Tiling, TilingData]:
    m, k, n = sizes
    tiling = ops.tiling("SharedPlainMatmul", [[m, k], [k, n], [m, n]], [dtype] * 3, chip, {})
    return tiling, TilingData.from_buffer_copy(tiling.data)


def check_sizes(ops: GeneratedOps, sizes: Sequence[int], dtype: str, chip: Chip = WHOLE) -> int:
    """Both ops at these sizes. Returns the parts of K."""
    m, k, n = sizes
    check(ops, "SharedPlainMatmul", [[m, k], [k, n]], dtype, chip)
    check(ops, "SharedTwoProducts", [[k, m], [n, k], [n, k]], dtype, chip)
    tiling, data = tiling_of(ops, sizes, dtype, chip)
    assert (data.partCount > 1) == (tiling.key == PARTS) == tiling.together
    return int(data.partCount)


@pytest.mark.parametrize("dtype", ALL)
def test_sizes_around_tiles_and_parts(shared_sum_ops: GeneratedOps, dtype: str) -> None:
    """One row or column, a tile, one less, one more, primes; K that the parts do not divide."""
    line = LINE[dtype]
    inner = 16 * line
    for m, n in ((1, 129), (16, 64), (17, 31), (127, 48), (128, 255), (129, 257), (13, 61)):
        assert check_sizes(shared_sum_ops, (m, inner + 1, n), dtype) > 1, (m, n)
    assert check_sizes(shared_sum_ops, (1, 120_011, 1), dtype) > 1
    for k in (inner - 1, inner, 12 * line + 1, 4099, 7919):
        assert check_sizes(shared_sum_ops, (5, k, 33), dtype) > 1, k


@pytest.mark.parametrize("dtype", ALL)
def test_short_sums_and_none(shared_sum_ops: GeneratedOps, dtype: str) -> None:
    for m, k, n in ((1, 1, 1), (5, 19, 7), (129, 1, 257), (16, 256, 64), (5, 0, 7), (0, 5000, 7), (5, 5000, 0)):
        assert check_sizes(shared_sum_ops, (m, k, n), dtype) == 1, (m, k, n)


def test_a_wide_result_of_narrow_operands(shared_sum_ops: GeneratedOps) -> None:
    check(shared_sum_ops, "SharedWideProduct", [[3, 5003], [5003, 70]], "bfloat16", WHOLE)


def test_other_chips(shared_sum_ops: GeneratedOps) -> None:
    """Few cubes, and vector cores whose buffers hold few parts, or not all of their share."""
    chips = (Chip(2), Chip(4, 72 * 1024), Chip(6, 20 * 1024))
    assert [check_sizes(shared_sum_ops, (16, 8192, 64), "float16", chip) for chip in chips] == [1, 2, 3]
    assert check_sizes(shared_sum_ops, (16, 16384, 64), "float16", WHOLE) > 20
    assert 1 < check_sizes(shared_sum_ops, (16, 16384, 64), "float16", *SHARED_SUM_CHIPS) < 20
    assert check_sizes(shared_sum_ops, (64, 4099, 515), "float16", *SHARED_SUM_CHIPS) > 1
    _, data = tiling_of(shared_sum_ops, (64, 4099, 515), "float16", *SHARED_SUM_CHIPS)
    assert data.rowCount * data.columnCount > 48 * data.addElements


def test_rows_beyond_what_a_load_can_say(shared_sum_ops: GeneratedOps) -> None:
    check(shared_sum_ops, "SharedPlainMatmul", [[2, 65539], [65539, 3]], "float16", WHOLE)
    check(shared_sum_ops, "SharedTwoProducts", [[65539, 2], [3, 65539], [3, 65539]], "float16", WHOLE)


def test_parts_cover_k_once(shared_sum_ops: GeneratedOps) -> None:
    """And every core that works has one part of one tile."""
    for m, k, n in ((16, 16384, 64), (128, 30720, 64), (100, 5000, 130), (512, 16384, 512), (1, 999_983, 1)):
        tiling, data = tiling_of(shared_sum_ops, (m, k, n), "float16", WHOLE)
        assert data.partCount > 1
        assert (data.partCount - 1) * data.partInner < k <= data.partCount * data.partInner
        assert data.partInner % LINE["float16"] == 0
        assert tiling.blocks == data.tileCount * data.partCount <= WHOLE.cubes
        assert data.partElements >= m * n
        assert tiling.workspace == SYSTEM_BYTES + data.partCount * data.partElements * 4


def test_sums_are_shared_where_that_is_faster(shared_sum_ops: GeneratedOps) -> None:
    """Few tiles and a long K; many tiles, or a short K, keep a core for each tile, and so does bandwidth alone."""
    shared = ((16, 16384, 64), (128, 30720, 64), (16, 2048, 64), (256, 4096, 256), (512, 16384, 512))
    alone = ((16, 256, 64), (1024, 2048, 1024), (4096, 1024, 128), (300, 2048, 16), (300, 16384, 16))
    for sizes, key in (*((each, PARTS) for each in shared), *((each, ALONE) for each in alone)):
        assert tiling_of(shared_sum_ops, sizes, "float16", WHOLE)[0].key == key, sizes


def test_enormous_sizes_do_not_overflow(shared_sum_ops: GeneratedOps) -> None:
    most = 2**31 - 1
    assert tiling_of(shared_sum_ops, (1, most, 1), "float32", WHOLE)[0].key == PARTS
    assert tiling_of(shared_sum_ops, (1536, most, 256), "float32", WHOLE)[1].partCount >= 1
    assert tiling_of(shared_sum_ops, (most, most, most), "float32", WHOLE)[0].key == ALONE


def test_the_same_shapes_give_the_same_bits(shared_sum_ops: GeneratedOps) -> None:
    """Whatever the order is in which the cores come to run."""
    for dtype in ALL:
        inputs = [tensor([29, 5003], dtype, 1), tensor([5003, 70], dtype, 2)]
        first, *others = (shared_sum_ops.run_products("SharedPlainMatmul", inputs, WHOLE, {})[0] for _ in range(4))
        assert all(torch.equal(first, other) for other in others)


def test_shared_sums_are_not_less_precise(shared_sum_ops: GeneratedOps, matmul_ops: GeneratedOps) -> None:
    """Sums in halves round less than one sum after the other."""
    inputs = [tensor([16, 16384], "float32", 1), tensor([16384, 64], "float32", 2)]
    wanted = inputs[0].double() @ inputs[1].double()
    errors = [
        (ops.run_products(name, inputs, WHOLE, {})[0].double() - wanted).square().mean()
        for ops, name in ((shared_sum_ops, "SharedPlainMatmul"), (matmul_ops, "PlainMatmul"))
    ]
    assert errors[0] <= errors[1]


def test_batches_keep_their_bits_without_the_key(matmul_ops: GeneratedOps, shared_sum_ops: GeneratedOps) -> None:
    """A row alone and in a batch; with the key, the same rows differ somewhere, so that the comparison sees it."""
    inputs = [tensor([600, 8192], "float32", 1), tensor([8192, 64], "float32", 2)]
    few = [inputs[0][:3].contiguous(), inputs[1]]
    for ops, name, same in ((matmul_ops, "PlainMatmul", True), (shared_sum_ops, "SharedPlainMatmul", False)):
        all_rows, alone = (ops.run_products(name, each, WHOLE, {})[0] for each in (inputs, few))
        assert torch.equal(all_rows[:3], alone) == same, name


BUFFERS = {
    "parts/inner_split.h": "kAddBuffers",
    "parts/product_parts.h": "kBuffers",
    "fused/summed_queue.h": "kPartBuffers",
}
MISTAKES = {
    "a part of K twice": {"part * tiling->partInner;": "(part > 0 ? part - 1 : 0) * tiling->partInner;"},
    "the last part as long as the others": {
        "Least(tiling->innerCount - inner, tiling->partInner)": "tiling->partInner"
    },
    "a part left out": {"uint32_t rows = tiling->partCount;": "uint32_t rows = tiling->partCount - 1;"},
    "the odd row left out": {"kept = (rows + 1) / 2": "kept = rows / 2", "rows = (rows + 1) / 2": "rows = rows / 2"},
    "two parts in one place": {"+ part) * tiling": "+ part / 2 * 2) * tiling"},
}


@pytest.mark.slow
@pytest.mark.parametrize("mistake", MISTAKES)
def test_wrong_sums_are_seen(shared_sum_ops: GeneratedOps, tmp_path: Path, mistake: str) -> None:
    wrong = shared_sum_ops.with_mistake(tmp_path, "opforge/product_parts.h", MISTAKES[mistake], once=True)
    with pytest.raises((AssertionError, harness.LaunchError)):
        check(wrong, "SharedPlainMatmul", [[16, 5003], [5003, 64]], "float32", WHOLE)


def test_the_plan_the_tiling_and_the_kernels_have_one_number_of_buffers() -> None:
    """Each has a language of its own, so the number stands in each."""
    forms = ROOT / "templates/code/ascendc/kinds/products"
    found = {
        name: re.findall(rf"constexpr \w+ {constant} = (\d+);", (forms / name).read_text())
        for name, constant in BUFFERS.items()
    }
    assert found == {name: [str(PART_BUFFERS)] for name in BUFFERS}


WAITS = {
    "without its own cube core": "    AscendC::CrossCoreWaitFlag(kMultiplied);\n",
    "without the other cube cores": "    AscendC::SyncAll();\n",
}


@pytest.mark.parametrize("missing", WAITS)
def test_adding_before_the_parts_are_there_is_refused(
    shared_sum_ops: GeneratedOps, tmp_path: Path, missing: str
) -> None:
    wrong = shared_sum_ops.with_mistake(tmp_path, "opforge/product_parts.h", {WAITS[missing]: ""}, once=True)
    with pytest.raises(harness.LaunchError, match="SyncAll, or CrossCoreSetFlag and CrossCoreWaitFlag"):
        check(wrong, "SharedPlainMatmul", [[16, 5003], [5003, 64]], "float32", WHOLE)
