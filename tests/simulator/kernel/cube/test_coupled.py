"""AI Cores with a vector and a cube unit, as ascend310p has them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from harness import LaunchError, aligned, compile_kernel, run

pytestmark = pytest.mark.compiler

RULE = (
    "  rule: Atlas A2, A3 and Ascend950 have KERNEL_TYPE_AIV_ONLY, AIC_ONLY and MIX_*_*_*, ascend310p has "
    "KERNEL_TYPE_AICORE and MIX_VECTOR_CORE [基础API/Kernel-Tiling/设置Kernel类型]"
)
EMPTY = """
#include "kernel_operator.h"
extern "C" __global__ __aicore__ void nothing(GM_ADDR x, GM_ADDR z, GM_ADDR workspace, GM_ADDR tiling) {}
"""


def test_a_kernel_for_split_cores_is_refused(root: Path, tmp_path: Path) -> None:
    kernel = compile_kernel(root, EMPTY, "nothing", {"x": "float32"}, {"z": "float32"}, tmp_path)
    x, z = aligned(8, np.float32), aligned(8, np.float32)
    with pytest.raises(LaunchError) as refused:
        run(kernel, [x], [z], short_name="ascend310p")
    assert refused.value.report == (
        "Nothing: KERNEL_TYPE_AIV_ONLY is not a kernel type of Ascend310P3, "
        "whose AI Cores are one core with both units\n" + RULE
    )


def test_a_kernel_for_coupled_cores_is_refused(root: Path, tmp_path: Path) -> None:
    tensors = ({"x": "float32"}, {"z": "float32"})
    kernel = compile_kernel(root, EMPTY, "nothing", *tensors, tmp_path, soc_version="Ascend310P3")
    x, z = aligned(8, np.float32), aligned(8, np.float32)
    with pytest.raises(LaunchError) as refused:
        run(kernel, [x], [z])
    assert refused.value.report == (
        "Nothing: KERNEL_TYPE_AICORE is not a kernel type of Ascend910B1, whose AI Cores are cube and vector cores\n"
        + RULE
    )


def test_a_launch_has_at_most_the_vector_cores_too(root: Path, tmp_path: Path) -> None:
    mixed = EMPTY.replace("{}", "{ KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_VECTOR_CORE); }")
    tensors = ({"x": "float32"}, {"z": "float32"})
    kernel = compile_kernel(root, mixed, "nothing", *tensors, tmp_path, soc_version="Ascend310P3")
    x, z = aligned(8, np.float32), aligned(8, np.float32)
    run(kernel, [x], [z], block_dim=15, short_name="ascend310p")
    with pytest.raises(LaunchError) as refused:
        run(kernel, [x], [z], block_dim=16, short_name="ascend310p")
    assert refused.value.report == (
        "Nothing: block dim 16 is above the 15 AI Cores and Vector Cores of Ascend310P3\n"
        "  rule: block dim is 1 to the number of cores [guide/编程指南/编程模型, SetBlockDim]"
    )
