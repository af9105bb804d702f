"""Generated op_host: inference with unknown shapes, tiling numbers for shapes too large to allocate, and refusals."""

from __future__ import annotations

import ctypes
import math
import random

import pytest
import torch
from generated_ops import ALL, CHIPS, Chip, GeneratedOps, TilingRefusedError

from opforge.dtypes import DTYPES

pytestmark = [pytest.mark.compiler, pytest.mark.torch]

WHOLE = Chip(48)


class VectorAddTilingData(ctypes.Structure):
    """The generated struct, as a C compiler lays it out."""

    _fields_ = (
        ("totalElements", ctypes.c_int64),
        ("tileElements", ctypes.c_uint32),
        ("tileRows", ctypes.c_uint32),
        ("tileColumns", ctypes.c_uint32),
        ("bypassL2", ctypes.c_uint32),
        ("elementsPerBlock", ctypes.c_int64),
        ("tileCount", ctypes.c_int64),
        ("tilesPerBlock", ctypes.c_int64),
        ("rowTiles", ctypes.c_int64),
        ("columnTiles", ctypes.c_int64),
        ("outputShape", ctypes.c_int64 * 8),
        ("xStrides", ctypes.c_int64 * 8),
        ("yStrides", ctypes.c_int64 * 8),
    )


def add(ops: GeneratedOps, x: tuple[int, ...], y: tuple[int, ...], chip: Chip = WHOLE, dtype: str = "float32"):
    """VectorAdd's tiling: the struct, the tiling key and the block dim."""
    shape = torch.broadcast_shapes(x, y)
    tiling = ops.tiling("VectorAdd", [x, y, shape], [dtype] * 3, chip, {})
    assert len(tiling.data) == ctypes.sizeof(VectorAddTilingData)
    return VectorAddTilingData.from_buffer_copy(tiling.data), tiling.key, tiling.blocks


@pytest.mark.parametrize(
    ("shapes", "inferred"),
    [
        (([], []), []),
        (([5], [5]), [5]),
        (([5], []), [5]),
        (([1], [7]), [7]),
        (([2, 1, 3], [4, 1]), [2, 4, 3]),
        (([0], [1]), [0]),
        (([-1], [-1]), [-1]),
        (([-1], [1]), [-1]),
        (([1], [-1]), [-1]),
        (([-1], [4]), [4]),
        (([4], [-1]), [4]),
        (([-1, 3], [2, 1]), [2, 3]),
        (([8, -1], [-1]), [8, -1]),
        (([-1, 1, 5], [6, 1]), [-1, 6, 5]),
        (([-2], [3, 4]), [-2]),
        (([3, 4], [-2]), [-2]),
        (([-2], [-2]), [-2]),
        (([1 << 33, 1], [1, 3]), [1 << 33, 3]),
    ],
)
def test_inferred_shape(ops, shapes, inferred):
    assert ops.infer_shape("VectorAdd", shapes) == [inferred]
    assert ops.infer_shape("Extremes", shapes) == [inferred, inferred]


def test_shapes_that_do_not_broadcast_are_refused(ops, capfd):
    with pytest.raises(TilingRefusedError):
        ops.infer_shape("VectorAdd", ([2, 3], [4]))
    assert capfd.readouterr().err == "[ERROR] VectorAdd: input 1 of shape [4] does not broadcast with [2, 3]\n"
    with pytest.raises(TilingRefusedError):
        ops.tiling("VectorAdd", [[2, 3], [4], [2, 3]], ["float32"] * 3, WHOLE, {})
    assert capfd.readouterr().err == "[ERROR] VectorAdd: input 1 of shape [4] does not broadcast with [2, 3]\n"


def test_inferred_dtypes(ops, typed_ops):
    for dtype in ALL:
        assert ops.infer_dtype("Extremes", [dtype, dtype]) == [DTYPES[dtype].acl] * 2
    assert typed_ops.infer_dtype("Mixed", ["float16", "float32"]) == [DTYPES["float32"].acl]
    assert typed_ops.infer_dtype("Mixed", ["float32", "bfloat16"]) == [DTYPES["bfloat16"].acl]


def test_tiling_refusals(ops, capfd):
    cases = [
        (([3], [3], [4]), ["float32"] * 3, WHOLE, "output 0 must have the shape [3] that its inputs give"),
        (([3], [3], [3]), ["float16", "float32", "float32"], WHOLE, "this combination of types has no kernel"),
        (
            ([3], [3], [3]),
            ["float32"] * 3,
            Chip(2, 2048),
            "a tile of 256 elements at 24 bytes does not fit: 1792 bytes of UB, 2 cores",
        ),
    ]
    for shapes, dtypes, chip, message in cases:
        with pytest.raises(TilingRefusedError):
            ops.tiling("VectorAdd", shapes, dtypes, chip, {})
        assert capfd.readouterr().err == f"[ERROR] VectorAdd: {message}\n"


def test_an_attribute_beyond_int32_is_refused(typed_ops, capfd):
    shapes, dtypes = [[3]] * 6, ["int32"] * 4 + ["float32", "int64"]
    for count in (-(2**31), 2**31 - 1):
        typed_ops.tiling("Whole", shapes, dtypes, WHOLE, {"count": count})
    for count in (-(2**31) - 1, 2**31, 2**40):
        with pytest.raises(TilingRefusedError):
            typed_ops.tiling("Whole", shapes, dtypes, WHOLE, {"count": count})
        assert capfd.readouterr().err == "[ERROR] Whole: attribute count does not fit int32\n"


def test_flat_split(ops):
    """Whole cache lines, every element once, at most as many blocks as cores, and at least one."""
    for dtype in ALL:
        line = 512 // DTYPES[dtype].size
        for chip in (WHOLE, Chip(40), Chip(1), Chip(3)):
            for size in (0, 1, line - 1, line, line + 1, 48 * line, 48 * line + 1, 1000003, (1 << 40) + 7):
                data, key, blocks = add(ops, (size,), (size,), chip, dtype)
                assert (key, data.totalElements) == (0, size)
                assert data.elementsPerBlock % line == 0 or size == 0
                assert 1 <= blocks <= chip.cores
                assert (blocks - 1) * data.elementsPerBlock < max(size, 1)
                assert blocks * data.elementsPerBlock >= size
                assert data.tileElements == ops.tile_elements("VectorAdd", dtype)


def test_dimensions_collapse(ops):
    data, key, _ = add(ops, (4, 1, 6, 5, 7), (4, 3, 1, 5, 7))
    assert key == 1
    assert list(data.outputShape) == [35, 6, 3, 4, 1, 1, 1, 1]
    assert list(data.xStrides) == [1, 35, 0, 210, 0, 0, 0, 0]
    assert list(data.yStrides) == [1, 0, 35, 105, 0, 0, 0, 0]
    for x, y in (((1, 5, 1), (5, 1)), ((2, 3, 4), (2, 3, 4)), ((1, 1), ()), ((3, 0), (3, 1))):
        assert add(ops, x, y)[1] == 0, (x, y)
    data, key, _ = add(ops, (2, 1, 2, 1, 2, 1, 2, 1), (1, 3, 1, 3, 1, 3, 1, 3))
    assert list(data.outputShape) == [3, 2, 3, 2, 3, 2, 3, 2]


def test_broadcast_split(ops):
    """Tiles cover the output, fit the buffers and DataCopyPad's limits, and keep all cores busy where they can."""
    chance = random.Random(3)
    shapes = [
        tuple(chance.choice((1, 2, 3, 31, 100, 4096, 70001)) for _ in range(chance.randint(1, 4))) for _ in range(300)
    ]
    shapes += [(1 << 34, 3), (5, 1 << 34), (1 << 20, 1 << 20)]
    for shape in shapes:
        other = tuple(1 if chance.random() < 0.5 else d for d in shape)
        for chip in CHIPS[:-1]:
            data, key, blocks = add(ops, shape, other, chip, "float16")
            if key == 0:
                assert shape == other or math.prod(shape) == 1
                continue
            columns, rows, *outer = data.outputShape
            assert 1 <= data.tileRows <= min(rows, 4095)
            assert 1 <= data.tileColumns <= columns
            repeats = [(strides[0] == 0) != (strides[1] == 0) for strides in (data.xStrides, data.yStrides)]
            parts = columns % 16 == 0 and any(repeats)
            assert data.tileRows == 1 or data.tileColumns == columns or parts
            assert data.tileRows * -(-data.tileColumns // 16) * 16 <= data.tileElements or data.tileRows == 1
            assert data.tileColumns <= data.tileElements
            assert data.rowTiles == -(-rows // data.tileRows)
            assert data.columnTiles == -(-columns // data.tileColumns)
            assert data.tileCount == data.rowTiles * data.columnTiles * math.prod(outer)
            assert 1 <= blocks <= chip.cores
            assert (blocks - 1) * data.tilesPerBlock < data.tileCount <= blocks * data.tilesPerBlock
            if math.prod(shape) >= 256 * chip.cores * columns:
                assert data.tileCount >= chip.cores


@pytest.mark.parametrize(
    ("columns", "rows", "other", "parts"),
    [
        (5120, 2048, (5120,), True),
        (11008, 2048, (11008,), True),
        (11008, 2048, (2048, 11008), False),  # nothing is broadcast
        (11008, 2048, (2048, 1), True),  # the same for all columns: each tile waits for its elements
        (11007, 2048, (11007,), False),  # rows that do not start at whole blocks
        (4096, 2048, (4096,), False),  # two whole rows share a read
        (256, 2048, (256,), False),
    ],
)
def test_a_tile_has_parts_of_many_rows_if_each_tile_reads_a_row_again(ops, columns, rows, other, parts):
    """Each tile reads the row once: with whole rows of 11008 elements, that is as often as x itself."""
    data, key, blocks = add(ops, (rows, columns), other, WHOLE, "float16")
    assert blocks >= 47
    if parts:
        assert data.tileRows >= 12, (data.tileRows, data.tileColumns, data.tileCount, blocks)
        assert data.tileColumns % 256 == 0
        assert data.tileRows * data.tileColumns >= 0.7 * data.tileElements
    elif key == 1:
        assert data.tileColumns == min(columns, data.tileElements)
    few, _, _ = add(ops, (2, columns), other[-1:], Chip(1), "float16")
    assert few.tileRows * few.tileColumns >= 0.5 * min(few.tileElements, 2 * columns)


def test_attributes_reach_the_tiling_data(ops):
    tiling = ops.tiling("Bounds", [[3], [3]], ["float32"] * 2, WHOLE, {"alpha": 0.1, "count": -3})
    fields = VectorAddTilingData.bypassL2.offset + 4
    assert ctypes.c_float.from_buffer_copy(tiling.data, fields).value == pytest.approx(0.1)
    assert ctypes.c_float.from_buffer_copy(tiling.data, fields + 4).value == -3.0
