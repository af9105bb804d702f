"""Copies between rows and fractals, slices, padding by a register, against NumPy's indexing."""

from __future__ import annotations

import struct
from pathlib import Path

import numpy as np
import pytest
from harness import SOURCES, Array, Kernel, LaunchError, aligned, compile_kernel, run
from marked_cases import MarkedCases

pytestmark = pytest.mark.compiler

CASES = MarkedCases(SOURCES / "copies.cpp")
COUNT = 512
DTYPES = {"float32": np.float32, "float16": np.float16, "int32": np.int32}
# ruff: noqa: E501, RUF001 - the messages stand as they are printed
SLICE = "[基础API/Memory矢量计算/数据搬运/DataCopy（GM与UB切片数据搬运）]"
# fmt: off
WRONG = {
    "slice_of_no_dims": f"DataCopy: dimValue is 0\n  rule: a slice has 1 to 8 dims, and burstLen is 1 in all but the first {SLICE}",
    "slice_of_long_rows": f"DataCopy: burstLen of dim 1 is 2 and 2\n  rule: a slice has 1 to 8 dims, and burstLen is 1 in all but the first {SLICE}",
    "slice_of_other_lengths": f"DataCopy: burstLen is 1 and 2\n  rule: both sides of a slice have as many pieces of one length {SLICE}",
    "slice_of_more_pieces": f"DataCopy: 2 pieces of the local tensor, 3 of the global one\n  rule: both sides of a slice have as many pieces of one length {SLICE}",
    "slice_behind_its_dim": f"DataCopy: dim 0 goes from 8 to 15 of 15, in pieces of 8 with 0 between them\n  rule: a slice begins inside its dim, ends in it, and is whole pieces with their gaps {SLICE}",
    "rows_of_odd_width": "DataCopy: ndNum is 1, nValue 2, dValue 17, srcNdMatrixStride 1, srcNStride 2, dstDStride 32, dstNdMatrixStride 1\n  rule: ndNum is at most 4095, nValue and dValue 1 to 8192, dValue a multiple of 16, srcNdMatrixStride 1 to 512, srcNStride at most 4096, dstDStride and dstNdMatrixStride at least 1 [基础API/Memory矢量计算/数据搬运/DataCopy（UBToGM随路转换NZ2ND搬运）]",
    "rows_never_written": "DataCopy: row 0, column 0 of matrix 0 has bytes that were never written\n  rule: what is written to global memory must have been computed or copied before [基础API/资源管理/TQue/AllocTensor]",
    "enhanced": "DataCopy: blockMode, deqScale, isRelu or padMode is another\n  rule: transfers change no data on their way: DataCopyEnhancedParams has its default values [基础API/Memory矢量计算/数据搬运/DataCopy（GM与UB高维切分数据搬运）]",
    "columns_without_a_row": "DataCopy: ndNum is 1, nValue 2, srcDValue 0, dstNzC0Stride 2, dstNzNStride 1, dstNzMatrixStride 0\n  rule: ndNum is at most 4095, nValue at most 16384, srcDValue at least 1, dstNzC0Stride and dstNzNStride 1 to 16384, dstNzMatrixStride at most 16384 [基础API/矩阵计算（ISASI）/矩阵计算的搬入/DataCopy（GMToL1随路转换-ND2NZ搬运）]",
}
# fmt: on


def rows_to_columns(x: Array) -> Array:
    """Matrices 100 elements apart, rows 24; columns of 32 bytes 4 blocks apart, matrices 16 blocks."""
    per = 32 // x.itemsize
    z = np.zeros(COUNT, x.dtype)
    for m in range(2):
        for row in range(3):
            for start in range(0, 19, per):
                piece = x[m * 100 + row * 24 + start :][: min(per, 19 - start)]
                to = m * 16 * per + (start // per * 4 + row) * per
                z[to : to + len(piece)] = piece
    return z


def columns_to_rows(x: Array) -> Array:
    z = np.full(COUNT, 99, x.dtype)
    for m in range(2):
        for row in range(3):
            for column in range(32):
                z[m * 150 + row * 40 + column] = x[m * 256 + column // 16 * 64 + row * 16 + column % 16]
    return z


def slices(x: Array) -> Array:
    """Rows 0 and 2 of 87, of each 24 elements from 16 and from 47; into rows 0 and 3 of 64."""
    z = np.full(COUNT, 99, x.dtype)
    for row, to in ((0, 0), (2, 3)):
        for piece in range(2):
            z[to * 64 + 1 + 31 * piece :][:24] = x[row * 87 + 16 + 31 * piece :][:24]
    return z


@pytest.fixture(scope="module")
def kernels(root: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Kernel]:
    folder = tmp_path_factory.mktemp("copies")
    return {d: compile_kernel(root, CASES.source, "copies", {"x": d}, {"z": d}, folder / d) for d in DTYPES}


def launch(kernels: dict[str, Kernel], dtype: str, case: str, *, checks: bool = True) -> tuple[Array, Array]:
    x, z = aligned(COUNT, DTYPES[dtype]), aligned(COUNT, DTYPES[dtype])
    x[:] = np.arange(COUNT)
    z[:] = 99
    run(kernels[dtype], [x], [z], tiling=struct.pack("<I", COUNT), tiling_key=CASES.key(case), checks=checks)
    return x, z


def test_every_case_is_tested() -> None:
    assert CASES.wrong == list(WRONG)


@pytest.mark.parametrize("case", WRONG)
def test_refused(kernels: dict[str, Kernel], case: str) -> None:
    with pytest.raises(LaunchError) as refused:
        launch(kernels, "float32", case)
    assert refused.value.report == f"Copies: block 0 of 1: {CASES.here(case)}: {WRONG[case]}"


@pytest.mark.parametrize("checks", [True, False])
@pytest.mark.parametrize("dtype", DTYPES)
def test_between_rows_and_fractals(kernels: dict[str, Kernel], dtype: str, *, checks: bool) -> None:
    x, z = launch(kernels, dtype, "ok_rows_to_columns", checks=checks)
    assert (z == rows_to_columns(x)).all()
    x, z = launch(kernels, dtype, "ok_columns_to_rows", checks=checks)
    assert (z == columns_to_rows(x)).all()


@pytest.mark.parametrize("checks", [True, False])
def test_slices(kernels: dict[str, Kernel], *, checks: bool) -> None:
    x, z = launch(kernels, "float32", "ok_slices", checks=checks)
    assert (z == slices(x)).all()


@pytest.mark.parametrize("dtype", DTYPES)
def test_padding_by_a_register(kernels: dict[str, Kernel], dtype: str) -> None:
    per = 32 // np.dtype(DTYPES[dtype]).itemsize
    _, z = launch(kernels, dtype, "ok_pad_value")
    assert z[:per].tolist() == [5, 0, 1, 2] + [5] * (per - 4)
    assert (z[per:] == 99).all()


@pytest.mark.parametrize("dtype", DTYPES)
def test_enhanced_by_nothing(kernels: dict[str, Kernel], dtype: str) -> None:
    per = 32 // np.dtype(DTYPES[dtype]).itemsize
    x, z = launch(kernels, dtype, "ok_enhanced_by_nothing")
    assert z[: 2 * per].tolist() == [*x[:per], *x[2 * per : 3 * per]]


NARROW = """#include "kernel_operator.h"
using namespace AscendC;
extern "C" __global__ __aicore__ void narrow(GM_ADDR x, GM_ADDR z, GM_ADDR workspace, GM_ADDR tiling) {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
    TPipe pipe;
    TBuf<TPosition::VECCALC> buffer;
    pipe.InitBuffer(buffer, 64);
    GlobalTensor<int4b_t> from, to;
    from.SetGlobalBuffer(reinterpret_cast<__gm__ int4b_t*>(x));
    to.SetGlobalBuffer(reinterpret_cast<__gm__ int4b_t*>(z));
    LocalTensor<int4b_t> pairs = buffer.Get<int4b_t>();
    DataCopyPad(pairs, from, {1, 21, 0, 0}, {false, 0, 0, 0});
    PipeBarrier<PIPE_ALL>();
    DataCopyPad(to, pairs, {1, 21, 0, 0});
    PipeBarrier<PIPE_ALL>();
    const bfloat16_t third = *reinterpret_cast<__gm__ bfloat16_t*>(x + 62);
    const float wide = third;  // without a cast
    GlobalTensor<float> last;
    last.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(z));
    last.SetValue(15, wide);
}
"""


def test_pairs_of_four_bits_go_by_bytes_and_bfloat16_is_a_float(root: Path, tmp_path: Path) -> None:
    kernel = compile_kernel(root, NARROW, "narrow", {"x": "int8"}, {"z": "int8"}, tmp_path)
    x, z = aligned(64, np.int8), aligned(64, np.int8)
    x[:] = np.arange(64) - 20
    x[62:] = np.frombuffer(struct.pack("<f", 1.5)[2:], np.int8)
    run(kernel, [x], [z])
    assert (z[:21] == x[:21]).all()
    assert not z[21:60].any()
    assert z[60:].view(np.float32)[0] == 1.5
