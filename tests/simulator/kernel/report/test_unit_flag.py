"""A cube core multiplies the next base block while Fixpipe copies the last: with UnitFlag, or two buffers in L0C."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from harness import Kernel, compile_kernel, run
from matmul_kernels import HOST_HEADERS, SYSTEM_WORKSPACE, parts, random, stored

pytestmark = pytest.mark.compiler

BLOCKS, BASE, K = 6, 128, 64
SOURCE = """
#define ASCENDC_CUBE_ONLY
#include "kernel_operator.h"
#include "lib/matmul_intf.h"
using namespace AscendC;
struct CubeTiling {
    TCubeTiling cube;
};
constexpr MatmulConfig kWithUnitFlag = GetMDLConfig(false, false, 0, false, false, false, true);
using In = MatmulType<TPosition::GM, CubeFormat::ND, half>;
using Out = MatmulType<TPosition::GM, CubeFormat::ND, half>;
extern "C" __global__ __aicore__ void blocks(GM_ADDR a, GM_ADDR b, GM_ADDR z, GM_ADDR workspace, GM_ADDR tiling) {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIC_ONLY);
    REGISTER_TILING_DEFAULT(CubeTiling);
    GET_TILING_DATA(data, tiling);
    GlobalTensor<half> ga, gb, gz;
    ga.SetGlobalBuffer(reinterpret_cast<__gm__ half*>(a));
    gb.SetGlobalBuffer(reinterpret_cast<__gm__ half*>(b));
    gz.SetGlobalBuffer(reinterpret_cast<__gm__ half*>(z));
    TPipe pipe;
    Matmul<In, In, Out, Out, CONFIG> mm;
    REGIST_MATMUL_OBJ(&pipe, GetSysWorkSpacePtr(), mm, &data.cube);
    mm.SetTensorA(ga);
    mm.SetTensorB(gb);
    mm.IterateAll(gz);
    mm.End();
}
"""


@pytest.fixture(scope="module")
def kernels(root: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Kernel]:
    return {
        config: compile_kernel(
            root,
            SOURCE.replace("CONFIG", config),
            "blocks",
            dict.fromkeys("ab", "float16"),
            {"z": "float16"},
            tmp_path_factory.mktemp(config),
            include_dirs=[HOST_HEADERS],
        )
        for config in ("CFG_MDL", "CFG_NORM", "kWithUnitFlag")
    }


def counted(kernel: Kernel, buffers: int) -> dict[str, Any]:
    """What the core did that multiplied all base blocks."""
    rows, columns = BASE, BLOCKS * BASE
    tiling = replace(parts(rows, columns, K, (rows, columns)), baseM=BASE, baseN=BASE, baseK=K, dbL0C=buffers)
    a, b = stored(random(rows, K), "half"), stored(random(K, columns, seed=1), "half")
    z = np.zeros((rows, columns), np.float16)
    timed: list[dict[str, Any]] = []
    run(kernel, [a, b], [z], tiling=tiling.packed(), workspace_bytes=SYSTEM_WORKSPACE, timed=timed)
    np.testing.assert_allclose(z, a.astype(np.float64) @ b.astype(np.float64), rtol=2e-3, atol=1e-3)
    (core,) = timed[0]["cores"]
    return dict(core)


def test_without_unit_flag_mmad_waits_until_l0c_is_free(kernels: dict[str, Kernel]) -> None:
    waiting = counted(kernels["CFG_MDL"], 1)
    for config, buffers in (("CFG_MDL", 2), ("kWithUnitFlag", 1), ("kWithUnitFlag", 2)):
        other = counted(kernels[config], buffers)
        assert other["busy"] == waiting["busy"]
        # Of all blocks but one, the shorter of the two is hidden behind the longer one.
        hidden = (BLOCKS - 1) * min(waiting["busy"]["M"], waiting["busy"]["FIX"]) // BLOCKS
        assert waiting["span"] - other["span"] == pytest.approx(hidden, rel=0.25)


def test_the_norm_template_has_unit_flag_unless_it_is_switched_off(kernels: dict[str, Kernel]) -> None:
    assert counted(kernels["CFG_NORM"], 1)["span"] == counted(kernels["CFG_NORM"], 2)["span"]
