"""What kernels for ascend950 meet: its macros, its unified buffer, how it counts, and functions that it lacks."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
from harness import CompileError, Kernel, LaunchError, aligned, compile_kernel, run

pytestmark = pytest.mark.compiler

SOC = "Ascend950PR_9599"
KERNEL = """#include "kernel_operator.h"
#if __NPU_ARCH__ != 3510 || __CCE_AICORE__ != 310 || !defined(__DAV_C310__) || !defined(__DAV_VEC__)
#error "not the macros of ascend950"
#endif
#if defined(__DAV_C220_VEC__) || defined(__DAV_CUBE__)
#error "macros of other cores"
#endif
using namespace AscendC;
extern "C" __global__ __aicore__ void on_950(GM_ADDR xGm, GM_ADDR zGm, GM_ADDR workspace, GM_ADDR tiling) {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
    TPipe pipe;
    TBuf<TPosition::VECCALC> a;
    pipe.InitBuffer(a, TILING_KEY_IS(0) ? 248 * 1024 : TILING_KEY_IS(1) ? 248 * 1024 + 32 : 1024);
    LocalTensor<int32_t> x = a.Get<int32_t>();
    GlobalTensor<int32_t> xGlobal, zGlobal;
    xGlobal.SetGlobalBuffer((__gm__ int32_t*)xGm, 64);
    zGlobal.SetGlobalBuffer((__gm__ int32_t*)zGm, 64);
    DataCopy(x, xGlobal, 64);
    PipeBarrier<PIPE_ALL>();
    And(x, x, x[32], TILING_KEY_IS(3) ? 0 : 32);
    PipeBarrier<PIPE_ALL>();
    DataCopy(zGlobal, x, 64);
}
"""


@pytest.fixture(scope="module")
def kernel(root: Path, tmp_path_factory: pytest.TempPathFactory) -> Kernel:
    tensors = ({"x": "int32"}, {"z": "int32"})
    return compile_kernel(root, KERNEL, "on_950", *tensors, tmp_path_factory.mktemp("on_950"), soc_version=SOC)


def launch(kernel: Kernel, key: int, blocks: int = 1) -> tuple[np.ndarray, np.ndarray]:
    x, z = aligned(64, np.int32), aligned(64, np.int32)
    x[:] = np.random.default_rng(1).integers(-(2**31), 2**31, 64)
    run(kernel, [x], [z], tiling_key=key, block_dim=blocks, short_name="ascend950")
    return x, z


def test_the_unified_buffer_has_248_kilobytes(kernel: Kernel) -> None:
    launch(kernel, 0)
    with pytest.raises(LaunchError, match="253952"):
        launch(kernel, 1)


def test_and_counts_elements(kernel: Kernel) -> None:
    x, z = launch(kernel, 2)
    assert (z[:32] == x[:32] & x[32:]).all()
    assert (z[32:] == x[32:]).all()


def test_there_are_64_vector_cores(kernel: Kernel) -> None:
    with pytest.raises(LaunchError, match="block dim 65 is above the 64 vector cores of Ascend950PR_9599"):
        launch(kernel, 2, blocks=65)


def test_a_count_of_nothing_is_refused(kernel: Kernel) -> None:
    with pytest.raises(LaunchError) as refused:
        launch(kernel, 3)
    assert refused.value.report.split(".cpp:")[1].split(": ", 1)[1] == (
        "And: count is 0\n  rule: on ascend950 a count of 0 is not documented to do nothing"
        " [基础API/Memory矢量计算/基础算术/Abs]"
    )


CUBE = ": on ascend950 L0A has the order NZ, which is not simulated: use the Matmul object (2201到3510架构变更)"
ABSENT = [
    ("LoadData(h, h, LoadData2DParams());", "LoadData" + CUBE),
    ("LoadData(h, h, LoadData3DParamsV2<half>());", "LoadData" + CUBE),
    ("LoadData(h, h, LoadData3DParamsV2Pro());", "LoadData" + CUBE),
    ("LoadDataWithTranspose(h, h, LoadData2dTransposeParams());", "LoadDataWithTranspose" + CUBE),
    ("Mmad(f, h, h, MmadParams());", "Mmad" + CUBE),
    ("Mmad(f, h, h, f, MmadParams());", "Mmad" + CUBE),
    ("LoadData(h, g, LoadData2DParams());",
     "LoadData: on ascend950 global memory has no way to L0A and L0B: copy to L1 first (2201到3510架构变更)"),
    ("GetReduceRepeatMaxMinSpr(v, v);",
     "GetReduceRepeatMaxMinSpr: not there on ascend950: take ReduceMax or ReduceMin with an index"
     " (归约计算辅助配置接口/GetReduceRepeatMaxMinSpr(ISASI))"),
    ("GetReduceMaxMinCount<float>(u);",
     "GetReduceRepeatMaxMinSpr: not there on ascend950: take ReduceMax or ReduceMin with an index"
     " (归约计算辅助配置接口/GetReduceRepeatMaxMinSpr(ISASI))"),
    ("SetSaturationFlag<SaturationMode::FLOAT>(true);",
     "SetSaturationFlag: not there on ascend950 (特殊寄存器访问/SetSaturationFlag(ISASI))"),
    ("(void)GetSaturationFlag<SaturationMode::FLOAT>();",
     "GetSaturationFlag: not there on ascend950 (特殊寄存器访问/GetSaturationFlag(ISASI))"),
]  # fmt: skip


@pytest.mark.parametrize(("statement", "message"), ABSENT, ids=[each[0] for each in ABSENT])
def test_what_is_not_there(root: Path, tmp_path: Path, statement: str, message: str) -> None:
    source = (
        '#include "kernel_operator.h"\nusing namespace AscendC;\nLocalTensor<float> f; LocalTensor<half> h;'
        " GlobalTensor<half> g; float v; uint32_t u;\n"
        'extern "C" __global__ __aicore__ void absent(GM_ADDR x, GM_ADDR z, GM_ADDR w, GM_ADDR t) {\n'
        f"    {statement}\n}}\n"
    )
    tensors = ({"x": "float32"}, {"z": "float32"})
    with pytest.raises(CompileError) as refused:
        compile_kernel(root, source, "absent", *tensors, tmp_path, soc_version=SOC)
    assert message in re.findall(r"static assertion failed: (.*)", str(refused.value))
