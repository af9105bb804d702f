"""Tensors, queues, buffers, pools and events: what their methods answer, and what they refuse."""

from __future__ import annotations

import struct
from pathlib import Path

import numpy as np
import pytest
from harness import SOURCES, Kernel, LaunchError, aligned, compile_kernel, run
from marked_cases import MarkedCases

pytestmark = pytest.mark.compiler

CASES = MarkedCases(SOURCES / "resources.cpp")
COUNT = 256
X = np.arange(COUNT, dtype=np.float32)
UB = 196608

# ruff: noqa: E501 - the messages stand as they are printed
# fmt: off
WRONG = {
    "pool_without_a_place": "InitBuffer: this pool has no place\n  rule: a TBufPool gets its place from InitBufPool before it is used [基础API/资源管理/TBufPool/TBufPool简介]",
    "pool_of_too_many_buffers": "InitBuffer: 5 buffers with this one's 1, the pool is for 4\n  rule: a TBufPool has at most bufIDSize buffers [基础API/资源管理/TBufPool/InitBuffer]",
    "pool_overflown": "InitBuffer: 1088 bytes after the 0 already taken, the pool has 1024\n  rule: all buffers of a TBufPool together fit into it [基础API/资源管理/TBufPool/InitBufPool]",
    "pool_shared_and_longer": "InitBufPool: 1056 bytes in the place of a pool of 1024\n  rule: a pool that shares another's place is not longer than that [基础API/资源管理/TPipe/InitBufPool]",
    "pool_shares_nothing": "InitBufPool: the shared pool has no place\n  rule: a TBufPool gets its place from InitBufPool before it is used [基础API/资源管理/TBufPool/TBufPool简介]",
    "pool_beyond_the_buffer": "InitBufPool: 196640 bytes after the 0 already taken need 196640, but ascend910b has 196608 bytes of unified buffer\n  rule: all buffers together must fit into the unified buffer [基础API/资源管理/TPipe/InitBuffer]",
    "pool_of_a_negative_length": "InitBufPool: 4294967296 bytes after the 0 already taken need 4294967296, but ascend910b has 196608 bytes of unified buffer\n  rule: all buffers together must fit into the unified buffer [基础API/资源管理/TPipe/InitBuffer]",
    "pool_queue_of_nothing": "InitBuffer: 0 buffers of 32 bytes are no buffers\n  rule: a queue gets its buffers from InitBuffer before it is used [基础API/资源管理/TPipe/InitBuffer]",
    "state_of_a_foreign_tensor": "GetState: the tensor at UB address 0 does not come from this queue\n  rule: a queue takes back only tensors it gave out [基础API/资源管理/TQue/FreeTensor]",
    "used_when_freed": "Muls: dst at UB address 0 was freed, and its buffer is for whoever allocates next\n  rule: a tensor must not be used after FreeTensor [基础API/资源管理/TQue/FreeTensor]",
    "address_inside_a_block": "InitBuffer: buffer 1 has 256 bytes at address 336\n  rule: a buffer at an address of the kernel's own starts and ends at multiples of 32 bytes [基础API/资源管理/TPipe/InitBuffer]",
    "address_beyond_the_buffer": "InitBuffer: buffer 0 of 256 bytes at address 196480 ends behind the 196608 bytes of the unified buffer\n  rule: all buffers together must fit into the unified buffer [基础API/资源管理/TPipe/InitBuffer]",
}
# fmt: on

# Position numbers: VECIN 9, VECCALC 11. Tensor states: free 0, occupied 1, queued 2, dequeued 3.
ANSWERS = {
    "ok_local_tensor": [256, 8, 32, 464, 1.5, 3.0, 64, 12, 104, 3, 64, 7, 11, 2, 3, 2, 2, 32, -2.5, 5, 5],
    "ok_four_bits": [256, 32, 32, 128, 32, 16, 64],
    "ok_global_tensor": [COUNT, 0, 3, 5, COUNT - 4, 6, 2, 5, 0],
    "ok_queue_questions": [1, 0, 1, 1, 2, 1, 2, 0, 0, 3, 0, 1],
    "ok_queue_between_positions": X + 1,
    "ok_queue_in_place": X + 2,
    "ok_functions_handed_on": 2 * abs(X),
    "ok_functions_handed_on_with_masks": np.trunc(2 * X),
    "ok_free_all_event": [1],
    "ok_buffers_at_addresses": [64, 256, 1024, 512],
    "ok_pools": X * 3,
    "ok_stack_buffer": [1, 1024, UB - 1024, 0],
    "ok_reset": [1],
    "ok_destroy": [1],
    "ok_event_ids": [0, 1, 2, 0, 0],
    "ok_queue_sync": X + 5,
    "ok_allocator": [*(X[:128] + 7), 1024, 1056, 1568, 1600, 9],
    "ok_own_address": [*(X[128:192] + 9), X[:64].sum(), X[64:128].sum(), 768, 5376, 9, 16, UB, 5.5],
}


@pytest.fixture(scope="module")
def kernel(root: Path, tmp_path_factory: pytest.TempPathFactory) -> Kernel:
    folder = tmp_path_factory.mktemp("resources")
    return compile_kernel(root, CASES.source, "resources", {"x": "float32"}, {"z": "float32"}, folder)


def launch(kernel: Kernel, case: str, *, checks: bool = True) -> np.ndarray:
    x, z = aligned(COUNT, np.float32), aligned(COUNT, np.float32)
    x[:] = X
    run(kernel, [x], [z], tiling=struct.pack("<I", COUNT), tiling_key=CASES.key(case), checks=checks)
    return z


def test_every_case_is_tested() -> None:
    assert CASES.wrong == list(WRONG)
    assert CASES.right == list(ANSWERS)


@pytest.mark.parametrize("case", WRONG)
def test_refused(kernel: Kernel, case: str) -> None:
    with pytest.raises(LaunchError) as refused:
        launch(kernel, case)
    assert refused.value.report == f"Resources: block 0 of 1: {CASES.here(case)}: {WRONG[case]}"


@pytest.mark.parametrize("checks", [True, False])
@pytest.mark.parametrize("case", ANSWERS)
def test_answers(kernel: Kernel, case: str, *, checks: bool) -> None:
    assert launch(kernel, case, checks=checks)[: len(ANSWERS[case])].tolist() == list(ANSWERS[case])
