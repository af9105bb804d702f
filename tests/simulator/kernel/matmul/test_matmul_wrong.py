"""Calls of a Matmul object that break a rule, with the whole message, and right ones near them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from cube_tiling import CubeTiling
from harness import SOURCES, WORKSPACE, Kernel, LaunchError, compile_kernel, run
from marked_cases import MarkedCases
from matmul_kernels import HOST_HEADERS, SYSTEM_WORKSPACE

pytestmark = pytest.mark.compiler

CASES = MarkedCases(SOURCES / "matmul_wrong.cpp")
TIMEOUT, EXCEPTION = 507014, 507035
KERNEL_SIDE = "高阶API/矩阵计算/Matmul-Kernel侧接口"
TILING = CubeTiling(1, 16, 16, 16, 16, 16, 16, 16)

# ruff: noqa: E501 - the messages stand as they are printed
# fmt: off
WRONG = {
    "partial_sum_of_many_blocks": f"AIV 0: {{here}}: Iterate: this computation is 17 x 16, a base block 16 x 16\n  rule: enPartialSum needs singleCoreM == baseM and singleCoreN == baseN [{KERNEL_SIDE}/Iterate]",
    "partial_sum_of_nothing": f"AIC: {{here}}: Iterate: L0C holds no block of this object\n  rule: enPartialSum adds to the block that an Iterate before has left in L0C [{KERNEL_SIDE}/Iterate]",
    "asynchronous_without_room": f"AIV 0: {{here}}: Iterate: no workspace has been set\n  rule: Iterate<false> needs SetWorkspace before it [{KERNEL_SIDE}/SetWorkspace]",
    "cached_block_to_global_memory": f"AIV 0: {{here}}: GetTensorC: the Iterate before was asynchronous: its blocks lie in the workspace\n  rule: GetTensorC is synchronous or asynchronous as the Iterate before it [{KERNEL_SIDE}/GetTensorC]",
    "atomic_in_the_unified_buffer": f"AIV 0: {{here}}: GetTensorC: enAtomic is 1\n  rule: enAtomic is for C in global memory [{KERNEL_SIDE}/GetTensorC]",
    "tensor_of_nine_floats": f"AIV 0: {{here}}: GetTensorC: the tensor has 36 bytes\n  rule: a tensor for C in the unified buffer is a multiple of 32 bytes [{KERNEL_SIDE}/GetTensorC]",
    "block_that_was_never_cached": f"AIV 0: {{here}}: GetTensorC: there is no Iterate<false> whose blocks could be taken\n  rule: GetTensorC takes a block that Iterate has computed [{KERNEL_SIDE}/GetTensorC]",
    "block_behind_the_last": f"AIV 0: {{here}}: GetTensorC: all 1 blocks of the Iterate<false> have been taken\n  rule: GetTensorC takes a block that Iterate has computed [{KERNEL_SIDE}/GetTensorC]",
    "computed_again_without_a_tensor": f"AIV 0: {{here}}: IterateAll: no tensor has been set since the last computation\n  rule: a computation begins with SetTensorA and SetTensorB [{KERNEL_SIDE}/Matmul使用说明]",
    "matrices_of_no_rows": f"AIV 0: {{here}}: SetOrgShape: M is 0, N 16, Ka 16, Kb 16, Kc 16\n  rule: the lengths of the whole matrices are above 0 [{KERNEL_SIDE}/SetOrgShape]",
    "matrix_that_nobody_wrote": f"AIC: {{here}}: IterateAll: row 0 of matrix A depends on bytes of workspace that no core has written, read by IterateAll at {{here}} (SyncAll orders it behind another core's writes)\n  rule: what a product reads of global memory has been written before [{KERNEL_SIDE}/SetTensorA]",
}
# fmt: on


@pytest.fixture(scope="module")
def kernel(root: Path, tmp_path_factory: pytest.TempPathFactory) -> Kernel:
    inputs = {"a": "float16", "b": "float16"}
    return compile_kernel(root, CASES.source, "matmul_wrong", inputs, {"z": "float32"},
                          tmp_path_factory.mktemp("matmul_wrong"), include_dirs=[HOST_HEADERS])  # fmt: skip


def launch(kernel: Kernel, key: int, block_dim: int = 1) -> np.ndarray:
    a = np.random.default_rng(1).uniform(-1, 1, (16, 16)).astype(np.float16)
    z = np.zeros((16, 16), np.float32)
    run(kernel, [a, a], [z], tiling=TILING.packed(), tiling_key=key, block_dim=block_dim,
        workspace_bytes=SYSTEM_WORKSPACE + 4096, roles={"workspace": WORKSPACE})  # fmt: skip
    return z / (a.astype(np.float32) @ a.astype(np.float32))


def refusal(kernel: Kernel, key: int, block_dim: int = 1) -> LaunchError:
    with pytest.raises(LaunchError) as refused:
        launch(kernel, key, block_dim)
    return refused.value


def test_every_case_is_tested() -> None:
    assert CASES.wrong == [*WRONG, "waits_for_the_other_kind"]


@pytest.mark.parametrize("case", WRONG)
def test_refused(kernel: Kernel, case: str) -> None:
    refused = refusal(kernel, CASES.key(case))
    assert refused.report == f"MatmulWrong: block 0 of 1, {WRONG[case].format(here=CASES.here(case))}"
    assert refused.status == EXCEPTION


def test_a_cube_core_that_nobody_calls(kernel: Kernel) -> None:
    case = "waits_for_the_other_kind"
    lines = CASES.source.read_text().splitlines()
    regist = next(i for i, line in enumerate(lines, 1) if "ub, &t.cube);" in line)
    assert refusal(kernel, CASES.key(case)).report == (
        "MatmulWrong: deadlock: 2 of the 3 cores wait for ever, the others have returned\n"
        f"  block 0 of 1, AIC: {CASES.source}:{regist}: REGIST_MATMUL_OBJ: waits for a call of the Matmul object on an"
        f" AIV\n  block 0 of 1, AIV 0: {CASES.here(case)}: CrossCoreWaitFlag: waits for flag 5, which nobody has set\n"
        "  rule: what a core waits for is sent by another core that can still run"
        " [基础API/同步控制/核间同步/核间同步能力概述]"
    )


def test_registered_without_the_workspace_of_the_system(kernel: Kernel) -> None:
    line = next(i for i, text in enumerate(CASES.source.read_text().splitlines(), 1) if "// <- no_workspace" in text)
    refused = refusal(kernel, 100)
    assert refused.report.split(f"{CASES.source}:{line}: ")[1] == (
        "REGIST_MATMUL_OBJ: the workspace is null\n  rule: REGIST_MATMUL_OBJ takes the TPipe and the system workspace"
        f" (GetSysWorkSpacePtr()) [{KERNEL_SIDE}/REGIST_MATMUL_OBJ]"
    )


def test_four_bits_compile_and_are_refused(kernel: Kernel) -> None:
    line = next(i for i, text in enumerate(CASES.source.read_text().splitlines(), 1) if "// <- four_bits" in text)
    refused = refusal(kernel, 102)
    assert refused.report.split(f"{CASES.source}:{line}: ")[1] == (
        "REGIST_MATMUL_OBJ: A and B have the data type int4b_t\n  rule: products of int4b_t are not simulated: a kernel"
        f" with one compiles [{KERNEL_SIDE}/Matmul使用说明]"
    )


def test_an_object_behind_its_scope(kernel: Kernel) -> None:
    line = next(i for i, text in enumerate(CASES.source.read_text().splitlines(), 1) if "// <- left" in text)
    refused = refusal(kernel, 101)
    assert refused.report.split(f"{CASES.source}:{line}: ")[1] == (
        "IterateAll: that scope has ended, and with it the cube core's part of the kernel\n  rule: an object is used in the scope of its REGIST_MATMUL_OBJ"
        f" [{KERNEL_SIDE}/REGIST_MATMUL_OBJ]"
    )


def test_more_blocks_than_cube_cores(kernel: Kernel) -> None:
    assert refusal(kernel, CASES.key("ok_partial_sum"), 25).report == (
        "MatmulWrong: block dim 25 is above the 24 cube cores of Ascend910B1; a block of KERNEL_TYPE_MIX_AIC_1_2 is one"
        " AIC and two AIVs\n  rule: block dim is 1 to the number of cores [guide/编程指南/编程模型, SetBlockDim]"
    )


@pytest.mark.parametrize(("case", "times"), [("ok_partial_sum", 2), ("ok_last_cached_block", 1),
                                             ("ok_computed_again_with_a_tensor", 1)])  # fmt: skip
def test_right_calls(kernel: Kernel, case: str, times: int) -> None:
    assert np.allclose(launch(kernel, CASES.key(case)), times, rtol=1e-4)


def test_as_many_blocks_as_cube_cores(kernel: Kernel) -> None:
    launch(kernel, CASES.key("ok_last_cached_block"), 24)
