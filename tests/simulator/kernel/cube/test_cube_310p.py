"""Products by LoadData and Mmad on AI Cores with both units, out of L0C into the unified buffer; and what is refused."""

# ruff: noqa: E501 - the messages stand as they are printed

from __future__ import annotations

import re
import struct
from dataclasses import astuple, dataclass
from pathlib import Path

import numpy as np
import pytest
from harness import SOURCES, Array, CompileError, Kernel, LaunchError, aligned, compile_kernel, run

pytestmark = pytest.mark.compiler

SOURCE = SOURCES / "cube_310p.cpp"
CUBE = "基础API/矩阵计算（ISASI）/"  # noqa: RUF001
OUT = f"[{CUBE}矩阵计算的搬出/DataCopy（L0C到UB数据搬运）]"  # noqa: RUF001
SIZES = [(1, 1, 1), (16, 16, 16), (17, 31, 13), (48, 33, 65), (64, 64, 128)]
VECTOR, MATRIX = 2, 1
DEQ, DEQ8 = 1, 3
HALF_TO_FLOAT, FLOAT_TO_HALF, HALF_TO_HALF, BYTES, BYTES_TO_HALF = range(5)


@dataclass(frozen=True)
class Tiling:
    """CubeTiling of the source."""

    m: int
    n: int
    k: int
    depth: int
    mode: int = MATRIX
    scale: int = 0
    factor: int = 0
    relu: int = 0
    unit_flag: int = 0
    silent: int = 0


@pytest.fixture(scope="module")
def kernel(root: Path, tmp_path_factory: pytest.TempPathFactory) -> Kernel:
    tensors = (dict.fromkeys("ab", "uint8"), {"z": "uint8"})
    return compile_kernel(
        root, SOURCE, "cube_coupled", *tensors, tmp_path_factory.mktemp("cube"), soc_version="Ascend310P3"
    )


def launch(kernel: Kernel, key: int, tiling: Tiling, operands: tuple[Array, Array], dtype: type) -> Array:
    """The m rows of the result."""
    wide = -(-tiling.n // 16) * 16
    z = aligned(tiling.m * wide, dtype)
    packed = struct.pack("<10I", *astuple(tiling))
    run(kernel, operands, [z], tiling=packed, tiling_key=key, short_name="ascend310p")
    return z.reshape(tiling.m, wide)[:, : tiling.n]


def halves(*shape: int) -> Array:
    return np.random.default_rng(sum(shape)).uniform(-1, 1, shape).astype(np.float16)


def product(a: Array, b: Array) -> Array:
    return a.astype(np.float64) @ b.astype(np.float64)


@pytest.mark.parametrize(("m", "n", "k"), SIZES)
@pytest.mark.parametrize("relu", [0, 1])
def test_products_of_half(kernel: Kernel, m: int, n: int, k: int, relu: int) -> None:
    a, b = halves(m, k), halves(k, n)
    expected = np.maximum(product(a, b), 0) if relu else product(a, b)
    tiling = Tiling(m, n, k, depth=64, relu=relu)
    wide = launch(kernel, HALF_TO_FLOAT, tiling, (a, b), np.float32)
    np.testing.assert_allclose(wide, expected, rtol=1e-5, atol=1e-5)
    np.testing.assert_array_equal(launch(kernel, FLOAT_TO_HALF, tiling, (a, b), np.float16), wide.astype(np.float16))
    np.testing.assert_allclose(launch(kernel, HALF_TO_HALF, tiling, (a, b), np.float16), expected, rtol=2e-3, atol=4e-3)


def test_sums_of_half_are_rounded_by_each_mmad(kernel: Kernel) -> None:
    """Neither 2049 nor any other odd number above 2048 is a half."""
    a, b = np.ones((16, 32), np.float16), np.zeros((32, 16), np.float16)
    b[0], b[1], b[16] = 2048, 1, 1
    together = launch(kernel, HALF_TO_HALF, Tiling(16, 16, 32, depth=32), (a, b), np.float16)
    apart = launch(kernel, HALF_TO_HALF, Tiling(16, 16, 32, depth=16), (a, b), np.float16)
    assert (together == 2050).all()
    assert (apart == 2048).all()


def test_half_is_scaled_by_a_half(kernel: Kernel) -> None:
    a, b = halves(17, 16), halves(16, 16)
    plain = launch(kernel, HALF_TO_HALF, Tiling(17, 16, 16, depth=16), (a, b), np.float16)
    factor = np.float16(-0.3)
    tiling = Tiling(17, 16, 16, depth=16, scale=DEQ, factor=int(factor.view(np.uint16)))
    np.testing.assert_array_equal(launch(kernel, HALF_TO_HALF, tiling, (a, b), np.float16), plain * factor)


def zz(matrix: Array) -> Array:
    """Fractals of 16 x 32 bytes, rows of fractals behind each other: A in L0A, and B transposed."""
    m, k = matrix.shape
    filled = np.zeros((-(-m // 16) * 16, -(-k // 32) * 32), matrix.dtype)
    filled[:m, :k] = matrix
    return filled.reshape(len(filled) // 16, 16, -1, 32).transpose(0, 2, 1, 3).copy()


def zn(matrix: Array) -> Array:
    """What L0B holds: each fractal is 32 of k by 16 of n, turned; those of one k behind each other."""
    return zz(matrix.T.copy()).transpose(1, 0, 2, 3).copy()


@pytest.mark.parametrize(("m", "n", "k"), [(1, 1, 1), (17, 31, 13), (48, 33, 65), (64, 64, 128)])
def test_products_of_bytes(kernel: Kernel, m: int, n: int, k: int) -> None:
    generator = np.random.default_rng(m)
    a = generator.integers(-128, 128, (m, k), np.int8)
    b = generator.integers(-128, 128, (k, n), np.int8)
    expected = a.astype(np.int64) @ b.astype(np.int64)
    tiling = Tiling(m, n, k, depth=k)
    np.testing.assert_array_equal(launch(kernel, BYTES, tiling, (zz(a), zn(b)), np.int32), expected)
    tiling = Tiling(m, n, k, depth=k, relu=1)
    np.testing.assert_array_equal(launch(kernel, BYTES, tiling, (zz(a), zn(b)), np.int32), np.maximum(expected, 0))
    scale = np.float16(2**-7)
    tiling = Tiling(m, n, k, depth=k, scale=DEQ, factor=int(scale.view(np.uint16)))
    scaled = launch(kernel, BYTES_TO_HALF, tiling, (zz(a), zn(b)), np.float16)
    np.testing.assert_array_equal(scaled, (expected / 128).astype(np.float16))


def wrong(**fields: int) -> Tiling:
    return Tiling(16, 16, 16, depth=16, **fields)


# The key and what is wrong; the marked line, what the message says behind it, and the rule.
WRONG = {
    "vectors": (HALF_TO_FLOAT, wrong(mode=VECTOR), "out", "DataCopy: blockMode is 2", f"out of L0C a DataCopy takes fractals of 16 x 16, BLOCK_MODE_MATRIX: where those of 1 x 16 lie is not documented {OUT}"),
    "another scale": (BYTES_TO_HALF, wrong(scale=DEQ8), "out", "DataCopy: deqScale is DEQ8 for int32_t to half", f"out of L0C half, float, int32_t and uint32_t stay what they are and float becomes half with DEQ_NONE, int32_t and half become half with DEQ: the other scales are not simulated {OUT}"),
    "no scale": (BYTES_TO_HALF, wrong(), "out", "DataCopy: deqScale is DEQ_NONE for int32_t to half", f"out of L0C half, float, int32_t and uint32_t stay what they are and float becomes half with DEQ_NONE, int32_t and half become half with DEQ: the other scales are not simulated {OUT}"),
    "scaled and clipped": (BYTES_TO_HALF, wrong(scale=DEQ, relu=1), "out", "DataCopy: isRelu is true for int32_t with DEQ", f"out of L0C isRelu goes with half, float and int32_t, and not with DEQ {OUT}"),
    "unit flag": (HALF_TO_FLOAT, wrong(unit_flag=3), "mmad", "Mmad: unitFlag is 3, cmatrixSource 0, kDirectionAlign 0", f"on ascend310p Mmad has no unitFlag, cmatrixSource or kDirectionAlign [{CUBE}Mmad计算/Mmad]"),
    "no event": (HALF_TO_FLOAT, wrong(silent=1), "out", "DataCopy: pipe V reads L0C address 0, which Mmad on pipe M wrote at {mmad}, without an event M_V", "the pipes of a cube core (MTE2, MTE1, M, FIX) are ordered only by queues or SetFlag/WaitFlag [基础API/同步控制/核内同步/SetFlag-WaitFlag(ISASI)]"),
}  # fmt: skip


def place(mark: str) -> str:
    lines = SOURCE.read_text().splitlines()
    return f"{SOURCE}:{next(i for i, line in enumerate(lines, 1) if line.endswith(f'// <- {mark}'))}"


@pytest.mark.parametrize("case", WRONG)
def test_a_wrong_kernel_is_refused(kernel: Kernel, case: str) -> None:
    key, tiling, mark, says, rule = WRONG[case]
    operands = np.zeros((16, 32), np.int8 if key in {BYTES, BYTES_TO_HALF} else np.float16)
    with pytest.raises(LaunchError) as refused:
        launch(kernel, key, tiling, (operands, operands), np.float32)
    where = f"{place(mark)}: " + says.replace("{mmad}", place("mmad"))
    assert refused.value.report == f"CubeCoupled: block 0 of 1: {where}\n  rule: {rule}"


REFUSED = """
#include "kernel_operator.h"
using namespace AscendC;
extern "C" __global__ __aicore__ void refused(GM_ADDR a, GM_ADDR z, GM_ADDR workspace, GM_ADDR tiling) {
    LocalTensor<int8_t> bytes;
    LocalTensor<int32_t> sums;
    LocalTensor<half> halves;
    DataCopy(bytes, sums, DataCopyParams(), DataCopyEnhancedParams());
    DataCopy(bytes, GlobalTensor<int8_t>(), Nd2NzParams());
    Mmad(halves, halves, halves, MmadParams());
}
"""
NOT_OUT = "DataCopy: L0C does not become this type (矩阵计算的搬出/DataCopy（L0C到UB数据搬运）)"  # noqa: RUF001
NOT_IN = "DataCopy: this data type cannot be copied (DataCopy（GMToL1随路转换-ND2NZ搬运）)"  # noqa: RUF001
NOT_MULTIPLIED = "Mmad: these data types are not multiplied (Mmad计算/Mmad, 表7)"


@pytest.mark.parametrize(
    ("chip", "says"), [("Ascend310P3", {NOT_OUT, NOT_IN}), ("Ascend910B1", {NOT_OUT, NOT_MULTIPLIED})]
)
def test_types_that_these_cores_or_others_lack(root: Path, tmp_path: Path, chip: str, says: set[str]) -> None:
    with pytest.raises(CompileError) as refused:
        compile_kernel(root, REFUSED, "refused", {"a": "int8"}, {"z": "int8"}, tmp_path, soc_version=chip)
    assert {each for each in (NOT_OUT, NOT_IN, NOT_MULTIPLIED) if each in str(refused.value)} == says


BROADCAST = """
#include "kernel_operator.h"
using namespace AscendC;
struct RowTiling { uint32_t count, length, srcGap, dstGap, rows, fractals, waits; };
template <typename T>
__aicore__ inline void Rows(const RowTiling& t, GM_ADDR a, GM_ADDR z) {
    TPipe pipe;
    TQue<TPosition::VECIN, 1> in;
    TBuf<TPosition::CO1> sums;
    TBuf<TPosition::VECCALC> out;
    pipe.InitBuffer(in, 1, t.rows * 16 * sizeof(T));
    pipe.InitBuffer(sums, t.fractals * 256 * sizeof(T));
    pipe.InitBuffer(out, t.fractals * 256 * sizeof(T));
    GlobalTensor<T> from, to;
    from.SetGlobalBuffer((__gm__ T*)a);
    to.SetGlobalBuffer((__gm__ T*)z);
    LocalTensor<T> x = in.AllocTensor<T>(), l0c = sums.Get<T>(), y = out.Get<T>();
    DataCopy(x, from, t.rows * 16);
    in.EnQue(x);
    x = t.waits ? in.DeQue<T>() : x;
    BroadCastVecToMM(l0c, x, t.count, t.length, t.srcGap, t.dstGap);  // <- rows
    in.FreeTensor(x);
    PipeBarrier<PIPE_V>();
    DataCopyEnhancedParams way;
    way.blockMode = BlockMode::BLOCK_MODE_MATRIX;
    DataCopy(y, l0c, DataCopyParams(t.count, t.length, t.dstGap, 0), way);
    SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
    WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
    DataCopy(to, y, t.count * t.length * 256);
}
extern "C" __global__ __aicore__ void rows(GM_ADDR a, GM_ADDR z, GM_ADDR workspace, GM_ADDR tiling) {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AICORE);
    REGISTER_TILING_DEFAULT(RowTiling);
    GET_TILING_DATA(data, tiling);
    if (TILING_KEY_IS(0)) {
        Rows<half>(data, a, z);
    } else if (TILING_KEY_IS(1)) {
        Rows<int32_t>(data, a, z);
    } else if (TILING_KEY_IS(2)) {
        Rows<float>(data, a, z);
    }
}
"""


@pytest.fixture(scope="module")
def rows(root: Path, tmp_path_factory: pytest.TempPathFactory) -> Kernel:
    workdir = tmp_path_factory.mktemp("rows")
    return compile_kernel(root, BROADCAST, "rows", {"a": "uint8"}, {"z": "uint8"}, workdir, soc_version="Ascend310P3")


def broadcast(kernel: Kernel, key: int, x: Array, z: Array, *numbers: int) -> None:
    run(kernel, [x], [z], tiling=struct.pack("<7I", *numbers), tiling_key=key, short_name="ascend310p")


@pytest.mark.parametrize(("key", "dtype"), [(0, np.float16), (1, np.int32), (2, np.float32)])
def test_rows_are_fractals_of_l0c(rows: Kernel, key: int, dtype: type) -> None:
    """Each sixteen elements are all rows of a fractal; between blocks lie gaps of blocks and of fractals."""
    for count, length, src_gap, dst_gap in [(1, 1, 0, 1), (1, 3, 0, 0), (2, 1, 2, 1), (3, 2, 4, 0)]:
        step = length * 16 + src_gap * 32 // np.dtype(dtype).itemsize
        lines = -(-step // 16) * count
        x = np.random.default_rng(key).integers(0, 999, lines * 16).astype(dtype)
        z = aligned(count * length * 256, dtype)
        fractals = count * (length + dst_gap)
        broadcast(rows, key, x, z, count, length, src_gap, dst_gap, lines, fractals, 1)
        blocks = [x[i * step : i * step + length * 16].reshape(length, 1, 16) for i in range(count)]
        want = np.repeat(np.concatenate(blocks), 16, axis=1)
        assert (z.reshape(want.shape) == want).all(), (count, length, src_gap, dst_gap)


def test_rows_that_are_refused(rows: Kernel, root: Path, tmp_path: Path) -> None:
    x, z = np.zeros(4096, np.float32), aligned(4096, np.float32)
    line = next(i for i, each in enumerate(BROADCAST.splitlines(), 1) if each.endswith("// <- rows"))
    page = f"[{CUBE}矩阵计算的搬入/BroadCastVecToMM(ISASI)]"
    for count, length in ((0, 1), (256, 1), (1, 0)):
        with pytest.raises(LaunchError) as refused:
            broadcast(rows, 2, x, z, count, length, 0, 0, 16, 16, 1)
        assert refused.value.report.endswith(
            f":{line}: BroadCastVecToMM: blockCount is {count} and blockLen {length}\n"
            f"  rule: BroadCastVecToMM takes 1 to 255 blocks of 1 to 255 times 16 elements {page}"
        )
    with pytest.raises(LaunchError) as refused:
        broadcast(rows, 2, x, z, 1, 1, 0, 0, 1, 1, 0)
    assert "BroadCastVecToMM: pipe V reads UB address 0" in refused.value.report
    says = "BroadCastVecToMM: only on the inference products, for half, int32_t and float, dst and src alike (矩阵计算的搬入/BroadCastVecToMM(ISASI))"
    with pytest.raises(CompileError, match=re.escape(says)):
        compile_kernel(root, BROADCAST.replace("AICORE", "AIV_ONLY"), "rows", {"a": "uint8"}, {"z": "uint8"}, tmp_path)
