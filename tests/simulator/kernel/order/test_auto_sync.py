"""--cce-auto-sync: what the compiler orders when it is on, as by default, the kernel has to order when it is off."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from harness import SOURCES, Kernel, LaunchError, aligned, compile_kernel, run
from marked_cases import MarkedCases

pytestmark = pytest.mark.compiler

CASES = MarkedCases(SOURCES / "auto_sync.cpp")
PAGE = "[基础API/同步控制/核内同步/关键特性说明]"
V = (
    "\n  rule: with --cce-auto-sync=off a vector instruction that needs another's result is behind a"
    f" PipeBarrier<PIPE_V> {PAGE}"
)
S = f"\n  rule: with --cce-auto-sync=off SetFlag/WaitFlag order the scalar unit and the other pipes {PAGE}"
GM = (
    "\n  rule: transfers over the same global memory are ordered only by SetFlag/WaitFlag, queues or PipeBarrier"
    " [基础API/同步控制/核内同步/PipeBarrier(ISASI)]"
)
WRONG = {
    "vector_needs_vector": "Adds: reads UB address 0, which Duplicate wrote at {there}, without a PipeBarrier<PIPE_V>"
    + V,
    "vector_overwrites_vector": "Duplicate: overwrites UB address 0, which Duplicate wrote at {there}, without a"
    " PipeBarrier<PIPE_V>" + V,
    "scalar_needs_vector": "GetValue: pipe S reads UB address 0, which Duplicate on pipe V wrote at {there}, without a"
    " synchronisation V to S" + S,
    "scalar_overwrites_what_vector_reads": "SetValue: pipe S overwrites UB address 0, which Adds on pipe V reads at"
    " {there}, without a synchronisation V to S" + S,
    "vector_needs_scalar": "Adds: pipe V reads UB address 0, which SetValue on pipe S wrote at {there}, without a"
    " synchronisation S to V" + S,
    "transfer_needs_scalar": "DataCopyPad: pipe MTE3 reads UB address 0, which SetValue on pipe S wrote at {there},"
    " without a synchronisation S to MTE3" + S,
    "scalar_needs_transfer": "GetValue: pipe S reads UB address 0, which DataCopy on pipe MTE2 wrote at {there},"
    " without a synchronisation MTE2 to S" + S,
    "scalar_reads_what_was_stored": "GetValue: pipe S reads 4 bytes of global memory that DataCopy on pipe MTE3 wrote"
    " at {there}, without a synchronisation" + GM,
}


def compiled(root: Path, folder: Path, *options: str) -> Kernel:
    return compile_kernel(root, CASES.source, "auto_sync", {"x": "float32"}, {"z": "float32"}, folder, options=options)


@pytest.fixture(scope="module")
def by_hand(root: Path, tmp_path_factory: pytest.TempPathFactory) -> Kernel:
    return compiled(root, tmp_path_factory.mktemp("off"), "--cce-auto-sync=off")


def launch(kernel: Kernel, case: str) -> None:
    run(kernel, [aligned(256, np.float32)], [aligned(256, np.float32)], tiling_key=CASES.key(case))


def test_every_case_is_tested() -> None:
    assert CASES.wrong == list(WRONG)


@pytest.mark.parametrize("case", WRONG)
def test_without_it_what_is_not_ordered_is_refused(by_hand: Kernel, case: str) -> None:
    lines = CASES.source.read_text().splitlines()
    start = next(i for i, line in enumerate(lines) if f" {case}(" in line)
    there = next(i for i in range(start, len(lines)) if lines[i].endswith("// <- there")) + 1
    with pytest.raises(LaunchError) as refused:
        launch(by_hand, case)
    assert refused.value.report == (
        f"AutoSync: block 0 of 1: {CASES.here(case)}: " + WRONG[case].format(there=f"{CASES.source}:{there}")
    )


@pytest.mark.parametrize("case", CASES.right)
def test_without_it_what_is_ordered_passes(by_hand: Kernel, case: str) -> None:
    launch(by_hand, case)


def test_with_it_all_pass(root: Path, tmp_path: Path) -> None:
    for options in (), ("--cce-auto-sync=off", "--cce-auto-sync=on"):
        kernel = compiled(root, tmp_path / f"with{len(options)}", *options)
        for case in CASES.names:
            launch(kernel, case)
