"""A kernel that recurses without end: whoever handles the signal gets a stack to do so, on every thread of a launch."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from harness import TESTS, compile_kernel

pytestmark = pytest.mark.compiler

SOURCE = """
#include "kernel_operator.h"
int Deep(int n);
int (*volatile deeper)(int) = Deep;  // which asc_opc does not see through
__attribute__((noinline)) int Deep(int n) {
    volatile int room[64];
    room[0] = n;
    return n < 0 ? 0 : deeper(n + 1) + room[0];
}
extern "C" __global__ __aicore__ void deep(GM_ADDR x, GM_ADDR z, GM_ADDR workspace, GM_ADDR tiling) {
    AscendC::GlobalTensor<int32_t> to;
    to.SetGlobalBuffer((__gm__ int32_t*)z);
    to.SetValue(AscendC::GetBlockIdx() * 16, Deep(static_cast<int>(AscendC::GetBlockIdx())));
}
"""
# The handler is _exit itself: its argument is the signal's number. Without a stack of its own it would never run.
PROGRAM = """
import ctypes, sys
from pathlib import Path
sys.path.insert(0, sys.argv[1])
import numpy as np
from harness import Kernel, aligned, run

libc = ctypes.CDLL(None)

class Action(ctypes.Structure):
    _fields_ = [("handler", ctypes.c_void_p), ("mask", ctypes.c_byte * 128), ("flags", ctypes.c_int), ("restorer", ctypes.c_void_p)]

SA_ONSTACK, SIGSEGV = 0x08000000, 11
action = Action(ctypes.cast(libc._exit, ctypes.c_void_p).value, (ctypes.c_byte * 128)(), SA_ONSTACK, None)
assert libc.sigaction(SIGSEGV, ctypes.byref(action), None) == 0
kernel = Kernel(Path(sys.argv[2]), "Deep", ("x",), ("z",), Path(sys.argv[3]))
run(kernel, [aligned(64, np.int32)], [aligned(64, np.int32)], block_dim=2, threads=int(sys.argv[4]), checks="fast")
"""  # noqa: E501


@pytest.mark.skipif(sys.platform != "linux", reason="the layout of sigaction")
@pytest.mark.parametrize("threads", [1, 2])
def test_the_signal_finds_a_stack(root: Path, tmp_path: Path, threads: int) -> None:
    kernel = compile_kernel(root, SOURCE, "deep", {"x": "int32"}, {"z": "int32"}, tmp_path)
    arguments = [str(TESTS), str(kernel.path), str(root), str(threads)]
    done = subprocess.run([sys.executable, "-c", PROGRAM, *arguments], capture_output=True, text=True, check=False)
    assert done.returncode == 11, done.stderr
