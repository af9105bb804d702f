"""Cores that cannot wait for each other touch parts of their own: races between them are found in every run."""

from __future__ import annotations

import struct
from pathlib import Path

import numpy as np
import pytest
from harness import SOURCES, Array, Kernel, LaunchError, aligned, compile_kernel, run
from marked_cases import MarkedCases

pytestmark = pytest.mark.compiler

CASES = MarkedCases(SOURCES / "lone_cores.cpp")
RULE = (
    "  rule: cores that do not wait for each other touch different bytes of global memory, or write the same values"
    " there [基础API/同步控制/核间同步/核间同步能力概述]"
)
HINT = (
    "each core has a part of its own (GetBlockIdx()); sums of several cores take SetAtomicAdd, or SyncAll before the"
    " last step"
)
NOTHING = "and this core has waited for nothing that comes from there"
STORE = "wrote by DataCopy on pipe MTE3 at {here}, " + NOTHING
# case: elements from one core's part to the next one's, and what the second of two cores does
WRONG = {
    "other_values": (56, "DataCopy: overwrites 32 bytes at offset 224 of z that block 0 " + STORE),
    "sum_without_atomic": (64, "DataCopy: overwrites 32 bytes at offset 0 of z that block 0 " + STORE),
    "add_behind_a_store": (64, "DataCopy: overwrites 32 bytes at offset 0 of z that block 0 " + STORE),
    "left_for_the_next_core": (64, "DataCopy: reads 225 bytes at offset 0 of workspace that block 0 wrote by DataCopy"
                               " on pipe MTE3 at {store}, " + NOTHING),
    "read_and_overwritten": (64, "DataCopy: overwrites 225 bytes at offset 256 of z that block 0 read by DataCopy"
                             " on pipe MTE2 at {read}, " + NOTHING),
    "one_scalar": (64, "SetValue: writes a line of 64 bytes that block 0 writes too, at {here}"),
}  # fmt: skip
ONE_LINE = "  rule: cores that write global memory by SetValue stay a cache line of 64 bytes apart [基础API/数据结构/GlobalTensor/SetValue]"  # noqa: E501


@pytest.fixture(scope="module")
def kernel(root: Path, tmp_path_factory: pytest.TempPathFactory) -> Kernel:
    return compile_kernel(
        root, CASES.source, "lone_cores", {"x": "float32"}, {"z": "float32"}, tmp_path_factory.mktemp("lone_cores")
    )


def launch(kernel: Kernel, case: str, start: int, blocks: int, threads: int) -> tuple[Array, Array]:
    x, z = aligned(1024, np.float32), aligned(1024, np.float32)
    x[:] = np.arange(1024)
    workspace = aligned(1024, np.float32)
    key = CASES.key(case)
    tiling = struct.pack("<I", start)
    run(kernel, [x], [z], tiling=tiling, tiling_key=key, block_dim=blocks, threads=threads, workspace=workspace)
    return x, z


def line_with(case: str, text: str) -> str:
    lines = CASES.source.read_text().splitlines()
    start = next(i for i, line in enumerate(lines) if f" {case}(" in line and line.endswith("{"))
    return f"{CASES.source}:{next((i for i in range(start, len(lines)) if text in lines[i]), 0) + 1}"


def test_every_case_is_tested() -> None:
    assert CASES.wrong == list(WRONG)


@pytest.mark.parametrize("case", WRONG)
def test_races_are_found_in_every_run(kernel: Kernel, case: str) -> None:
    start, message = WRONG[case]
    here = CASES.here(case)
    rule = ONE_LINE if case == "one_scalar" else RULE
    places = {"here": here, "store": line_with(case, "DataCopy(d.workspace"), "read": line_with(case, "d.z[kPart]")}
    for threads in [1] * 3 + [2] * 17:
        with pytest.raises(LaunchError) as refused:
            launch(kernel, case, start, 2, threads)
        assert refused.value.status == 507035
        if threads == 1:
            want = f"LoneCores: block 1 of 2: {here}: {message.format(**places)}\n{rule}"
            assert refused.value.report == want
        assert refused.value.report.endswith(rule)
        assert rule == ONE_LINE or refused.value.defect["hint"] == HINT


@pytest.mark.parametrize("threads", [1, 2, 3])
def test_cores_may_write_the_same_values(kernel: Kernel, threads: int) -> None:
    for _ in range(5):
        x, z = launch(kernel, "ok_same_values", 40, 8, threads)
        assert np.array_equal(z[: 7 * 40 + 64], x[: 7 * 40 + 64] + 1)


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("start", [64, 40])
def test_rows_are_compared_one_by_one(kernel: Kernel, start: int, threads: int) -> None:
    x, z = launch(kernel, "ok_rows", start, 3, threads)
    want = np.zeros(1024, np.float32)
    for block in range(3):
        want[block * start : block * start + 64] = x[block * start : block * start + 64] + 1
    assert np.array_equal(z, want)


def test_atomic_sums_need_no_order(kernel: Kernel) -> None:
    x, z = launch(kernel, "ok_atomic", 64, 8, 2)
    assert np.array_equal(z[:64], (x[:512].reshape(8, 64) + 1).sum(0))


@pytest.mark.parametrize("threads", [1, 2])
def test_in_place_a_whole_block_may_hold_a_neighbours_elements(kernel: Kernel, threads: int) -> None:
    _, z = launch(kernel, "ok_whole_blocks_read", 30, 8, threads)
    assert np.array_equal(z[: 8 * 30], np.ones(8 * 30))


def test_fast_mode_leaves_it_out(kernel: Kernel) -> None:
    x, z, workspace = (aligned(1024, np.float32) for _ in range(3))
    key = CASES.key("other_values")
    run(kernel, [x], [z], tiling=struct.pack("<I", 56), tiling_key=key, block_dim=2, workspace=workspace, checks="fast")
