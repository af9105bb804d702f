"""What gathers, sorts and transposes refuse, with the whole message."""

from __future__ import annotations

import struct
from pathlib import Path

import numpy as np
import pytest
from harness import SOURCES, Kernel, LaunchError, aligned, compile_kernel, run
from marked_cases import MarkedCases

pytestmark = pytest.mark.compiler

CASES = MarkedCases(SOURCES / "index_cases.cpp")
V = "基础API/Memory矢量计算/"
SORT = f"[{V}排序组合（ISASI）/"
GATHER = f"[{V}离散与聚合/Gather]"
MASK = f"[{V}比较与选择/GatherMask]"
ARANGE = "[高阶API/索引计算/Arange-94]"
TOP = "[高阶API/排序操作/TopK]"
TRANSPOSE = f"[{V}数据排布转换/Transpose]"
LANES = f"a mask selects at most 256 / sizeof(T) lanes [{V}SIMD计算说明/掩码]"
DEFINED = "scores decide the order: each has been written"
BOTH = "source and destination do not share memory"

# ruff: noqa: E501, RUF001 - the messages stand as they are printed
# fmt: off
WRONG = {
    "gather_by_offsets_that_nobody_wrote": f"Gather: element 0 of srcOffset (UB address 16384) has never been written\n  rule: offsets are addresses: each has been written {GATHER}",
    "gather_from_inside_of_an_element": f"Gather: offset 0 is 0 with the base address 2, and an element has 4 bytes\n  rule: an offset and the base address are multiples of the element's size {GATHER}",
    "gather_from_behind_the_tensor": f"Gather: offset 0 is 4096 with the base address 0, and src has 4096 bytes\n  rule: an offset leads to an element of the tensor {GATHER}",
    "gather_into_the_source": f"Gather: dst covers UB addresses 0 to 256, src 0 to 4\n  rule: the source and the destination of Gather and Gatherb do not share memory {GATHER}",
    "gather_by_65_of_64_lanes": f"Gather: the mask selects 65 lanes, a repeat has 64\n  rule: {LANES}",
    "gather_more_than_there_is": f"Gather: count is 4294967295\n  rule: count is the number of elements from the start of the tensors [{V}SIMD计算说明/连续计算]",
    "blocks_from_between_blocks": f"Gatherb: offset 0 is 4\n  rule: an offset is a multiple of 32 bytes [{V}离散与聚合/Gatherb(ISASI)]",
    "blocks_from_behind_the_tensor": f"Gatherb: offset 0 is 4096, and src has 4096 bytes\n  rule: an offset leads to an element of the tensor {GATHER}",
    "eighth_of_seven_patterns": f"GatherMask: src1Pattern is 8\n  rule: src1Pattern is 1 to 7, on ascend310p 1 to 6 {MASK}",
    "gather_none_by_counter": f"GatherMask: mask is 0\n  rule: mask is at least 1 in counter mode {MASK}",
    "pattern_that_nobody_wrote": f"GatherMask: element 0 of src1Pattern (UB address 16384) has never been written\n  rule: the bits of a pattern decide what is gathered: each has been written {MASK}",
    "gather_by_mask_over_the_source": f"GatherMask: dst covers UB addresses 32 to 288, src0 0 to 256\n  rule: dst is src0, or does not overlap it {MASK}",
    "progression_of_nothing": f"ArithProgression: count is 0\n  rule: count is at least 1 {ARANGE}",
    "progression_that_falls": f"ArithProgression: diffValue is -1\n  rule: diffValue is at least 0 {ARANGE}",
    "sort_of_256_groups": f"Sort32: repeatTime is 256\n  rule: repeatTime is 0 to 255 {SORT}Sort32]",
    "sort_of_scores_that_nobody_wrote": f"Sort32: element 0 of src0 (UB address 16384) has never been written\n  rule: {DEFINED} {SORT}Sort32]",
    "sort_in_place": f"Sort32: dst covers UB addresses 0 to 256, src0 0 to 128\n  rule: {BOTH} {SORT}MrgSort]",
    "merge_of_scores_that_nobody_wrote": f"MrgSort: score 0 of src1 (UB address 16384) has never been written\n  rule: {DEFINED} {SORT}Sort32]",
    "merge_of_4096": f"MrgSort: list 1 has 4096\n  rule: a list has 0 to 4095 elements {SORT}MrgSort]",
    "merge_of_the_first_and_third": f"MrgSort: validBit is 5\n  rule: validBit is 3, 7 or 15 {SORT}MrgSort]",
    "merge_in_place": f"MrgSort: dst covers UB addresses 0 to 128, src1 0 to 64\n  rule: {BOTH} {SORT}MrgSort]",
    "merge_from_inside_of_a_pair": f"MrgSort: src1 starts at UB address 4\n  rule: a list starts at a multiple of 8 bytes; of region proposals, at one of 16 (half) or 32 {SORT}MrgSort]",
    "merge_lists_that_lie_anywhere_twice": f"MrgSort: repeatTimes is 2\n  rule: repeatTimes above 1 takes four lists of one length, one behind the other, validBit 15 and no ifExhaustedSuspension {SORT}MrgSort]",
    "result_of_no_merge": f"GetMrgSortResult: the last MrgSort had none, or there was none\n  rule: the result is that of a MrgSort with ifExhaustedSuspension {SORT}GetMrgSortResult]",
    "sort_without_room": "Sort: tmp needs 1024 bytes from UB address 20352, but its tensor ends at 20480 (896 too many)\n  rule: an operand lies inside its tensor [高阶API/排序操作/Sort]",
    "channels_of_a_part_of_a_block": f"Transpose: cSize is 3, hSize * wSize is 5 of 4 bytes\n  rule: hSize * wSize is at most 4095 and fills whole blocks of 32 bytes; cSize is at most 4095 {TRANSPOSE}",
    "channels_in_place": f"Transpose: dst covers UB addresses 0 to 96, src 0 to 96\n  rule: src and dst of TRANSPOSE_NCHW2NHWC and TRANSPOSE_NHWC2NCHW do not share memory {TRANSPOSE}",
    "matrix_of_floats_as_of_16_bits": f"Transpose: the data type is float\n  rule: TRANSPOSE_ND2ND_B16 is for uint16_t {TRANSPOSE}",
    "blocks_of_bfloat16_by_addresses": "TransDataTo5HD: the lists of addresses are of another data type\n  rule: TransDataTo5HD is there for int8_t, uint8_t, int16_t, uint16_t, half, int32_t, uint32_t and float [基础API/Memory矢量计算/数据排布转换/TransDataTo5HD]",
    "fractals_by_transpose": f"Transpose: transposeType is 1\n  rule: transposeType is TRANSPOSE_TYPE_NONE, TRANSPOSE_ND2ND_B16, TRANSPOSE_NCHW2NHWC or TRANSPOSE_NHWC2NCHW {TRANSPOSE}",
    "top_of_rows_of_33": f"TopK: inner is 33, outter 1\n  rule: inner is a multiple of 32: at most 4096, 32 with TOPK_NSMALL {TOP}",
    "top_3_of_2": f"TopK: k is 3, n 2, inner 32\n  rule: 1 <= k <= n <= inner {TOP}",
    "top_without_a_tiling": "TopK: the tiling is for 0 elements, the call has 64\n  rule: the tiling is that of TopKTilingFunc for the same inner and outter [高阶API/排序操作/TopK-Tiling]",
    "top_without_room": "TopK: 200000 bytes are needed, 176128 are there\n  rule: tmpLocal, or what TPipe has not given out, has at least the bytes of GetTopKMaxMinTmpSize [高阶API/排序操作/TopK-Tiling]",
    "top_of_values_that_nobody_wrote": f"TopK: element 0 of srcLocal (UB address 16384) has never been written\n  rule: values decide the order, padding too: each has been written {TOP}",
    "top_by_flags_that_nobody_wrote": f"TopK: element 0 of finishLocal (UB address 16384) has never been written\n  rule: finishLocal decides what is written: each of its values has been written {TOP}",
    "top_in_place": f"TopK: dstValueLocal covers UB addresses 0 to 32, srcLocal 0 to 128\n  rule: {BOTH} {TOP}",
}
# fmt: on


@pytest.fixture(scope="module")
def kernel(root: Path, tmp_path_factory: pytest.TempPathFactory) -> Kernel:
    folder = tmp_path_factory.mktemp("index_cases")
    return compile_kernel(root, CASES.source, "index_cases", {"x": "float32"}, {"z": "float32"}, folder)


def test_every_case_is_tested() -> None:
    assert CASES.wrong == list(WRONG)


@pytest.mark.parametrize("case", WRONG)
def test_refused(kernel: Kernel, case: str) -> None:
    x, z = aligned(8, np.float32), aligned(8, np.float32)
    with pytest.raises(LaunchError) as refused:
        run(kernel, [x], [z], tiling=struct.pack("<I", 0), tiling_key=CASES.key(case))
    assert refused.value.report == f"IndexCases: block 0 of 1: {CASES.here(case)}: {WRONG[case]}"
