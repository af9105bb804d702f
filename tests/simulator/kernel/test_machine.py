"""Synchronisation, caches, registers, intrinsics of the compiler, printing: what they do and what they refuse."""

from __future__ import annotations

import re
import struct
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from harness import SOURCES, TESTS, Kernel, LaunchError, aligned, compile_kernel, run
from marked_cases import MarkedCases

pytestmark = pytest.mark.compiler

CASES = MarkedCases(SOURCES / "machine.cpp")
COUNT = 256
X = np.arange(COUNT, dtype=np.float32)
CONVERSIONS = "\n  rule: printf takes %d %i %ld %lld of integers, %u %lu %llu of integers that are not negative, %x of integers, %f %F of float, half and bfloat16_t, %s of texts and %p of addresses [Utils-API/调测接口/printf]"
ARGUMENTS = "\n  rule: printf has as many arguments as its text has conversions [Utils-API/调测接口/printf]"
ASSERT = "\n  rule: an assertion of the kernel holds [基础API/调试接口/异常检测/assert]"
TURNS = ": no turns have begun in this workspace\n  rule: InitDetermineComputeWorkspace comes before WaitPreBlock and NotifyNextBlock [基础API/同步控制/核间同步/InitDetermineComputeWorkspace]"


def before(case: str, lines: int) -> str:
    """A place above the mark."""
    file, _, line = CASES.here(case).rpartition(":")
    return f"{file}:{int(line) - lines}"


def saturated(case: str) -> str:
    """The line above the mark has set the mode."""
    return (
        f"Duplicate: computes with bit 48 of the control register 0, since {before(case, 1)}\n"
        "  rule: infinities and NaN are kept: the saturating mode is not simulated"
        " [基础API/特殊寄存器访问/SetCtrlSpr(ISASI)]"
    )


# ruff: noqa: E501, RUF001 - the messages stand as they are printed
# fmt: off
WRONG = {
    "instructions_beyond_the_cache": "ICachePreLoad: preFetchLen is 8\n  rule: ICachePreLoad asks for less than the instruction cache: 16 units of 2 KiB on an AIC, 8 on an AIV [基础API/缓存控制/ICachePreLoad(ISASI)]",
    "saturating_arithmetic": saturated("saturating_arithmetic"),
    "saturation_flag": saturated("saturation_flag"),
    "saturation_by_the_library": saturated("saturation_by_the_library"),
    "trapped": "Trap: the kernel has called it\n  rule: Trap ends the kernel [基础API/调试接口/异常检测/Trap]",
    "fill_without_room": "InitOutput: nothing is left of it\n  rule: Fill goes through what no InitBuffer has taken of the unified buffer [高阶API/张量变换/Fill-97]",
    "fill_beyond_the_tensor": "Fill: writes 1028 bytes at offset 0 of z, which has 1024 bytes (4 too many)\n  rule: a kernel may touch only the tensors, workspace and tiling data of its launch [基础API/数据结构/GlobalTensor/SetGlobalBuffer]",
    "fill_before_another_is_done": f"Fill: pipe V overwrites UB address 0, which Fill on pipe MTE3 reads at {before('fill_before_another_is_done', 2)}, without a synchronisation MTE3 to V\n  rule: instructions of MTE2, V and MTE3 are ordered only by EnQue/DeQue, AllocTensor/FreeTensor or SetFlag/WaitFlag [基础API/同步控制/核内同步/关键特性说明]",
    "turn_never_begun": f"WaitPreBlock{TURNS}",
    "turn_passed_never_begun": f"NotifyNextBlock{TURNS}",
    "turn_without_room": "InitDetermineComputeWorkspace: ubWorkspace has 32 bytes, 64 are needed\n  rule: gmWorkspace has 32 bytes for each AIV, ubWorkspace as many and 32 more [基础API/同步控制/核间同步/InitDetermineComputeWorkspace]",
    "printed_float_as_integer": f'printf: argument 2 of "%d and %d\n" is a floating-point number, for %d{CONVERSIONS}',
    "printed_integer_as_float": f'printf: argument 1 of "%f\n" is a signed integer, for %f{CONVERSIONS}',
    "printed_negative_as_unsigned": f'printf: argument 1 of "%u\n" is a signed integer, for %u{CONVERSIONS}',
    "printed_unknown_conversion": f'printf: argument 1 of "%e\n" is a floating-point number, for %e{CONVERSIONS}',
    "printed_without_argument": f'printf: conversion number 2 of "%d %d\n" has no argument{ARGUMENTS}',
    "printed_with_too_many": f'printf: "%d\n" has 1 conversions, the call 2 arguments{ARGUMENTS}',
    "asserted": f"assert: d.count == 0{ASSERT}",
    "asserted_with_words": f"ascendc_assert: d.count == 0: count is 256, not 0\n{ASSERT}",
    "dumped_beyond_the_tensor": "DumpTensor: 257 elements of a tensor of 256\n  rule: what DumpTensor prints lies inside its tensor [基础API/调试接口/上板打印/DumpTensor]",
    "printed_unsigned_as_float": f'printf: argument 1 of "%f\n" is an unsigned integer, for %f{CONVERSIONS}',
    "dumped_from_l0a": "DumpTensor: the tensor lies in the L0A buffer\n  rule: DumpTensor prints tensors of the unified buffer, L1, L0C and global memory [基础API/调试接口/上板打印/DumpTensor]",
    "raw_flag_never_set": "WaitFlag: event V_MTE3 id 3 has not been set: the pipe waits for ever\n  rule: SetFlag and WaitFlag of one event and id come in pairs [基础API/同步控制/核内同步/SetFlag-WaitFlag(ISASI)]",
    "raw_copy_beyond_the_buffer": "copy_gm_to_ubuf: dst needs 32 bytes from UB address 196600, but its tensor ends at 196608 (24 too many)\n  rule: an operand lies inside its tensor [基础API/Memory矢量计算/数据搬运/DataCopy（GM与UB高维切分数据搬运）]",
}
# fmt: on

ANSWERS = {
    "ok_registers": [1, 1, 0, 1, 0, 1, 2, 0, 4, 0, 32, 1],
    "ok_fill": [*[3] * 7, *[-1] * 100, *[0] * (COUNT - 107)],
    "ok_barriers": X + 1,
    "ok_intrinsics": [*X[:32], *X[128:160], 1, 2, 3, 2, 96],
    "ok_raw_masks": [*(X[:70] + 1), *[7] * (COUNT - 70)],
    "ok_async": [6],
}
OTHERS = {"ok_fill_in_pieces", "ok_turns", "ok_printing"}

PRINTED = """descId is 3, rsv is 0, timeStamp is T, pcPtr is 0, entry is 0.
-1 2 -3 4 ff 1.500000 0.500000 text % 0x0
plain 1
   42|0002.000|7
DumpTensor: desc=5, addr=0, data_type=float32, position=UB, dump_size=4
[0.000000, 1.000000, 2.000000, 3.000000]
DumpTensor: desc=6, addr=0, data_type=float32, position=UB, dump_size=5
[[0.000000, 1.000000, 2.000000],
[3.000000, 4.000000, -]]
DumpTensor: desc=7, addr=X, data_type=float32, position=GM, dump_size=2
[0.000000, 1.000000]
DumpTensor: desc=8, addr=0, data_type=int32, position=UB, dump_size=1
[0]
DumpTensor: desc=9, addr=24, data_type=float32, position=UB, dump_size=4
[6.000000, 7.000000, ?, ?]
DumpTensor: desc=10, addr=X, data_type=float32, position=GM, dump_size=1
[3.000000]
DumpTensor: desc=11, addr=X, data_type=float32, position=GM, dump_size=8
[[0.000000, 1.000000, 2.000000],
[3.000000, 4.000000, 5.000000]]
DumpTensor: desc=12, addr=2048, data_type=uint8, position=UB, dump_size=32768
(above 30 KiB: the device prints nothing of it)
"""


@pytest.fixture(scope="module")
def kernel(root: Path, tmp_path_factory: pytest.TempPathFactory) -> Kernel:
    folder = tmp_path_factory.mktemp("machine")
    options = ("-DASCENDC_TIME_STAMP_ON",)
    return compile_kernel(root, CASES.source, "machine", {"x": "float32"}, {"z": "float32"}, folder, options=options)


def launch(kernel: Kernel, case: str, *, checks: bool = True, block_dim: int = 1) -> np.ndarray:
    x, z = aligned(COUNT, np.float32), aligned(COUNT, np.float32)
    x[:] = X
    z[:] = 99 if case != "ok_turns" else 0
    run(
        kernel,
        [x],
        [z],
        tiling=struct.pack("<I", COUNT),
        tiling_key=CASES.key(case),
        checks=checks,
        block_dim=block_dim,
        workspace_bytes=4096,
    )
    return z


def test_every_case_is_tested() -> None:
    assert CASES.wrong == list(WRONG)
    assert set(CASES.right) == set(ANSWERS) | OTHERS


@pytest.mark.parametrize("case", WRONG)
def test_refused(kernel: Kernel, case: str) -> None:
    with pytest.raises(LaunchError) as refused:
        launch(kernel, case)
    assert refused.value.report == f"Machine: block 0 of 1: {CASES.here(case)}: {WRONG[case]}"


@pytest.mark.parametrize("checks", [True, False])
@pytest.mark.parametrize("case", ANSWERS)
def test_answers(kernel: Kernel, case: str, *, checks: bool) -> None:
    assert launch(kernel, case, checks=checks)[: len(ANSWERS[case])].tolist() == list(ANSWERS[case])


def test_filling_in_pieces(kernel: Kernel) -> None:
    halves = launch(kernel, "ok_fill_in_pieces").view(np.float16)
    assert (halves[:-3] == 2).all()
    assert (halves.view(np.uint16)[-3:] == np.full(1, 99, np.float32).view(np.uint16)[[1, 0, 1]]).all()


@pytest.mark.parametrize("blocks", [1, 2, 7])
def test_cores_in_turn(kernel: Kernel, blocks: int) -> None:
    """The order shows in the value: each core doubles what it finds and adds its index."""
    want = 0
    for index in [*range(blocks)] * 2:
        want = want * 2 + index
    assert launch(kernel, "ok_turns", block_dim=blocks).view(np.int32)[0] == want


def test_printing(kernel: Kernel) -> None:
    code = (
        f"import sys; sys.path.insert(0, {str(TESTS)!r})\n"
        "from pathlib import Path\nimport struct, numpy as np, harness\n"
        f"k = harness.Kernel(Path({str(kernel.path)!r}), 'M', ('x',), ('z',), Path({str(kernel.toolkit_root)!r}))\n"
        "x = np.arange(256, dtype=np.float32)\n"
        f"harness.run(k, [x], [x.copy()], tiling=struct.pack('<I', 256), tiling_key={CASES.key('ok_printing')})\n"
        "print('addr', x.ctypes.data)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    printed, _, address = done.stdout.rpartition("addr ")
    start = int(address)
    want = PRINTED.replace("desc=10, addr=X", f"desc=10, addr={start + 12}").replace("addr=X", f"addr={start}")
    assert re.sub(r"timeStamp is \d+", "timeStamp is T", printed) == want
