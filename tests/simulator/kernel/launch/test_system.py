"""What a kernel knows of its launch: blocks, tiling, workspace, optional inputs, printing; and blocks on threads."""

from __future__ import annotations

import struct
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from harness import SOURCES, TESTS, Kernel, LaunchError, aligned, compile_kernel, run

pytestmark = pytest.mark.compiler

SOURCE = """
#include "kernel_operator.h"
using namespace AscendC;

struct SystemTiling { uint32_t rows; float factor; };

__aicore__ inline float Twice(SystemTiling& data) { return data.factor *= 2; }

// As kernels launched by <<<>>> take it: word by word, whatever the members are.
struct Copied { uint32_t rows = 0; float factor = 0; };

__aicore__ inline void CopyTiling(Copied* to, GM_ADDR from) {
    uint32_t* word = reinterpret_cast<uint32_t*>(to);
    for (uint32_t i = 0; i < sizeof(Copied) / sizeof(uint32_t); ++i, ++word) {
        *word = *(reinterpret_cast<__gm__ uint32_t*>(from) + i);
    }
}

extern "C" __global__ __aicore__ void system_values(GM_ADDR x, GM_ADDR z, GM_ADDR workspace, GM_ADDR tiling) {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
    GET_TILING_DATA_WITH_STRUCT(SystemTiling, data, tiling);
    GET_TILING_DATA_MEMBER(SystemTiling, factor, factor, tiling);
    Copied copied;
    CopyTiling(&copied, tiling);
    GlobalTensor<float> out;
    out.SetGlobalBuffer((__gm__ float*)z, data.rows);
    if (TILING_KEY_IS(0)) {
        float values[] = {
            (float)(int64_t)GetBlockIdx(),
            (float)(int64_t)GetBlockNum(),
            (float)(int64_t)GetSubBlockIdx(),
            (float)(int64_t)GetSubBlockNum(),
            (float)(GetTaskRatio() + GetTaskRation()) / 2.0f,
            (float)(int64_t)GetUBSizeInBytes(),
            (float)(int64_t)GetDataBlockSizeInBytes(),
            Twice(data) / 2,
            (factor + copied.factor) / 2,
            ToFloat(ToBfloat16(1.00390625f)),
            (float)half(0.1f),
            x == nullptr ? 1.0f : 0.0f,
            (float)(GetUserWorkspace(workspace) - workspace),
            IsSameType<DTYPE_Z, float>::value ? 1.0f : 0.0f,
            ORIG_DTYPE_Z == DT_FLOAT ? 1.0f : 0.0f,
        };
        for (int i = 0; i < 15; ++i) {
            out.SetValue(i, values[i]);
        }
        out(15) = out(0) + 5.0f;
    } else if (TILING_KEY_IS(1)) {
        out.SetValue(GetBlockIdx() * 16, (float)GetBlockIdx());
    } else if (TILING_KEY_IS(2)) {
        printf("block %d of %d\\n", (int)GetBlockIdx(), (int)GetBlockNum());
        PRINTF("plain\\n");
    } else if (TILING_KEY_IS(3)) {
        GlobalTensor<float> user;
        user.SetGlobalBuffer((__gm__ float*)GetUserWorkspace(workspace));
        ASCENDC_ASSERT(GetSysWorkSpacePtr() == workspace, { printf("the framework has not set it"); });
        SetSysWorkspace(workspace);
        ASCENDC_ASSERT(GetSysWorkSpacePtr() == workspace, { printf("the kernel has not set it"); });
        user.SetValue(0, 4.0f);
        out.SetValue(0, user.GetValue(0));
    } else if (TILING_KEY_IS(4)) {
        out.SetValue(GetBlockIdx(), 1.0f);
    }
}
"""


@pytest.fixture(scope="module")
def kernel(root: Path, tmp_path_factory: pytest.TempPathFactory) -> Kernel:
    folder = tmp_path_factory.mktemp("system")
    return compile_kernel(root, SOURCE, "system_values", {"x": "float32"}, {"z": "float32"}, folder)


def tiling(rows: int) -> bytes:
    return struct.pack("<If", rows, 2.5)


def test_system_variables(kernel: Kernel) -> None:
    z = np.zeros(16, np.float32)
    run(kernel, [None], [z], tiling=tiling(16), workspace_bytes=16 * 2**20)
    half = float(np.float16(0.1))
    bfloat = 1.0  # 1 + 2^-8 is a tie, and goes to the even neighbour
    want = [0, 1, 0, 1, 1, 196608, 32, 2.5, 2.5, bfloat, half, 1, 16 * 2**20, 1, 1, 5]
    assert z.tolist() == pytest.approx(want, abs=0)


@pytest.mark.parametrize("threads", [0, 1, 2, 7])
def test_every_block_runs_once_whatever_the_threads(kernel: Kernel, threads: int) -> None:
    for blocks in (1, 2, 47, 48):
        z = aligned(48 * 16, np.float32)
        z[:] = -1
        run(kernel, [z], [z], tiling=tiling(48 * 16), tiling_key=1, block_dim=blocks, threads=threads)
        assert z[::16].tolist() == [*range(blocks), *[-1] * (48 - blocks)]


def test_blocks_that_write_one_cache_line_are_refused(kernel: Kernel) -> None:
    z = aligned(16, np.float32)
    with pytest.raises(LaunchError) as refused:
        run(kernel, [z], [z], tiling=tiling(16), tiling_key=4, block_dim=2, threads=1)
    place = refused.value.report.split(": ")[2]
    assert refused.value.report == (
        f"SystemValues: block 1 of 2: {place}: SetValue: writes a line of 64 bytes that block 0 writes too, at"
        f" {place}\n"
        "  rule: cores that write global memory by SetValue stay a cache line of 64 bytes apart"
        " [基础API/数据结构/GlobalTensor/SetValue]"
    )


def test_workspace_is_checked_like_a_tensor(kernel: Kernel) -> None:
    z = np.zeros(16, np.float32)
    run(kernel, [z], [z], tiling=tiling(16), tiling_key=3, workspace_bytes=16 * 2**20 + 4)
    assert z[0] == 4.0
    with pytest.raises(
        LaunchError, match="SetValue: writes 4 bytes at offset 16777216 of workspace, which has 16777216"
    ):
        run(kernel, [z], [z], tiling=tiling(16), tiling_key=3, workspace_bytes=16 * 2**20)
    with pytest.raises(LaunchError) as refused:
        run(kernel, [z], [z], tiling=tiling(16), tiling_key=3, workspace_bytes=4096)
    assert (
        "GetSysWorkSpacePtr: the workspace has 4096 bytes, of which the first 16777216 are the system's: the host has"
        " not asked for GetLibApiWorkSpaceSize()\n" in refused.value.report
    )


def test_printing(kernel: Kernel) -> None:
    code = (
        f"import sys; sys.path.insert(0, {str(TESTS)!r})\n"
        "from pathlib import Path\nimport numpy as np, harness\n"
        f"k = harness.Kernel(Path({str(kernel.path)!r}), 'S', ('x',), ('z',), Path({str(kernel.toolkit_root)!r}))\n"
        "z = np.zeros(16, np.float32)\n"
        f"harness.run(k, [None], [z], tiling={tiling(16)!r}, tiling_key=2, block_dim=2, threads=1)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "block 0 of 2\nplain\nblock 1 of 2\nplain\n"


def test_a_short_report_buffer_is_filled_and_ended(kernel: Kernel) -> None:
    with pytest.raises(LaunchError) as refused:
        run(kernel, [None], [np.zeros(16, np.float32)], tiling=b"", report_bytes=20)
    assert refused.value.report == "SystemValues: block"


@pytest.mark.parametrize(
    ("dtype", "numpy_type"), [("float32", np.float32), ("float16", np.float16), ("int32", np.int32)]
)
def test_vector_add(root: Path, tmp_path: Path, dtype: str, numpy_type: type) -> None:
    add = compile_kernel(
        root, SOURCES / "vector_add.cpp", "vector_add", {"x": dtype, "y": dtype}, {"z": dtype}, tmp_path
    )
    rng = np.random.default_rng(1)
    for tile in (256, 8192):
        for n in (0, 1, 7, 8, 9, 31, 32, 33, tile - 1, tile, tile + 1, 3 * tile + 5, 100003):
            x, y = ((rng.standard_normal(n) * 50).astype(numpy_type) for _ in range(2))
            z = np.zeros(n, numpy_type)
            for blocks in (1, 3):
                run(add, [x, y], [z], tiling=struct.pack("<QI4x", n, tile), block_dim=blocks)
                assert (z == x + y).all()
