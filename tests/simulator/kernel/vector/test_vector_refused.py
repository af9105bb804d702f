"""What masks, repeats, reductions and block functions refuse, with the whole message."""

from __future__ import annotations

import struct
from pathlib import Path

import numpy as np
import pytest
from harness import SOURCES, Kernel, LaunchError, aligned, compile_kernel, run
from marked_cases import MarkedCases

pytestmark = pytest.mark.compiler

CASES = MarkedCases(SOURCES / "vector_cases.cpp")
V = "基础API/Memory矢量计算/"
LATER = "no repeat overwrites what a later one reads [通用说明和约束, 通用地址重叠约束]"
REPEAT = f"[{V}归约计算/ReduceRepeat]"
TIMES = f"repeatTime is 0 to 255 [{V}SIMD计算说明/高维切分]"
READS = "a reduction reads elements that hold a value [基础API/数据结构/LocalTensor]"
SPR = f"[{V}归约计算辅助配置接口/GetReduceRepeatMaxMinSpr(ISASI)]"
NOTHING = f"the register holds the result of a reduction in normal mode {SPR}"

# ruff: noqa: E501, RUF001 - the messages stand as they are printed
# fmt: off
WRONG = {
    "cast_that_grows_over_its_source": f"Cast: repeat 1 reads UB address 128 of src, which an earlier repeat has overwritten\n  rule: {LATER}",
    "repeats_that_read_what_they_wrote": f"Exp: repeat 1 reads UB address 32 of src, which an earlier repeat has overwritten\n  rule: {LATER}",
    "products_into_one_destination": f"MulAddRelu: repeat 1 reads UB address 139264 of src1, which an earlier repeat has overwritten\n  rule: {LATER}",
    "an_odd_number_of_half_bytes": f"Cast: the mask or count parts a pair\n  rule: elements of int4b_t go by pairs, two a byte [{V}类型转换/Cast]",
    "copy_4096_blocks_on": f"Copy: a repeat starts 4096 blocks behind the one before\n  rule: dstRepeatSize and srcRepeatSize are at most 4095 [{V}数据搬运/Copy（UBToUB掩码式高维数据搬运）]",
    "lanes_beyond_a_repeat": f"SetVectorMask: the mask selects 65 lanes, a repeat has 64\n  rule: a mask selects at most 256 / sizeof(T) lanes [{V}SIMD计算说明/掩码]",
    "reduction_of_256_repeats": f"WholeReduceSum: repeatTime is 256\n  rule: repeatTime is 0 to 255 {REPEAT}",
    "addition_of_256_repeats": f"repeatTime: 256 would be 0 in the parameter's 8 bits\n  rule: {TIMES}",
    "repeats_below_nothing": f"repeatTime: -1 would be 255 in the parameter's 8 bits\n  rule: {TIMES}",
    "reduction_by_a_negative_stride": f"WholeReduceSum: a stride is -8\n  rule: dstRepStride, srcBlkStride and srcRepStride are 0 to 65535 {REPEAT}",
    "reduction_to_an_odd_place": f"WholeReduceMax: dst starts at UB address 139268, 4 bytes behind a multiple of 8\n  rule: the result of a reduction starts at a multiple of what it writes {REPEAT}",
    "reduction_of_what_nobody_wrote": f"WholeReduceSum: lane 60 of repeat 0 of src has never been written\n  rule: {READS}",
    "sum_of_what_nobody_wrote": f"ReduceSum: lane 0 of repeat 0 of src has never been written\n  rule: {READS}",
    "sum_of_less_than_nothing": f"ReduceSum: count is -1\n  rule: count and repeatTime are not negative [{V}归约计算/ReduceSum]",
    "index_beyond_16_bits": f"ReduceMax: the index is 65540\n  rule: the index of half values is at most 65535 [{V}归约计算/ReduceMax]",
    "register_of_no_reduction": f"GetReduceRepeatMaxMinSpr: no reduction to the greatest or least of contiguous repeats has been called\n  rule: {NOTHING}",
    "register_of_no_sum": f"GetReduceRepeatSumSpr: no ReduceSum by count has been called\n  rule: {NOTHING}",
    "index_of_a_whole_reduction": f"GetReduceRepeatMaxMinSpr: the last reduction was ReduceMax or ReduceMin\n  rule: the index is that of ReduceRepeat; ReduceMax and ReduceMin return theirs in dst {SPR}",
    "broadcast_over_its_source": f"Brcb: dst covers UB addresses 0 to 256, src 0 to 32\n  rule: source and destination of Brcb do not overlap [{V}数据填充/Brcb]",
}
# fmt: on


@pytest.fixture(scope="module")
def kernel(root: Path, tmp_path_factory: pytest.TempPathFactory) -> Kernel:
    folder = tmp_path_factory.mktemp("vector_cases")
    return compile_kernel(root, CASES.source, "vector_cases", {"x": "float32"}, {"z": "float32"}, folder)


def test_every_case_is_tested() -> None:
    assert CASES.wrong == list(WRONG)


@pytest.mark.parametrize("case", WRONG)
def test_refused(kernel: Kernel, case: str) -> None:
    x, z = aligned(8, np.float32), aligned(8, np.float32)
    with pytest.raises(LaunchError) as refused:
        run(kernel, [x], [z], tiling=struct.pack("<I", 0), tiling_key=CASES.key(case))
    assert refused.value.report == f"VectorCases: block 0 of 1: {CASES.here(case)}: {WRONG[case]}"
    if case in {"addition_of_256_repeats", "repeats_below_nothing"}:
        assert refused.value.defect["hint"] == "a loop over calls of at most 255 repeats, or the form by count"
