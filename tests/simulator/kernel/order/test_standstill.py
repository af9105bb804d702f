"""Launches that come to no end: what is said of where their cores are."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from harness import TESTS, Kernel, LaunchError, aligned, compile_as_built, run

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

__attribute__((noinline)) __aicore__ void Count(volatile uint64_t& n) {
    for (n = 0; n + 1 != 0; n = n + 1) {
    }
}

// Tiles of no elements: it never gets on.
__attribute__((noinline)) __aicore__ void Tiles(GM_ADDR x, GM_ADDR z, TPipe& pipe, uint32_t tile) {
    TQue<QuePosition::VECIN, 2> in;
    TQue<QuePosition::VECOUT, 2> out;
    pipe.InitBuffer(in, 2, 64);
    pipe.InitBuffer(out, 2, 64);
    GlobalTensor<int32_t> from, to;
    from.SetGlobalBuffer((__gm__ int32_t*)x, 64);
    to.SetGlobalBuffer((__gm__ int32_t*)z, 64);
    for (uint32_t done = 0; done < 64; done += tile) {
        LocalTensor<int32_t> a = in.AllocTensor<int32_t>();
        DataCopy(a, from[done], 16);
        in.EnQue(a);
        a = in.DeQue<int32_t>();
        LocalTensor<int32_t> b = out.AllocTensor<int32_t>();
        Adds(b, a, 1, 16);
        in.FreeTensor(a);
        out.EnQue(b);
        b = out.DeQue<int32_t>();
        DataCopy(to[done], b, 16);
        out.FreeTensor(b);
    }
}

__attribute__((noinline)) __aicore__ void Poll(LocalTensor<int32_t>& flag) {
    flag.SetValue(8, 3);
    while (flag.GetValue(8) != 1) {
    }
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
    if (TILING_KEY_IS(3)) {
        Tiles(x, z, pipe, static_cast<uint32_t>(n) / 8);
    }
    if (TILING_KEY_IS(4)) {
        Poll(place);
    }
    volatile uint64_t count = 0;
    if (TILING_KEY_IS(5)) {
        Count(count);
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
key, blocks, threads = map(int, sys.argv[4:7])
tensors = aligned(64, np.int32), aligned(64, np.int32)
arguments = dict(tiling_key=key, block_dim=blocks, threads=threads, checks=sys.argv[7], workspace=aligned(64, np.int32))
launch = threading.Thread(target=lambda: run(kernel, tensors[:1], tensors[1:], **arguments), daemon=True)
launch.start()
text = ctypes.create_string_buffer(8192)
while not text.value and launch.is_alive():
    time.sleep(0.5)  # the launch is not there yet, or its blocks not where they stay
    _engine(kernel.toolkit_root).sim_engine_standing(text, ctypes.c_uint64(8192))
print(text.value.decode(), flush=True)
os._exit(0)
"""


def line_of(text: str) -> int:
    return SOURCE[: SOURCE.index(text)].count("\n") + 1


@pytest.fixture(scope="module")
def kernel(root: Path, tmp_path_factory: pytest.TempPathFactory) -> Kernel:
    return compile_as_built(root, SOURCE, "endless", {"x": "int32"}, {"z": "int32"}, tmp_path_factory.mktemp("endless"))


@pytest.fixture
def standing(kernel: Kernel) -> Callable[..., tuple[str, list[str]]]:
    """What is said of a launch that does not end; file names are left out."""

    def ask(key: int, blocks: int = 1, threads: int = 1, checks: str = "fast") -> tuple[str, list[str]]:
        words = [str(TESTS), str(kernel.path), str(kernel.toolkit_root), str(key), str(blocks)]
        words += [str(threads), checks]
        done = subprocess.run([sys.executable, "-c", PROGRAM, *words], capture_output=True, text=True, check=True)
        first, *rest = done.stdout.splitlines()
        return first, [line.replace(str(kernel.path.parents[1] / "endless.cpp"), "f") for line in rest]

    return ask


AN_ENDLESS_LOOP = ": an endless loop"
SAME = "and all that it computes with is the same after each turn"


def test_a_loop_that_never_ends_is_told_as_one(standing: Callable[..., tuple[str, list[str]]]) -> None:
    first, (line, rest) = standing(1, blocks=3)
    assert first == AN_ENDLESS_LOOP
    condition, body, call = line_of("while (n"), line_of("n = n /"), line_of("Halve(n)")
    assert re.fullmatch(
        rf"  block 0 of 3: loops for ever in Halve\(int volatile&\) \(f:({condition}|{body})\) <- endless \(f:{call}\);"
        rf" (it turns over (f:{condition}, f:{body}|f:{condition}|f:{body}), and )?{SAME.removeprefix('and ')}",
        line,
    ), line
    assert rest == "  2 of the 3 blocks have not begun"


def test_others_wait_for_a_core_that_loops_for_ever(standing: Callable[..., tuple[str, list[str]]]) -> None:
    first, (line, *rest) = standing(2, blocks=3, threads=2)
    assert first == AN_ENDLESS_LOOP
    loop = line_of("while (true)")  # an empty one has the compiler's choice of lines
    places = "|".join(f"f:{number}" for number in (loop - 1, loop))
    assert re.fullmatch(
        rf"  block 0 of 3: loops for ever in endless \(({places})\); it turns over ({places}), {SAME}", line
    ), line
    waits = f"f:{line_of('IBWait')}: IBWait: waits for an IBSet with the same arguments; the event's value is 0"
    assert rest == [f"  block {i} of 3: {waits}" for i in (1, 2)]


def test_what_an_endless_loop_calls_and_reads(standing: Callable[..., tuple[str, list[str]]]) -> None:
    first, (line,) = standing(3)
    assert first == AN_ENDLESS_LOOP
    turns = range(line_of("LocalTensor<int32_t> a = in."), line_of("out.FreeTensor(b)") + 1)
    places, reads = line.split("; it turns over ")[1].split(f", {SAME}; it ")
    assert reads == "reads 64 bytes at offset 0 of x again and again, which stay as they are"
    assert re.match(r"  block 0 of 1: loops for ever in Tiles\(", line), line
    places = places.removesuffix(" and more")
    assert {int(place.removeprefix("f:")) for place in places.split(", ")} <= set(turns)
    assert f"f:{line_of('DataCopy(a, from')}, f:" in places

    first, (line,) = standing(4, checks="full")
    assert first == AN_ENDLESS_LOOP
    value, call = f"f:{line_of('while (flag.')}", f"f:{line_of('Poll(pl')}"
    assert line == (
        f"  block 0 of 1: loops for ever in Poll(AscendC::LocalTensor<int>&) ({value}) <- endless ({call});"
        f" it turns over {value}, {SAME}; it reads UB address 32, which stays 3"
    )


def test_cores_that_loop_by_turns(standing: Callable[..., tuple[str, list[str]]]) -> None:
    """They read the same again and again, and would let each other go on for ever."""
    first, lines = standing(3, blocks=3, threads=2)
    assert first == AN_ENDLESS_LOOP
    assert [line[:16] for line in lines] == [f"  block {i} of 3: " for i in range(3)]
    assert all("reads 64 bytes at offset 0 of x again and again, which stay as they are" in line for line in lines)
    assert any(f", {SAME}" in line for line in lines)


def test_a_slow_kernel_is_no_endless_loop(standing: Callable[..., tuple[str, list[str]]]) -> None:
    first, (line,) = standing(5)
    assert first == ". It still computes, as far as can be seen; OPFORGE_SIM_TIMEOUT sets the limit in seconds"
    where = r"  block 0 of 1: in Count\(unsigned long volatile&\) \(f:\d+\) <- endless \(f:\d+\)"
    assert re.fullmatch(where, line), line


def test_a_deadlock_says_through_which_calls(kernel: Kernel) -> None:
    file = kernel.path.parents[1] / "endless.cpp"
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
