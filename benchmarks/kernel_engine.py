"""The engine alone beside a plain C++ loop: 48 blocks add 64M float16 elements on two threads, at each level of checks.

    python benchmarks/kernel_engine.py TOOLKIT    # the root of a simulated toolkit, as `opforge doctor` names it

Prints medians and what they are of the loop's, which reads and writes the same bytes on as many threads. The budget is
3 times the loop with OPFORGE_SIM_CHECKS=fast, 15 times with full, and 2 s in all.
"""

from __future__ import annotations

import ctypes
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "simulator" / "kernel"))
from harness import CHECKS, compile_kernel, run

BLOCKS, TILE, TILES, RUNS = 48, 16384, 85, 7
COUNT = BLOCKS * TILE * TILES  # 66.8 million
KERNEL = f"""
#include "kernel_operator.h"
using namespace AscendC;
extern "C" __global__ __aicore__ void added(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR workspace, GM_ADDR tiling) {{
    constexpr uint32_t tile = {TILE}, length = tile * {TILES};
    TPipe pipe;
    TQue<TPosition::VECIN, 2> a, b;
    TQue<TPosition::VECOUT, 2> c;
    pipe.InitBuffer(a, 2, tile * 2);
    pipe.InitBuffer(b, 2, tile * 2);
    pipe.InitBuffer(c, 2, tile * 2);
    GlobalTensor<half> from0, from1, to;
    from0.SetGlobalBuffer(reinterpret_cast<__gm__ half*>(x) + GetBlockIdx() * length, length);
    from1.SetGlobalBuffer(reinterpret_cast<__gm__ half*>(y) + GetBlockIdx() * length, length);
    to.SetGlobalBuffer(reinterpret_cast<__gm__ half*>(z) + GetBlockIdx() * length, length);
    for (uint32_t i = 0; i < length; i += tile) {{
        LocalTensor<half> p = a.AllocTensor<half>(), q = b.AllocTensor<half>();
        DataCopy(p, from0[i], tile);
        DataCopy(q, from1[i], tile);
        a.EnQue(p);
        b.EnQue(q);
        p = a.DeQue<half>();
        q = b.DeQue<half>();
        LocalTensor<half> r = c.AllocTensor<half>();
        Add(r, p, q, tile);
        a.FreeTensor(p);
        b.FreeTensor(q);
        c.EnQue(r);
        r = c.DeQue<half>();
        DataCopy(to[i], r, tile);
        c.FreeTensor(r);
    }}
}}
"""
LOOP = r"""
#include <cstddef>
#include <cstdint>
#include <thread>
extern "C" void loop(const uint16_t* x, const uint16_t* y, uint16_t* z, size_t n) {
    const auto part = [=](size_t from, size_t to) {
        for (size_t i = from; i < to; ++i) {
            z[i] = static_cast<uint16_t>(x[i] + y[i]);
        }
    };
    std::thread other(part, n / 2, n);
    part(0, n / 2);
    other.join();
}
"""


def median(function: Callable[[], object]) -> float:
    """Seconds of one call."""
    times = []
    for _ in range(RUNS):
        start = time.perf_counter()
        function()
        times.append(time.perf_counter() - start)
    return statistics.median(times)


def main() -> None:
    """Measures by turns, so that a busy machine slows down both."""
    toolkit = Path(sys.argv[1])
    x, y, z = (np.ones(COUNT, np.float16) for _ in range(3))
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "loop.cpp").write_text(LOOP, encoding="utf-8")
        words = ["g++", "-O3", "-march=native", "-shared", "-fPIC", "-pthread", "loop.cpp", "-o", "loop.so"]
        subprocess.run(words, cwd=folder, check=True)
        loop = ctypes.CDLL(str(folder / "loop.so")).loop
        places = [ctypes.c_void_p(array.ctypes.data) for array in (x, y, z)]
        plain = median(lambda: loop(*places, ctypes.c_size_t(COUNT)))
        print(f"plain loop  {plain:6.3f} s")
        kernel = compile_kernel(toolkit, KERNEL, "added", {"x": "float16", "y": "float16"}, {"z": "float16"}, folder)
        for checks in sorted(CHECKS, key=["off", "fast", "full"].index):
            took = median(lambda checks=checks: run(kernel, [x, y], [z], block_dim=BLOCKS, checks=checks, threads=2))
            assert (z == 2).all()
            print(f"{checks:<11} {took:6.3f} s  {took / plain:5.1f} x")


if __name__ == "__main__":
    main()
