"""Global memory by plain pointers: bounds, the scalar cache, loops that wait; and waiting by transfers."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from harness import SOURCES, Array, Kernel, LaunchError, aligned, compile_kernel, run
from marked_cases import MarkedCases

pytestmark = pytest.mark.compiler

CASES = MarkedCases(SOURCES / "raw.cpp")
SET_BUFFER = "[基础API/数据结构/GlobalTensor/SetGlobalBuffer]"
OWN = f"  rule: a kernel may touch only the tensors, workspace and tiling data of its launch {SET_BUFFER}"
LINE = "  rule: cores that write global memory by SetValue stay a cache line of 64 bytes apart [基础API/数据结构/GlobalTensor/SetValue]"
# fmt: off
# ruff: noqa: E501 - the messages stand as they are printed
WRONG = {
    "behind_the_end": f"a __gm__ pointer: reads 4 bytes at offset 256 of x, which has 256 bytes (4 too many)\n{OWN}",
    "whose_memory": f"a __gm__ pointer: writes 4 bytes at offset 2048 of x, which has 256 bytes (1796 too many)\n{OWN}",
    "into_an_input": f"a __gm__ pointer: writes 4 bytes at offset 12 of x, which is an input\n  rule: inputs and tiling data are read-only {SET_BUFFER}",
    "struct_behind_the_end": f"a __gm__ pointer: writes 64 bytes at offset 256 of z, which has 256 bytes (64 too many)\n{OWN}",
    "two_cores_in_a_line": f"a __gm__ pointer: writes a line of 64 bytes that block 0 writes too, at {{here}}\n{LINE}",
    "copied_out_of_the_cache": "DataCopy: reads a line of 64 bytes that a __gm__ pointer wrote at {before} and that is still in the data cache\n  rule: DataCacheCleanAndInvalid comes between SetValue and a transfer of the same line [基础API/缓存控制/DataCacheCleanAndInvalid]",
    "waits_for_nobody": "",
}
# fmt: on
ALWAYS = ("behind_the_end", "whose_memory", "into_an_input", "struct_behind_the_end", "waits_for_nobody")


@pytest.fixture(scope="module")
def kernel(root: Path, tmp_path_factory: pytest.TempPathFactory) -> Kernel:
    return compile_kernel(root, CASES.source, "raw", {"x": "int32"}, {"z": "int32"}, tmp_path_factory.mktemp("raw"))


def launch(kernel: Kernel, case: str, blocks: int, checks: str, threads: int = 0) -> tuple[Array, Array]:
    """Tensors with room between them, as on a device."""
    device = aligned(4096, np.int32)
    x, z, workspace = device[512:576], device[1536:1600], device[2560:2816]
    x[:] = np.arange(64)
    key = CASES.key(case)
    run(
        kernel,
        [x],
        [z],
        tiling_key=key,
        block_dim=blocks,
        checks=checks,
        threads=threads,
        workspace=workspace,
        device=device,
    )
    return x.copy(), z.copy()


def test_every_case_is_tested() -> None:
    assert CASES.wrong == list(WRONG)


@pytest.mark.parametrize("case", WRONG)
def test_wrong_accesses_are_refused(kernel: Kernel, case: str) -> None:
    here = CASES.here(case)
    file, line = here.rsplit(":", 1)
    blocks = 2 if case == "two_cores_in_a_line" else 1
    for checks in ("off", "fast", "full") if case in ALWAYS else ("full",):
        with pytest.raises(LaunchError) as refused:
            launch(kernel, case, blocks, checks, threads=1)
        if case == "waits_for_nobody":
            assert refused.value.report == (
                "Raw: deadlock: 1 of the 1 cores wait for ever, the others have returned\n"
                f"  block 0 of 1: {here}: a __gm__ pointer: reads offset 64 of workspace again and again, which stays 0\n"
                "  rule: what a core waits for is sent by another core that can still run"
                " [基础API/同步控制/核间同步/核间同步能力概述]"
            )
            continue
        message = WRONG[case].format(here=here, before=f"{file}:{int(line) - 1}")
        assert refused.value.report == f"Raw: block {blocks - 1} of {blocks}: {here}: {message}"
        assert (refused.value.defect["file"], refused.value.defect["line"]) == (file, int(line))
        assert f"\n  in: {case}(Data&) ({here})" in refused.value.text
    launch(kernel, "ok_own_lines", 4, "full")  # the engine goes on


@pytest.mark.parametrize("checks", ["off", "fast", "full"])
def test_right_accesses_pass(kernel: Kernel, checks: str) -> None:
    for threads in (1, 2, 4):
        x, z = launch(kernel, "ok_own_lines", 4, checks, threads)
        assert np.array_equal(z, x[::-1] + 1)
        x, z = launch(kernel, "ok_structs", 4, checks, threads)
        assert np.array_equal(z, x)
        _, z = launch(kernel, "ok_turns", 4, checks, threads)
        assert z[::16].tolist() == [4, 3, 2, 1]
        if checks != "full":  # which asks for a signal that orders the transfers
            _, z = launch(kernel, "ok_turns_by_copies", 4, checks, threads)
            assert z[::16].tolist() == [4, 3, 2, 1]


@pytest.mark.parametrize("checks", ["off", "fast", "full"])
def test_a_kernels_own_tables_are_global_memory(kernel: Kernel, checks: str) -> None:
    _, z = launch(kernel, "ok_tables", 1, checks)
    assert z[:8].tolist() == [2, 3, 5, 7, 11, 13, 17, 19]
    assert z[16] == 26


def test_reading_the_same_again_is_no_deadlock(kernel: Kernel) -> None:
    _, z = launch(kernel, "ok_the_same_again", 1, "fast")
    assert z[0] == 1000000
