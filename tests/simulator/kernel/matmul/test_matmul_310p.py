"""The Matmul object on AI Cores with both units (ascend310p): products, and what it asks for there."""

from __future__ import annotations

import re
import struct
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from cube_tiling import CubeTiling
from harness import SOURCES, Array, CompileError, CoreCounts, Kernel, LaunchError, aligned, compile_kernel, run
from matmul_kernels import HOST_HEADERS, SYSTEM_WORKSPACE

pytestmark = pytest.mark.compiler

SOURCE = SOURCES / "matmul_310p.cpp"
PAGE = "高阶API/矩阵计算/Matmul-Kernel侧接口"
SIZES = [(1, 1, 1), (16, 16, 16), (17, 31, 13), (33, 48, 129), (64, 7, 40)]


@pytest.fixture(scope="module")
def kernel(root: Path, tmp_path_factory: pytest.TempPathFactory) -> Kernel:
    return compile_kernel(
        root,
        SOURCE,
        "matmul_coupled",
        dict.fromkeys(("a", "b", "bias"), "uint8"),
        {"z": "uint8"},
        tmp_path_factory.mktemp("matmul_310p"),
        include_dirs=[HOST_HEADERS],
        soc_version="Ascend310P3",
    )


def launch(
    kernel: Kernel,
    key: int,
    tiling: CubeTiling,
    operands: tuple[Array, Array, Array],
    z: Array,
    *,
    pitch: int = 0,
    room: int = 0,
) -> tuple[CoreCounts, ...]:
    return run(
        kernel,
        operands,
        [z],
        tiling=tiling.packed() + struct.pack("<QII", 0, pitch, room or max(2 * tiling.transLength, 32)),
        block_dim=tiling.usedCoreNum,
        tiling_key=key,
        workspace_bytes=SYSTEM_WORKSPACE,
        short_name="ascend310p",
    )


def tiled(m: int, n: int, k: int, *, bias: int = 0, cores: int = 2, base: tuple[int, int] = (16, 16)) -> CubeTiling:
    rows = -(-m // cores)
    return CubeTiling(-(-m // rows), m, n, k, k, rows, n, k, *base, 32, isBias=bias, transLength=base[0] * base[1] * 4)


def halves(*shape: int) -> Array:
    return np.random.default_rng(sum(shape)).uniform(-1, 1, shape).astype(np.float16)


def product(a: Array, b: Array) -> Array:
    return a.astype(np.float64) @ b.astype(np.float64)


@pytest.mark.parametrize(("m", "n", "k"), SIZES)
def test_rows_that_are_filled_up(kernel: Kernel, m: int, n: int, k: int) -> None:
    a, b = halves(m, k), halves(k, n)
    bias = np.linspace(-3, 3, n, dtype=np.float32)
    pitch = -(-n // 16) * 16
    z = aligned(m * pitch, np.float32)
    counts = launch(kernel, 0, tiled(m, n, k, bias=1), (a, b, bias), z, pitch=pitch)
    np.testing.assert_allclose(z.reshape(m, pitch)[:, :n], product(a, b) + bias, rtol=1e-5, atol=1e-5)
    assert sum(c.macs for c in counts) == m * n * k
    assert max(c.peak["UB"] for c in counts) >= 2 * 16 * 16 * 4
    assert max(c.peak["L0C"] for c in counts) == 16 * 16 * 4


@pytest.mark.parametrize(("m", "n", "k"), [(1, 16, 1), (17, 32, 13), (16, 48, 33)])
def test_transposed_operands_and_halves(kernel: Kernel, m: int, n: int, k: int) -> None:
    a, b = halves(m, k), halves(k, n)
    z = aligned(m * n, np.float16)
    operands = (np.ascontiguousarray(a.T), np.ascontiguousarray(b.T), np.zeros(1, np.float32))
    launch(kernel, 1, tiled(m, n, k), operands, z)
    np.testing.assert_allclose(z.reshape(m, n), product(a, b), rtol=1e-3, atol=1e-3)


@pytest.mark.parametrize(("m", "n", "k"), [(1, 8, 1), (17, 32, 13), (33, 48, 129)])
def test_integers(kernel: Kernel, m: int, n: int, k: int) -> None:
    random = np.random.default_rng(m)
    a, b = random.integers(-128, 128, (m, k)).astype(np.int8), random.integers(-128, 128, (k, n)).astype(np.int8)
    bias = random.integers(-1000, 1000, n).astype(np.int32)
    z = aligned(m * n, np.int32)
    launch(kernel, 2, tiled(m, n, k, bias=1), (a, b, bias), z)
    np.testing.assert_array_equal(z.reshape(m, n), a.astype(np.int64) @ b.astype(np.int64) + bias)


def test_blocks_in_fractals_come_into_the_unified_buffer(kernel: Kernel) -> None:
    m, n, k = 33, 40, 21
    a, b = halves(m, k), halves(k, n)
    z = aligned(3 * 2 * 16 * 32, np.float32)
    with pytest.raises(LaunchError, match="is from before AllocTensor"):  # what fills the fractals up has no meaning
        launch(kernel, 3, tiled(m, n, k, cores=1, base=(16, 32)), (a, b, np.zeros(1, np.float32)), z)
    m, n = 32, 64
    a, b = halves(m, k), halves(k, n)
    z = aligned(m * n, np.float32)
    launch(kernel, 3, tiled(m, n, k, cores=1, base=(16, 32)), (a, b, np.zeros(1, np.float32)), z)
    blocks = z.reshape(2, 2, 2, 16, 16)  # column and row of the block, column of fractals in it
    np.testing.assert_allclose(blocks.transpose(1, 3, 0, 2, 4).reshape(m, n), 2 * product(a, b), rtol=1e-5, atol=1e-5)


def test_blocks_in_rows_come_into_the_unified_buffer(kernel: Kernel) -> None:
    m, n, k = 32, 64, 17
    a, b = halves(m, k), halves(k, n)
    z = aligned(m * n, np.float32)
    launch(kernel, 4, tiled(m, n, k, cores=1, base=(16, 32)), (a, b, np.zeros(1, np.float32)), z)
    blocks = z.reshape(2, 2, 16, 32)
    np.testing.assert_allclose(blocks.transpose(1, 2, 0, 3).reshape(m, n), 2 * product(a, b), rtol=1e-5, atol=1e-5)


def test_more_cores_than_there_are(kernel: Kernel) -> None:
    a, b = halves(16, 16), halves(16, 16)
    tiling = CubeTiling(9, 16, 16, 16, 16, 16, 16, 16)
    with pytest.raises(LaunchError, match=re.escape("usedCoreNum is 9, ascend310p has 8 AI cores")):
        run(kernel, [a, b, np.zeros(1, np.float32)], [aligned(256, np.float32)], tiling_key=0, short_name="ascend310p",
            tiling=tiling.packed() + struct.pack("<QII", 0, 0, 2048), workspace_bytes=SYSTEM_WORKSPACE)  # fmt: skip


ROOM = "on ascend310p a product takes room in the unified buffer where A or B is ND, or C is ND or in global memory: SetLocalWorkspace"  # noqa: E501
ROWS = "on ascend310p rows of C with the format ND are multiples of 32 bytes: N, and where C has rows of its own, orgKc"
# mark: tiling key, columns, bytes of room, message, rule
# fmt: off
WRONG = {
    "no room": (20, 16, 2048, "IterateAll: it has not been called", f"{ROOM} [{PAGE}/SetLocalWorkspace]"),
    "small room": (0, 16, 1024, "SetLocalWorkspace: the tensor has 1024 bytes, transLength 1024 and shareUbSize 0 ask for 2048", f"the tensor for SetLocalWorkspace has as many bytes as MatmulGetTmpBufSize says [{PAGE}/SetLocalWorkspace]"),  # noqa: E501
    "ragged rows": (2, 7, 2048, "IterateAll: this computation has 7 columns, rows of C are 7 elements apart, of 4 bytes each", f"{ROWS} [{PAGE}/Matmul使用说明]"),  # noqa: E501
    "turned bytes": (21, 16, 2048, "IterateAll: isTransposeA is true", f"on ascend310p matrices A of int8_t are not transposed [{PAGE}/SetTensorA]"),  # noqa: E501
    "small block": (23, 32, 2048, "GetTensorC: the block of C of 16 x 32 at [0, 0] in fractals needs 512 elements, the tensor has 256", f"the tensor for C has room for a base block [{PAGE}/GetTensorC]"),  # noqa: E501
}
# fmt: on


def line_of(mark: str) -> int:
    lines = SOURCE.read_text(encoding="utf-8").splitlines()
    return next(i for i, text in enumerate(lines, 1) if text.endswith(f"// <- {mark}"))


@pytest.mark.parametrize("mark", WRONG)
def test_wrong_products_are_refused(kernel: Kernel, mark: str) -> None:
    key, n, room, message, rule = WRONG[mark]
    tiling = tiled(16, n, 32, cores=1, base=(16, 32 if n == 32 else 16))
    if mark == "small block":
        room, tiling = 1024, replace(tiling, transLength=512)
    with pytest.raises(LaunchError) as refused:
        launch(kernel, key, tiling, (halves(64, 64), halves(64, 64), halves(64)), aligned(4096, np.float32), room=room)
    assert refused.value.report == (f"MatmulCoupled: block 0 of 1: {SOURCE}:{line_of(mark)}: {message}\n  rule: {rule}")


def test_the_room_is_the_objects_while_it_computes(kernel: Kernel) -> None:
    with pytest.raises(LaunchError) as refused:
        launch(kernel, 22, tiled(16, 16, 32, cores=1), (halves(64, 64), halves(64, 64), halves(64)),
               aligned(4096, np.float32))  # fmt: skip
    assert f"{SOURCE}:{line_of('room in use')}: IterateAll" in refused.value.report
    assert "Duplicate" in refused.value.report
    assert "MTE2" in refused.value.report


KERNEL = """
#include "kernel_operator.h"
#include "lib/matmul_intf.h"
using namespace AscendC;
template <typename T, TPosition position = TPosition::GM>
using In = MatmulType<position, CubeFormat::ND, T>;
inline void CopyIn(const LocalTensor<int8_t>&, const __gm__ void*, int, int, int, int, uint64_t, uint64_t) {}
extern "C" __global__ __aicore__ void wrong(GM_ADDR x, GM_ADDR z, GM_ADDR workspace, GM_ADDR tiling) {
    TPipe pipe;
    Matmul<%s> mm;
    REGIST_MATMUL_OBJ(&pipe, GetSysWorkSpacePtr(), mm);
    GlobalTensor<float> room;
    %s
}
"""
TYPES = "ascend310p has no float and no bfloat16_t operands"
HALVES = "In<half>, In<half>, In<float>"
ASYNCHRONOUS = "Iterate<false>: ascend310p has no asynchronous mode (GetTensorC)"
REFUSED = [
    ("In<float>, In<float>, In<float>", "", TYPES),
    ("In<bfloat16_t>, In<bfloat16_t>, In<float>", "", TYPES),
    ("In<half>, In<half>, In<bfloat16_t>", "", TYPES),
    (
        "In<half>, In<half>, In<float>, In<half>",
        "mm.SetBias(GlobalTensor<half>());",
        "SetBias: this data type of the bias is not in the table for these of A, B and C, and this SoC",
    ),
    ("In<half>, In<half>, In<float, TPosition::VECIN>", "mm.Iterate<false>();", ASYNCHRONOUS),
    (HALVES, "mm.WaitIterateAll();", "WaitIterateAll: not there on ascend310p (WaitIterateAll)"),
    (HALVES, "mm.WaitIterateBatch();", "WaitIterateBatch: not there on ascend310p (WaitIterateBatch)"),
    (HALVES, "mm.SetWorkspace(room);", "SetWorkspace: not there on ascend310p (SetWorkspace)"),
    (HALVES, "mm.SetWorkspace((__gm__ float*)x, 1);", "SetWorkspace: not there on ascend310p (SetWorkspace)"),
    (
        "In<half>, In<half>, In<float>, In<float>, CFG_NORM, MatmulCallBackFunc<nullptr, CopyIn>",
        "",
        "Matmul: ascend310p has no MatmulCallBackFunc and no IBShare (MatmulCallBackFunc)",
    ),
    (HALVES, "mm.SetHF32(true);", "SetHF32: not there on ascend310p (SetHF32)"),
    (
        HALVES,
        "mm.IterateNBatch<false, true>(1, 1, 1, false);",
        "IterateNBatch: not there on ascend310p (IterateNBatch)",
    ),
]


@pytest.mark.slow
@pytest.mark.parametrize(("types", "call", "reason"), REFUSED)
def test_refused_by_the_compiler(root: Path, tmp_path: Path, types: str, call: str, reason: str) -> None:
    with pytest.raises(CompileError, match=re.escape(reason)):
        compile_kernel(root, KERNEL % (types, call), "wrong", {"x": "float16"}, {"z": "float32"}, tmp_path,
                       include_dirs=[HOST_HEADERS], soc_version="Ascend310P3")  # fmt: skip
