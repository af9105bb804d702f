"""Every check of the engine by a kernel that breaks its rule, with the whole message, and kernels near the edge."""

from __future__ import annotations

import re
import struct
from pathlib import Path

import numpy as np
import pytest
from harness import SOURCES, Kernel, LaunchError, aligned, compile_kernel, run

pytestmark = pytest.mark.compiler

SOURCE = SOURCES / "cases.cpp"
COUNT = 256
TIMEOUT, VECTOR = 507014, 507035

# ruff: noqa: E501 - the messages stand as they are printed
# case: status, and the message behind "Cases: block 0 of 1: <file>:<line of "here">: "
WRONG = {
    "ub_capacity": (VECTOR, "InitBuffer: 196672 bytes after the 0 already taken need 196672, but ascend910b has 196608"
                    " bytes of unified buffer\n  rule: all buffers together must fit into the unified buffer"
                    " [基础API/资源管理/TPipe/InitBuffer]"),
    "too_many_buffers": (VECTOR, "InitBuffer: this is buffer number 65\n  rule: a kernel may use at most 64 buffers"
                         " [基础API/资源管理/TPipe/InitBuffer]"),
    "queue_without_buffers": (VECTOR, "AllocTensor: this queue has no buffers\n  rule: a queue gets its buffers from"
                              " InitBuffer before it is used [基础API/资源管理/TPipe/InitBuffer]"),
    "alloc_beyond_buffers": (TIMEOUT, "AllocTensor: all 2 buffers of this VECIN queue are in use\n  rule: a buffer is"
                             " freed before it can be allocated again [基础API/资源管理/TQue/AllocTensor]"),
    "deque_of_empty_queue": (TIMEOUT, "DeQue: this VECIN queue is empty\n  rule: DeQue of an empty queue waits for ever"
                             " [基础API/资源管理/TQue/DeQue]"),
    "deque_of_freed_tensor": (TIMEOUT, "DeQue: this VECIN queue is empty\n  rule: DeQue of an empty queue waits for ever"
                              " [基础API/资源管理/TQue/DeQue]"),
    "deque_of_an_empty_deeper_queue": (TIMEOUT, "DeQue: this VECIN queue is empty\n  rule: DeQue of an empty queue waits"
                                       " for ever [基础API/资源管理/TQue/DeQue]"),
    "enque_twice": (VECTOR, "EnQue: the tensor at UB address 0 is already in the queue\n  rule: a tensor goes"
                    " AllocTensor, EnQue, DeQue, FreeTensor [基础API/资源管理/TQue/EnQue]"),
    "enque_beyond_depth": (TIMEOUT, "EnQue: this VECIN queue of depth 1 already holds 1 tensors\n  rule: a queue holds"
                           " at most `depth` tensors [基础API/资源管理/TQue/EnQue]"),
    "two_pipes": (VECTOR, "TPipe: another TPipe is there already, with 1 buffers\n  rule: there is one TPipe at a time"
                  " [基础API/资源管理/TPipe/TPipe构造函数]"),
    "never_freed": (VECTOR, "AllocTensor: the tensor of 256 bytes at UB address 0 of the VECIN queue has not been freed"
                    " at the end of the kernel\n  rule: every tensor that was allocated is freed"
                    " [基础API/资源管理/TQue/FreeTensor]"),
    "still_queued": (VECTOR, "AllocTensor: the tensor of 256 bytes at UB address 0 of the VECIN queue is still queued"
                     " at the end of the kernel\n  rule: every tensor that was allocated is freed"
                     " [基础API/资源管理/TQue/FreeTensor]"),
    "freed_twice": (VECTOR, "FreeTensor: the tensor at UB address 0 was freed before\n  rule: a queue takes back only"
                    " tensors it gave out [基础API/资源管理/TQue/FreeTensor]"),
    "freed_while_queued": (VECTOR, "FreeTensor: the tensor at UB address 0 is in the queue: DeQue it first\n  rule: a"
                           " tensor goes AllocTensor, EnQue, DeQue, FreeTensor [基础API/资源管理/TQue/EnQue]"),
    "foreign_tensor": (VECTOR, "FreeTensor: the tensor at UB address 0 does not come from this queue\n  rule: a queue"
                       " takes back only tensors it gave out [基础API/资源管理/TQue/FreeTensor]"),
    "too_many_of_one_position": (TIMEOUT, "AllocTensor: 9 tensors of position VECIN would be allocated at once,"
                                 " ascend910b has events for 8\n  rule: all queues of one TPosition share the events of"
                                 " its buffers [基础API/资源管理/TQue/AllocTensor]"),
    "too_many_free_events": (TIMEOUT, "FreeTensor: 9 buffers of position VECIN are freed and wait for AllocTensor,"
                             " ascend910b has events for 8\n  rule: all queues of one TPosition share the events of its"
                             " buffers [基础API/资源管理/TQue/AllocTensor]"),
    "used_after_free": (VECTOR, "Duplicate: dst at UB address 0 was freed, and its buffer has been allocated again at"
                        " {there}\n  rule: a tensor must not be used after FreeTensor [基础API/资源管理/TQue/FreeTensor]"),
    "no_mte2_to_v": (VECTOR, "Add: pipe V reads UB address 0, which DataCopy on pipe MTE2 wrote at {there}, without a"
                     " synchronisation MTE2 to V\n{pipes}"),
    "no_v_to_mte3": (VECTOR, "DataCopy: pipe MTE3 reads UB address 0, which Duplicate on pipe V wrote at {there},"
                     " without a synchronisation V to MTE3\n{pipes}"),
    "no_mte3_to_v": (VECTOR, "Duplicate: pipe V overwrites UB address 0, which DataCopy on pipe MTE3 reads at {there},"
                     " without a synchronisation MTE3 to V\n{pipes}"),
    "no_v_to_mte2": (VECTOR, "DataCopy: pipe MTE2 overwrites UB address 0, which Duplicate on pipe V wrote at"
                     " {before}, without a synchronisation V to MTE2\n{pipes}"),
    "no_mte2_to_mte3": (VECTOR, "DataCopy: pipe MTE3 reads UB address 0, which DataCopy on pipe MTE2 wrote at {there},"
                        " without a synchronisation MTE2 to MTE3\n{pipes}"),
    "deque_forgotten": (VECTOR, "Add: pipe V reads UB address 3072, which DataCopy on pipe MTE2 wrote at {there},"
                        " without a synchronisation MTE2 to V\n{pipes}"),
    "freed_too_early": (VECTOR, "Add: src0 at UB address 3072 was freed, and its buffer is for whoever allocates next\n"
                        "  rule: a tensor must not be used after FreeTensor [基础API/资源管理/TQue/FreeTensor]"),
    "mte2_over_mte2": (VECTOR, "DataCopy: overwrites UB address 32, which DataCopy on the same pipe MTE2 wrote at"
                       " {there}, without a PipeBarrier<PIPE_MTE2>\n  rule: transfers of one MTE whose addresses overlap"
                       " need a PipeBarrier between them [基础API/同步控制/核内同步/PipeBarrier(ISASI)]"),
    "gm_written_then_read": (VECTOR, "DataCopy: pipe MTE2 reads 32 bytes of global memory that DataCopy on pipe MTE3"
                             " wrote at {there}, without a synchronisation\n{gm_order}"),
    "gm_written_twice": (VECTOR, "DataCopy: pipe MTE3 overwrites 32 bytes of global memory that DataCopy on pipe MTE3"
                         " wrote at {there}, without a synchronisation\n{gm_order}"),
    "flag_set_twice": (VECTOR, "SetFlag: event MTE2_V id 3 is set again before it was waited for (set at {there})\n{flags}"),
    "flag_never_set": (TIMEOUT, "WaitFlag: event MTE2_MTE3 id 0 has not been set: the pipe waits for ever\n{flags}"),
    "flag_never_waited_for": (VECTOR, "SetFlag: event V_MTE3 id 7 is never waited for\n{flags}"),
    "event_id_out_of_range": (VECTOR, "SetFlag: event V_MTE3 has no id 8\n  rule: event ids are 0 to 7"
                              " [基础API/同步控制/核内同步/SetFlag-WaitFlag(ISASI)]"),
    "event_ids_used_up": (VECTOR, "AllocEventID: all 8 ids of event MTE2_V are in use\n{ids}"),
    "event_id_not_allocated": (VECTOR, "ReleaseEventID: id 2 of event MTE2_V was not allocated\n{ids}"),
    "unaligned": (VECTOR, "Add: src0 starts at UB address 4, 4 bytes behind a multiple of 32\n  rule: tensors in the"
                  " unified buffer start at a multiple of 32 bytes [通用说明和约束, 通用地址对齐约束]"),
    "count_beyond_tensor": (VECTOR, "Duplicate: dst needs 1028 bytes from UB address 0, but its tensor ends at 1024 (4"
                            " too many)\n  rule: an operand lies inside its tensor"
                            " [基础API/Memory矢量计算/数据填充/Duplicate]"),
    "negative_count": (VECTOR, "Duplicate: count is -1\n  rule: count is the number of elements from the start of the"
                       " tensors [基础API/Memory矢量计算/SIMD计算说明/连续计算]"),
    "partial_overlap": (VECTOR, "Muls: dst covers UB addresses 32 to 288, src 0 to 256\n  rule: source and destination"
                        " are the same tensor or do not overlap [通用说明和约束, 通用地址重叠约束]"),
    "gm_read_too_far": (VECTOR, "DataCopyPad: reads 12 bytes at offset 1016 of x, which has 1024 bytes (4 too many)\n"
                        "{bounds}"),
    "gm_write_too_far": (VECTOR, "DataCopyPad: writes 4 bytes at offset 1024 of z, which has 1024 bytes (4 too many)\n"
                         "{bounds}"),
    "gm_write_to_input": (VECTOR, "DataCopy: writes 32 bytes at offset 0 of x, which is an input\n  rule: inputs and"
                          " tiling data are read-only [基础API/数据结构/GlobalTensor/SetGlobalBuffer]"),
    "gm_null": (VECTOR, "DataCopy: reads 32 bytes at address 0x0, which is not memory of this launch\n{bounds}"),
    "gm_scalar_too_far": (VECTOR, "SetValue: writes 4 bytes at offset 1024 of z, which has 1024 bytes (4 too many)\n"
                          "{bounds}"),
    "cache_line_read": (VECTOR, "DataCopy: reads a line of 64 bytes that SetValue wrote at {there} and that is still in"
                        " the data cache\n{cache}"),
    "cache_line_written": (VECTOR, "DataCopy: writes a line of 64 bytes that SetValue wrote at {there} and that is still"
                           " in the data cache\n{cache}"),
    "undefined_to_gm": (VECTOR, "DataCopyPad: the byte at UB address 32 (element 8 of block 0) has never been written\n"
                        "{undefined}"),
    "undefined_through_arithmetic": (VECTOR, "DataCopy: the byte at UB address 1276 (element 63 of block 0) has never"
                                     " been written\n{undefined}"),
    "undefined_after_alloc": (VECTOR, "DataCopy: the byte at UB address 0 is from before AllocTensor at {there}\n"
                              "  rule: what a tensor holds after AllocTensor is undefined [基础API/资源管理/TQue/AllocTensor]"),
    "undefined_padding": (VECTOR, "DataCopy: the byte at UB address 4 (element 1 of block 0) has never been written\n"
                          "{undefined}"),
    "undefined_scalar": (VECTOR, "GetValue: element 8 at UB address 32 has never been written\n  rule: a scalar read"
                         " needs a defined value [基础API/资源管理/TQue/AllocTensor]"),
    "undefined_scalar_moved": (VECTOR, "DataCopy: the byte at UB address 1036 (element 3 of block 0) has never been"
                               " written\n{undefined}"),
    "undefined_select": (VECTOR, "DataCopy: the byte at UB address 252 (element 63 of block 0) has never been written\n"
                         "{undefined}"),
    "index_out_of_range": (VECTOR, "SetValue: element 256 of a tensor of 256 elements\n  rule: an element index lies"
                           " inside the tensor [基础API/数据结构/LocalTensor/GetValue]"),
    "view_out_of_range": (VECTOR, "Get: 100 bytes at offset 32 of a buffer of 128 bytes\n{view}"),
    "size_beyond_unified_buffer": (VECTOR, "Duplicate: dst needs 240000 bytes from UB address 0, but its tensor ends at"
                                   " 196608 (43392 too many)\n  rule: an operand lies inside its tensor"
                                   " [基础API/Memory矢量计算/数据填充/Duplicate]"),
    "fixed_address_out_of_range": (VECTOR, "LocalTensor: 36 bytes at UB address 196576 end behind the 196608 of the"
                                   " unified buffer\n{view}"),
    "mask_too_wide": (VECTOR, "Exp: the mask selects 65 lanes, a repeat has 64\n{mask}"),
    "destination_stride_of_zero": (VECTOR, "Add: dstBlkStride is 0\n  rule: dstBlkStride is at least 1"
                                   " [基础API/Memory矢量计算/SIMD计算说明/高维切分]"),
    "repeats_beyond_tensor": (VECTOR, "Exp: dst needs 1280 bytes from UB address 1024, but its tensor ends at 2048 (256 too"
                              " many)\n  rule: an operand lies inside its tensor [基础API/Memory矢量计算/基础算术/Exp]"),
    "shift_too_far": (VECTOR, "ShiftLeft: the shift is by 17 bits\n  rule: a shift is by 0 to 16 bits for 16-bit types"
                      " and by 0 to 32 for 32-bit types [基础API/Memory矢量计算/逻辑计算/ShiftLeft]"),
    "compare_of_a_part": (VECTOR, "Compare: 63 elements of float are 252 bytes\n  rule: the compared elements fill"
                          " whole repeats of 256 bytes [基础API/Memory矢量计算/比较与选择/Compare]"),
    "select_mode": (VECTOR, "Select: this SELMODE does not fit the arguments\n  rule: VSEL_TENSOR_SCALAR_MODE takes a"
                    " scalar, the other modes two tensors [基础API/Memory矢量计算/比较与选择/Select]"),
    "assertion": (VECTOR, 'ASCENDC_ASSERT: d.count < 2: "count is too large"\n  rule: an assertion of the kernel holds'
                  " [基础API/调试接口/异常检测/assert]"),
    "tiling_too_large": (VECTOR, "GET_TILING_DATA: the kernel reads 1600 bytes of tiling data, the launch has 4\n  rule:"
                         " the kernel's tiling struct is the one the tiling function filled"
                         " [基础API/Kernel-Tiling/GET_TILING_DATA]"),
}  # fmt: skip

RULES = {
    "pipes": "  rule: instructions of MTE2, V and MTE3 are ordered only by EnQue/DeQue, AllocTensor/FreeTensor or"
    " SetFlag/WaitFlag [基础API/同步控制/核内同步/关键特性说明]",
    "gm_order": "  rule: transfers over the same global memory are ordered only by SetFlag/WaitFlag, queues or"
    " PipeBarrier [基础API/同步控制/核内同步/PipeBarrier(ISASI)]",
    "flags": "  rule: SetFlag and WaitFlag of one event and id come in pairs"
    " [基础API/同步控制/核内同步/SetFlag-WaitFlag(ISASI)]",
    "ids": "  rule: AllocEventID and ReleaseEventID come in pairs, and each event has 8 ids"
    " [基础API/资源管理/TPipe/AllocEventID]",
    "bounds": "  rule: a kernel may touch only the tensors, workspace and tiling data of its launch"
    " [基础API/数据结构/GlobalTensor/SetGlobalBuffer]",
    "undefined": "  rule: what is written to global memory must have been computed or copied before"
    " [基础API/资源管理/TQue/AllocTensor]",
    "cache": "  rule: DataCacheCleanAndInvalid comes between SetValue and a transfer of the same line"
    " [基础API/缓存控制/DataCacheCleanAndInvalid]",
    "view": "  rule: a view lies inside its buffer [基础API/资源管理/TBuf/Get]",
    "mask": "  rule: a mask selects at most 256 / sizeof(T) lanes [基础API/Memory矢量计算/SIMD计算说明/掩码]",
}

# case of cases.cpp: what helps
HINTS = {
    "no_mte2_to_v": "EnQue and DeQue the tensor between the two calls, or SetFlag and WaitFlag an event of the two pipes",
    "gm_written_then_read": "SetFlag and WaitFlag an event of the two pipes between the transfers, or"
    " PipeBarrier<PIPE_ALL>",
    "gm_read_too_far": "the last tile of the last block is often shorter: compute its length from the tiling data",
    "undefined_to_gm": "compute or copy as many elements as are stored, or fill the tensor with Duplicate first",
    "ub_capacity": "smaller tiles, or fewer buffers in the queues",
    "two_pipes": "call Destroy of the one before it, or make it behind that",
    "alloc_beyond_buffers": "FreeTensor as often as AllocTensor, on every way through the loop",
    "deque_of_empty_queue": "EnQue as often as DeQue, and before it, on every way through the loop",
    "cache_line_read": "DataCacheCleanAndInvalid after the last SetValue of the line, before the transfer",
}


def cases() -> list[str]:
    """The names in the order of their tiling keys."""
    return re.findall(r"CASE\((\w+)\)", SOURCE.read_text().split("#define CASES(CASE)")[1].split("extern")[0])


def lines_of(case: str) -> dict[str, int]:
    """The lines of a case that its message names."""
    lines = SOURCE.read_text().splitlines()
    start = next(i for i, line in enumerate(lines) if f" {case}(Data&" in line)
    marks: dict[str, int] = {}
    for number in range(start, len(lines)):
        if lines[number] == "}":
            break
        for mark in ("here", "there"):
            if f"// <- {mark}" in lines[number]:
                marks[mark] = number + 1
    return marks


@pytest.fixture(scope="module")
def kernel(root: Path, tmp_path_factory: pytest.TempPathFactory) -> Kernel:
    return compile_kernel(root, SOURCE, "cases", {"x": "float32"}, {"z": "float32"}, tmp_path_factory.mktemp("cases"))


def launch(kernel: Kernel, case: str, *, checks: bool = True, block_dim: int = 1) -> np.ndarray:
    x, z = np.arange(COUNT, dtype=np.float32), aligned(COUNT, np.float32)
    run(
        kernel,
        [x],
        [z],
        tiling=struct.pack("<I", COUNT),
        tiling_key=cases().index(case),
        checks=checks,
        block_dim=block_dim,
    )
    return z


def test_every_case_is_tested() -> None:
    assert [name for name in cases() if not name.startswith("ok_")] == list(WRONG)


@pytest.mark.parametrize("case", WRONG)
def test_wrong_kernels_are_refused(kernel: Kernel, case: str) -> None:
    status, message = WRONG[case]
    marks = {name: f"{SOURCE}:{line}" for name, line in lines_of(case).items()}
    if "{before}" in message:
        marks["before"] = f"{SOURCE}:{lines_of(case)['there'] - 1}"
    with pytest.raises(LaunchError) as refused:
        launch(kernel, case)
    assert refused.value.report == f"Cases: block 0 of 1: {marks['here']}: " + message.format(**marks, **RULES)
    assert refused.value.status == status


@pytest.mark.parametrize("case", HINTS)
def test_what_helps_is_said(kernel: Kernel, case: str) -> None:
    with pytest.raises(LaunchError) as refused:
        launch(kernel, case)
    assert refused.value.defect["hint"] == HINTS[case]
    assert f"\n  hint: {HINTS[case]}\n" in refused.value.text


@pytest.mark.parametrize("checks", [True, False])
@pytest.mark.parametrize("case", [name for name in cases() if name.startswith("ok_")])
def test_right_kernels_pass(kernel: Kernel, case: str, *, checks: bool) -> None:
    launch(kernel, case, checks=checks)


@pytest.mark.parametrize(
    "case",
    ["ub_capacity", "gm_read_too_far", "gm_write_too_far", "gm_write_to_input", "count_beyond_tensor", "gm_null"],
)
def test_fast_mode_keeps_capacity_and_bounds(kernel: Kernel, case: str) -> None:
    with pytest.raises(LaunchError):
        launch(kernel, case, checks=False)


def test_fast_mode_leaves_out_the_rest(kernel: Kernel) -> None:
    assert launch(kernel, "no_mte2_to_mte3", checks=False)[:8].tolist() == list(range(8))
    assert launch(kernel, "undefined_to_gm", checks=False)[0] == 1.0


def test_results_of_right_kernels(kernel: Kernel) -> None:
    assert launch(kernel, "ok_flags")[:64].tolist() == [2.0 * (i + 1) for i in range(64)]
    assert launch(kernel, "ok_bound_queue")[8:16].tolist() == list(range(8))
    assert launch(kernel, "ok_in_place_queue")[:24].tolist() == [3.0] * 24
    in_place = launch(kernel, "ok_in_place")
    assert in_place[:64].tolist() == [2.0] * 64
    assert in_place[64:128].tolist() == [4.0] * 64


def test_the_engine_goes_on_after_a_failure(kernel: Kernel) -> None:
    for _ in range(3):
        with pytest.raises(LaunchError, match=r"block [0-7] of 8"):
            launch(kernel, "never_freed", block_dim=8)
        launch(kernel, "ok_flags")


def test_block_dim_above_the_core_count(kernel: Kernel) -> None:
    with pytest.raises(LaunchError) as refused:
        launch(kernel, "ok_flags", block_dim=49)
    assert refused.value.report == (
        "Cases: block dim 49 is above the 48 vector cores of Ascend910B1\n"
        "  rule: block dim is 1 to the number of cores [guide/编程指南/编程模型, SetBlockDim]"
    )
    with pytest.raises(LaunchError, match="block dim is 0"):
        launch(kernel, "ok_flags", block_dim=0)
