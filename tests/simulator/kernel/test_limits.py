"""The last legal step and the first illegal one of what has a limit, with the whole message."""

from __future__ import annotations

import ctypes
import os
import struct
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from harness import SOURCES, Kernel, LaunchError, aligned, compile_kernel, run
from marked_cases import MarkedCases

pytestmark = pytest.mark.compiler

CASES = MarkedCases(SOURCES / "limits.cpp")
COUNT = 256
PAD_IN = "[基础API/Memory矢量计算/数据搬运/DataCopyPad（GMToUB非对齐数据搬运）]"
COPY = "[基础API/Memory矢量计算/数据搬运/DataCopy（GM与UB连续数据搬运）]"
STRIDED = "[基础API/Memory矢量计算/数据搬运/DataCopy（GM与UB高维切分数据搬运）]"

# ruff: noqa: E501, RUF001 - the messages stand as they are printed
# fmt: off
WRONG = {
    "queue_of_no_buffers": "InitBuffer: 0 buffers of 256 bytes are no buffers\n  rule: a queue gets its buffers from InitBuffer before it is used [基础API/资源管理/TPipe/InitBuffer]",
    "queue_beyond_64_buffers": "InitBuffer: 66 buffers are in use with this one's 2\n  rule: a kernel may use at most 64 buffers [基础API/资源管理/TPipe/InitBuffer]",
    "tensor_of_a_reset_pipe": "Duplicate: dst is a tensor of a pipe that has been reset\n  rule: a tensor must not be used after FreeTensor [基础API/资源管理/TQue/FreeTensor]",
    "copy_of_a_part_of_a_block": f"DataCopy: the length in bytes is 16\n  rule: DataCopy moves whole blocks of 32 bytes; DataCopyPad moves the rest {COPY}",
    "copy_of_65536_blocks": f"DataCopy: the length in bytes is 2097152\n  rule: blockLen is at most 65535 blocks of 32 bytes {COPY}",
    "copy_of_4096_bursts": f"DataCopy: blockCount is 4096\n  rule: blockCount is at most 4095 {STRIDED}",
    "padded_copy_of_a_part_of_an_element": f"DataCopyPad: blockLen is 6\n  rule: blockLen is a multiple of sizeof(T) {PAD_IN}",
    "padded_copy_of_2097152_bytes": f"DataCopyPad: blockLen is 2097152\n  rule: blockLen is at most 2097151 bytes {PAD_IN}",
    "left_padding_of_nine_floats": f"DataCopyPad: leftPadding in bytes is 36\n  rule: leftPadding is at most 32 bytes {PAD_IN}",
    "right_padding_of_nine_floats": f"DataCopyPad: rightPadding in bytes is 36\n  rule: rightPadding is at most 32 bytes {PAD_IN}",
    "padding_with_a_value_of_64_bits": f"DataCopyPad: paddingValue is 5\n  rule: paddingValue of a 64-bit type is 0 {PAD_IN}",
    "address_inside_of_an_element": f"DataCopy: the address modulo sizeof(T) is 2\n  rule: a global memory address is a multiple of sizeof(T) {COPY}",
    "rounding_where_nothing_is_rounded": "Cast: half to float does not take RoundMode::CAST_RINT\n  rule: each pair of data types takes the rounding modes of its row [基础API/Memory矢量计算/类型转换/Cast]",
    "integers_compared_by_order": "Compare: this CMPMODE is not supported for int32_t\n  rule: int32_t is compared with EQ only [基础API/Memory矢量计算/比较与选择/Compare]",
    "atomic_part_of_an_element": "DataCopyPad: 6 bytes in elements of 4\n  rule: a transfer with an atomic operation moves whole elements of the operation's data type [基础API/原子操作/SetAtomicAdd]",
    "tiling_from_elsewhere": "GET_TILING_DATA: the kernel reads 4 bytes of tiling data, the launch has 4, and the pointer is not the last argument of the kernel\n  rule: the kernel's tiling struct is the one the tiling function filled [基础API/Kernel-Tiling/GET_TILING_DATA]",
    "no_workspace_of_the_system": "SetValue: the workspace has 1024 bytes, of which the first 16777216 are the system's: the host has not asked for GetLibApiWorkSpaceSize()\n  rule: the tiling function asks for a workspace of GetLibApiWorkSpaceSize() and the kernel's own part behind it [基础API/资源管理/workspace/SetSysWorkSpace]",
}
# fmt: on


@pytest.fixture(scope="module")
def kernel(root: Path, tmp_path_factory: pytest.TempPathFactory) -> Kernel:
    folder = tmp_path_factory.mktemp("limits")
    return compile_kernel(root, CASES.source, "limits", {"x": "float32"}, {"z": "float32"}, folder)


def launch(kernel: Kernel, case: str, *, checks: bool = True, block_dim: int = 1) -> np.ndarray:
    x, z = aligned(COUNT, np.float32), aligned(COUNT, np.float32)
    x[:] = np.arange(COUNT)
    tiling, key = struct.pack("<I", COUNT), CASES.key(case)
    run(kernel, [x], [z], tiling=tiling, tiling_key=key, checks=checks, block_dim=block_dim)
    return z


def test_every_case_is_tested() -> None:
    assert CASES.wrong == list(WRONG)


@pytest.mark.parametrize("case", WRONG)
def test_behind_the_limit(kernel: Kernel, case: str) -> None:
    with pytest.raises(LaunchError) as refused:
        launch(kernel, case)
    assert refused.value.report == f"Limits: block 0 of 1: {CASES.here(case)}: {WRONG[case]}"


@pytest.mark.parametrize("checks", [True, False])
@pytest.mark.parametrize("case", CASES.right)
def test_inside_of_the_limit(kernel: Kernel, case: str, *, checks: bool) -> None:
    launch(kernel, case, checks=checks)


def test_results_of_right_kernels(kernel: Kernel) -> None:
    assert launch(kernel, "ok_last_elements_one_by_one")[-1] == COUNT - 1
    rows = launch(kernel, "ok_arithmetic_over_padding")[:15]
    assert rows.tolist() == [2.0 * i for i in range(15)]


def test_block_dim_of_zero(kernel: Kernel) -> None:
    with pytest.raises(LaunchError) as refused:
        launch(kernel, "ok_full_queue", block_dim=0)
    assert refused.value.report == (
        "Limits: block dim is 0: a launch has at least one block\n"
        "  rule: block dim is 1 to the number of cores [guide/编程指南/编程模型, SetBlockDim]"
    )
    launch(kernel, "ok_last_elements_one_by_one", block_dim=1)


def test_a_kernel_called_by_hand(kernel: Kernel) -> None:
    program = f"import ctypes; ctypes.CDLL({str(kernel.path)!r}).sim_kernel_entry((ctypes.c_uint64 * 4)())"
    env = {**os.environ, "LD_LIBRARY_PATH": str(kernel.toolkit_root / "lib64")}
    done = subprocess.run([sys.executable, "-c", program], env=env, capture_output=True, text=True, check=False)
    assert done.returncode != 0
    assert done.stderr == "ascendc_sim: a kernel function was called outside of a launch\n"


def test_a_launch_without_its_parts(kernel: Kernel) -> None:
    """What a host that fills the struct by hand may forget: libascendc_sim says so instead of reading null."""
    report = ctypes.create_string_buffer(512)
    request = (ctypes.c_uint64 * 32)()
    name = ctypes.create_string_buffer(b"Limits")
    request[0] = ctypes.addressof(name)  # sim_launch begins with op_type; everything else is null
    engine = ctypes.CDLL(str(kernel.toolkit_root / "lib64" / "libascendc_sim.so"), mode=ctypes.RTLD_GLOBAL)
    entry = ctypes.cast(ctypes.CDLL(str(kernel.path)).sim_kernel_entry, ctypes.c_void_p)
    assert engine.sim_engine_run(request, entry, report, ctypes.c_uint64(512), None) != 0
    assert report.value.decode() == "Limits: the launch lacks its SoC, arguments, regions or tiling data"
