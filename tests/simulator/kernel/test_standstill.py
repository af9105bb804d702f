"""Launches that come to no end: what is said of where their cores are."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from harness import LaunchError, aligned, compile_kernel, run

pytestmark = pytest.mark.compiler

SOURCE = """#include "kernel_operator.h"
using namespace AscendC;

__attribute__((noinline)) __aicore__ void Halve(volatile int32_t& n) {
    while (n != 1) {
        n = n / 2 * 2;
    }
}

__aicore__ inline void Follow(GlobalTensor<int32_t>& signals, LocalTensor<int32_t>& place) {
    IBWait(signals, place, 0, 0);
}

extern "C" __global__ __aicore__ void endless(GM_ADDR x, GM_ADDR z, GM_ADDR workspace, GM_ADDR tiling) {
    TPipe pipe;
    TBuf<TPosition::VECCALC> buffer;
    pipe.InitBuffer(buffer, 64);
    LocalTensor<int32_t> place = buffer.Get<int32_t>();
    GlobalTensor<int32_t> signals;
    signals.SetGlobalBuffer((__gm__ int32_t*)workspace, 64);
    volatile int32_t n = 6;
    if (TILING_KEY_IS(1) && GetBlockIdx() == 0) {
        Halve(n);
    }
    if (TILING_KEY_IS(2) && GetBlockIdx() == 0) {
        while (true) {
        }
    }
    if (GetBlockIdx() != 0) {
        Follow(signals, place);
    }
}
"""
PROGRAM = """
import ctypes, os, sys, threading, time
from pathlib import Path
sys.path.insert(0, sys.argv[1])
import numpy as np
from harness import Kernel, _engine, aligned, run

kernel = Kernel(Path(sys.argv[2]), "Endless", ("x",), ("z",), Path(sys.argv[3]))
key, blocks, threads = map(int, sys.argv[4:])
tensors = aligned(64, np.int32), aligned(64, np.int32)
arguments = dict(tiling_key=key, block_dim=blocks, threads=threads, checks="fast", workspace=aligned(64, np.int32))
threading.Thread(target=lambda: run(kernel, tensors[:1], tensors[1:], **arguments), daemon=True).start()
text = ctypes.create_string_buffer(8192)
while not text.value:
    time.sleep(0.5)  # the launch is not there yet, or its blocks not where they stay
    _engine(kernel.toolkit_root).sim_engine_standing(text, ctypes.c_uint64(8192))
print(text.value.decode(), flush=True)
os._exit(0)
"""


def line_of(text: str) -> int:
    return SOURCE[: SOURCE.index(text)].count("\n") + 1


def test_where_the_cores_are(root: Path, tmp_path: Path) -> None:
    kernel = compile_kernel(root, SOURCE, "endless", {"x": "int32"}, {"z": "int32"}, tmp_path)
    file = tmp_path / "endless.cpp"

    def standing(key: int, blocks: int, threads: int) -> list[str]:
        words = [str(Path(__file__).parent), str(kernel.path), str(root), str(key), str(blocks), str(threads)]
        done = subprocess.run([sys.executable, "-c", PROGRAM, *words], capture_output=True, text=True, check=True)
        return done.stdout.splitlines()[1:]

    loops = f"Halve(int volatile&) ({file}:{{}}) <- endless ({file}:{line_of('Halve(n)')})"
    halving = {loops.format(line_of("while (n")), loops.format(line_of("n = n /"))}
    first, *rest = standing(1, 3, 1)
    assert first.removeprefix("  block 0 of 3: in ") in halving
    assert rest == ["  2 of the 3 blocks have not begun"]
    first, *rest = standing(2, 3, 2)
    loop = line_of("while (true)")  # an empty one has the compiler's choice of lines
    assert first in {f"  block 0 of 3: in endless ({file}:{line})" for line in (loop - 1, loop)}
    waits = f"{file}:{line_of('IBWait')}: IBWait: waits for an IBSet with the same arguments; the event's value is 0"
    assert rest == [f"  block {i} of 3: {waits}" for i in (1, 2)]


def test_a_deadlock_says_through_which_calls(root: Path, tmp_path: Path) -> None:
    kernel = compile_kernel(root, SOURCE, "endless", {"x": "int32"}, {"z": "int32"}, tmp_path)
    file = tmp_path / "endless.cpp"
    tensors = aligned(64, np.int32), aligned(64, np.int32)
    for threads in (1, 2):
        with pytest.raises(LaunchError) as refused:
            run(kernel, tensors[:1], tensors[1:], block_dim=3, threads=threads, workspace=aligned(64, np.int32))
        behind = refused.value.text.split("核间同步能力概述]\n")[1]
        signature = "AscendC::GlobalTensor<int>&, AscendC::LocalTensor<int>&"
        chain = (
            f"Follow({signature}) ({file}:{line_of('IBWait')}) <- endless ({file}:{line_of('Follow(signals, place);')})"
        )
        assert behind.splitlines() == [f"  in: block {i} of 3: {chain}" for i in (1, 2)]
