"""DataCopy and DataCopyPad: blocks, strides and padding, byte for byte."""

from __future__ import annotations

import struct
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
from api_rows import ApiFunction
from harness import Array, Kernel, LaunchError, compile_kernel, run

pytestmark = pytest.mark.compiler

SOURCE = """
#include "kernel_operator.h"
using namespace AscendC;

struct CopyTiling {
    uint32_t kind, count, len, srcStride, dstStride, isPad, left, right, outCount, outLen, outSrc, outDst;
};

template <typename T>
__aicore__ inline void Copied(LocalTensor<T> ub, GM_ADDR x, GM_ADDR y, const CopyTiling& d) {
    GlobalTensor<T> in, out;
    in.SetGlobalBuffer((__gm__ T*)x);
    out.SetGlobalBuffer((__gm__ T*)y);
    if (d.kind == 0) {
        DataCopy(ub, in, d.len / sizeof(T));
    } else if (d.kind == 1) {
        DataCopy(ub, in, DataCopyParams(d.count, d.len, d.srcStride, d.dstStride));
    } else if (d.kind == 2) {
        DataCopyPad(ub, in, DataCopyExtParams{(uint16_t)d.count, d.len, d.srcStride, d.dstStride, 0},
                    DataCopyPadExtParams<T>{d.isPad != 0, (uint8_t)d.left, (uint8_t)d.right, T(7)});
    } else {
        DataCopyPad(ub, in, DataCopyParams(d.count, d.len, d.srcStride, d.dstStride),
                    DataCopyPadParams(d.isPad != 0, d.left, d.right, sim::ScalarBits(T(7))));
    }
    SetFlag<HardEvent::MTE2_MTE3>(EVENT_ID0);
    WaitFlag<HardEvent::MTE2_MTE3>(EVENT_ID0);
    if (d.kind == 0) {
        DataCopy(out, ub, d.outLen / sizeof(T));
    } else if (d.kind == 1) {
        DataCopy(out, ub, DataCopyParams(d.outCount, d.outLen, d.outSrc, d.outDst));
    } else if (d.kind == 2) {
        DataCopyPad(out, ub, DataCopyExtParams{(uint16_t)d.outCount, d.outLen, d.outSrc, d.outDst, 0});
    } else {
        DataCopyPad(out, ub, DataCopyParams(d.outCount, d.outLen, d.outSrc, d.outDst));
    }
}

extern "C" __global__ __aicore__ void copy(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling) {
    REGISTER_TILING_DEFAULT(CopyTiling);
    GET_TILING_DATA(d, tiling);
    TPipe pipe;
    TBuf<TPosition::VECIN> buffer;
    pipe.InitBuffer(buffer, 16384);
    LocalTensor<uint8_t> ub = buffer.Get<uint8_t>();
    KINDS
}
"""
RUN, BLOCKS, PAD, OLD_PAD = range(4)
BFLOAT16_OF_7 = 0x40E0
DTYPES = {
    "int8_t": np.int8, "uint8_t": np.uint8, "int16_t": np.int16, "uint16_t": np.uint16, "half": np.float16,
    "bfloat16_t": np.uint16, "int32_t": np.int32, "uint32_t": np.uint32, "float": np.float32, "int64_t": np.int64,
    "uint64_t": np.uint64, "double": np.float64,
}  # fmt: skip


@dataclass(frozen=True)
class Copies:
    """The kernel for one data type: its tiling key."""

    kernel: Kernel
    key: int


@pytest.fixture(scope="module")
def kernels(root: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Copies]:
    # LocalTensor<double> is the only place where device code may say double
    kinds = "\n    ".join(
        f"if (TILING_KEY_IS({key})) {{ Copied(ub.ReinterpretCast<{dtype}>(), x, y, d); }}"
        if dtype != "double"
        else f"if (TILING_KEY_IS({key})) {{ Copied(LocalTensor<double>(TPosition::VECIN, 0, 2048), x, y, d); }}"
        for key, dtype in enumerate(DTYPES)
    )
    folder = tmp_path_factory.mktemp("copy")
    source = SOURCE.replace("KINDS", kinds)
    kernel = compile_kernel(root, source, "copy", {"x": "float32"}, {"y": "float32"}, folder)
    return {dtype: Copies(kernel, key) for key, dtype in enumerate(DTYPES)}


def test_every_data_type_of_the_table_is_copied(api_table: tuple[ApiFunction, ...]) -> None:
    for row in api_table:
        if row.family == "copy" and row.name in {"DataCopy", "DataCopyPad"}:
            assert set(row.dtypes) == set(DTYPES)


def copied(copies: Copies, x: Array, out_elements: int, kind: int, **fields: int) -> Array:
    """What arrives in an output full of 99 when the copies are made with these parameters."""
    names = [
        "count",
        "len",
        "srcStride",
        "dstStride",
        "isPad",
        "left",
        "right",
        "outCount",
        "outLen",
        "outSrc",
        "outDst",
    ]
    values = {"count": 1, "outCount": 1, **fields}
    y = np.full(out_elements, 99, x.dtype)
    tiling = struct.pack("<12I", kind, *(values.get(name, 0) for name in names))
    run(copies.kernel, [x], [y], tiling=tiling, tiling_key=copies.key)
    return y


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("blocks", [1, 2, 3, 31, 127])
def test_blocks(kernels: dict[str, Copies], dtype: str, blocks: int) -> None:
    per = 32 // np.dtype(DTYPES[dtype]).itemsize
    x = (np.arange(blocks * per) % 100).astype(DTYPES[dtype])
    assert (copied(kernels[dtype], x, len(x), RUN, len=blocks * 32, outLen=blocks * 32) == x).all()
    # every second block, then with gaps of one block in the output
    rows = np.concatenate([x.reshape(blocks, per), np.zeros((blocks, per), x.dtype)], axis=1).ravel()
    y = copied(kernels[dtype], rows, 2 * len(x), BLOCKS, count=blocks, len=1, srcStride=1, dstStride=1,
               outCount=blocks, outLen=1, outSrc=1, outDst=1)  # fmt: skip
    assert (y.reshape(blocks, 2, per)[:, 0] == x.reshape(blocks, per)).all()
    assert (y.reshape(blocks, 2, per)[:-1, 1] == 99).all()


@pytest.mark.parametrize("kind", [PAD, OLD_PAD])
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("elements", [1, 3, 7, 8, 9, 31, 32, 33, 127, 997])
def test_padding(kernels: dict[str, Copies], kind: int, dtype: str, elements: int) -> None:
    """Rows of odd lengths there and back; not a byte beside them changes."""
    size = np.dtype(DTYPES[dtype]).itemsize
    per = 32 // size
    rows = 3 if elements < 200 else 1
    x = (np.arange(rows * (elements + 2)) % 90).astype(DTYPES[dtype])
    y = copied(kernels[dtype], x, rows * (elements + 1) + 1, kind, count=rows, len=elements * size, srcStride=2 * size,
               dstStride=1, outCount=rows, outLen=elements * size, outSrc=1, outDst=size)  # fmt: skip
    want = np.full(rows * (elements + 1) + 1, 99, x.dtype)
    for row in range(rows):
        want[row * (elements + 1) :][:elements] = x[row * (elements + 2) :][:elements]
    assert (y == want).all()
    # the whole padded row: nothing asked for completes with the first element, else with the value
    if elements % per:
        x = x[:elements].copy()
        x[0] = 5
        seven = BFLOAT16_OF_7 if dtype == "bfloat16_t" else 7
        padded = -(-elements // per) * per
        y = copied(kernels[dtype], x, padded, kind, len=elements * size, outLen=padded * size)
        assert y.tolist() == x.tolist() + [5] * (padded - elements)
        if size < 8:
            y = copied(kernels[dtype], x, padded, kind, len=elements * size, isPad=1, right=1, outLen=padded * size)
            assert y.tolist() == x.tolist() + [seven] * (padded - elements)


def test_left_padding_moves_the_row(kernels: dict[str, Copies]) -> None:
    x = np.arange(1, 6, dtype=np.float32)
    y = copied(kernels["float"], x, 8, PAD, len=20, isPad=1, left=2, right=1, outLen=32)
    assert y.tolist() == [7, 7, 1, 2, 3, 4, 5, 7]


def test_nothing_to_copy_is_nothing(kernels: dict[str, Copies]) -> None:
    x = np.ones(8, np.float32)
    for fields in ({"count": 0, "len": 32}, {"count": 1, "len": 0}):
        assert (copied(kernels["float"], x, 8, PAD, **fields) == 99).all()


@pytest.mark.parametrize(
    ("kind", "fields", "message"),
    [
        (RUN, {"len": 20}, "the length in bytes is 20\n  rule: DataCopy moves whole blocks of 32 bytes"),
        (BLOCKS, {"count": 4096, "len": 1}, "blockCount is 4096\n  rule: blockCount is at most 4095"),
        (PAD, {"count": 4096, "len": 4}, "blockCount is 4096\n  rule: blockCount is at most 4095"),
        (PAD, {"len": 2097152}, "blockLen is 2097152\n  rule: blockLen is at most 2097151 bytes"),
        (PAD, {"len": 18}, "blockLen is 18\n  rule: blockLen is a multiple of sizeof(T)"),
        (PAD, {"len": 4, "left": 9}, "leftPadding in bytes is 36\n  rule: leftPadding is at most 32 bytes"),
        (PAD, {"len": 4, "right": 9}, "rightPadding in bytes is 36\n  rule: rightPadding is at most 32 bytes"),
        (PAD, {"len": 68}, "reads 68 bytes at offset 0 of x, which has 64 bytes (4 too many)"),
        (
            PAD,
            {"count": 2, "len": 32, "srcStride": 4},
            "reads 32 bytes at offset 36 of x, which has 64 bytes (4 too many)",
        ),
        (PAD, {"len": 64, "outLen": 100}, "has never been written"),
        (PAD, {"len": 16388}, "dst needs 16416 bytes from UB address 0, but its tensor ends at 16384 (32 too many)"),
        (PAD, {"len": 64, "outLen": 64, "outCount": 2}, "src needs 128 bytes"),
    ],
)
def test_limits(kernels: dict[str, Copies], kind: int, fields: dict[str, int], message: str) -> None:
    if message == "src needs 128 bytes":
        fields = {**fields, "outSrc": 600}
        message = "src needs 19328 bytes from UB address 0, but its tensor ends at 16384 (2944 too many)"
    with pytest.raises(LaunchError) as refused:
        copied(kernels["float"], np.ones(16, np.float32), 64, kind, **fields)
    assert message in refused.value.report
