"""ListTensorDesc and TensorDesc: the layouts of a list, and what is refused with the whole message."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from harness import SOURCES, Kernel, LaunchError, aligned, compile_kernel, run
from marked_cases import MarkedCases

pytestmark = pytest.mark.compiler

CASES = MarkedCases(SOURCES / "lists.cpp")
PAGE = "[基础API/辅助数据结构/ListTensorDesc]"

# A word is a number, or an index into the values whose address it is.
Word = int | str
ACLNN = [40, 1 << 32 | 1, 3, 1 << 32 | 1, 5, "0", "1"]  # two vectors: the runtime writes 1 beside each rank
RANKS = [48, 1 << 32 | 1, 3, 1 << 32 | 2, 5, 7, "0", "2"]
MATRICES = [56, 1 << 32 | 2, 3, 4, 1 << 32 | 2, 5, 6, "0", "1"]

# ruff: noqa: E501 - the messages stand as they are printed
# fmt: off
WRONG: dict[str, tuple[list[Word], str]] = {
    "rest_of_an_offset": ([12, 1], f"ListTensorDesc: 12 is not an offset of data pointers\n  rule: a list begins with the offset of its data pointers, then says of each tensor its rank and dims: is the argument a dynamic input or output? {PAGE}"),
    "dims_behind_the_offset": ([24, 1 << 32 | 3, 1, "0"], f"ListTensorDesc: the dims of tensor 0 end behind the offset 24 of the data pointers\n  rule: a list begins with the offset of its data pointers, then says of each tensor its rank and dims: is the argument a dynamic input or output? {PAGE}"),
    "behind_the_argument": ([64, 1 << 32 | 2, 3, 4], "ListTensorDesc: reads 8 bytes at offset 32 of x, which has 32 bytes (8 too many)\n  rule: a kernel may touch only the tensors, workspace and tiling data of its launch [基础API/数据结构/GlobalTensor/SetGlobalBuffer]"),
    "other_length": (MATRICES, f"ListTensorDesc: length 80 and shapeSize 2, but the list has 72 bytes and 2 tensors\n  rule: length and shapeSize are the list's own, or are left out {PAGE}"),
    "size_of_an_aclnn_list": (ACLNN, f"GetSize: the list says 1, but describes 2 tensors\n  rule: GetSize of a list that an aclnn call passes is 1, however many tensors there are: pass their number in the tiling data {PAGE}"),
    "pointer_behind_the_list": (ACLNN, f"GetDataPtr: tensor 2 of a list of 2\n  rule: an index lies inside the list: how many tensors it has the tiling data must say {PAGE}"),
    "desc_behind_the_list": (ACLNN, f"GetDesc: tensor 2 of a list of 2\n  rule: an index lies inside the list: how many tensors it has the tiling data must say {PAGE}"),
    "ranks_that_differ": (RANKS, f"GetDesc: the tensors of the list differ in rank\n  rule: GetDesc finds its way only where all tensors of the list have the rank of the first, 1 or more {PAGE}"),
    "rank_of_zero": ([16, 1 << 32, "0"], f"GetDesc: the first tensor of the list has no dims\n  rule: GetDesc finds its way only where all tensors of the list have the rank of the first, 1 or more {PAGE}"),
    "no_room_for_dims": (MATRICES, f"GetDesc: the TensorDesc has no room for 2 dims\n  rule: SetShapeAddr gives the room for a tensor's dims before GetDesc {PAGE}"),
    "dim_behind_the_last": (MATRICES, "GetShape: dim 2 of a tensor of 2 dims\n  rule: GetShape takes 0 to GetDim() - 1, after GetDesc [基础API/辅助数据结构/TensorDesc/GetShape-138]"),
}
# fmt: on
RIGHT: dict[str, tuple[list[Word], list[int]]] = {
    "ok_indexed": ([56, 2, 3, 4, 1 << 32 | 2, 5, 6, "0", "1"], [2, 2034, 2056, 100, 101]),
    "ok_shared_shape": ([32, 3 << 32 | 2, 3, 4, "0", "1", "2"], [3, 34, 102]),
    "ok_last_pointer": (RANKS, [102]),
    "ok_one_tensor": ([24, 1 << 32 | 1, 9, "0"], [1]),
    "ok_only_pointers": ([24, 2 << 32, 0xFFFFFFFF, "0", "1"], [2, 101]),
}


@pytest.fixture(scope="module")
def kernel(root: Path, tmp_path_factory: pytest.TempPathFactory) -> Kernel:
    inputs = {"x": "int64", "values": "int64"}
    return compile_kernel(root, CASES.source, "lists", inputs, {"z": "int64"}, tmp_path_factory.mktemp("lists"))


def launch(kernel: Kernel, case: str, words: list[Word]) -> np.ndarray:
    values, z = aligned(3, np.int64), aligned(8, np.int64)
    values[:] = [100, 101, 102]
    x = aligned(len(words), np.int64)
    x[:] = [word if isinstance(word, int) else values.ctypes.data + 8 * int(word) for word in words]
    run(kernel, [x, values], [z], tiling_key=CASES.key(case))
    return z


def test_every_case_is_tested() -> None:
    assert (CASES.wrong, CASES.right) == (list(WRONG), list(RIGHT))


@pytest.mark.parametrize("case", WRONG)
def test_refused(kernel: Kernel, case: str) -> None:
    words, message = WRONG[case]
    with pytest.raises(LaunchError) as refused:
        launch(kernel, case, words)
    assert refused.value.report == f"Lists: block 0 of 1: {CASES.here(case)}: {message}"


@pytest.mark.parametrize("case", RIGHT)
def test_read(kernel: Kernel, case: str) -> None:
    words, expected = RIGHT[case]
    assert launch(kernel, case, words)[: len(expected)].tolist() == expected
