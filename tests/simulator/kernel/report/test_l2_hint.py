"""Bytes that a kernel reads past the L2 cache: counted, as slow the second time, and never in the cache."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from harness import aligned, compile_kernel, run

from opforge.measure.time_constants import constants

pytestmark = pytest.mark.compiler

BLOCKS, COUNT, TIMES = 48, 4096, 3  # each core reads the same elements so many times
BYTES = COUNT * 4
SOURCE = """
#include "kernel_operator.h"
using namespace AscendC;
extern "C" __global__ __aicore__ void hinted(GM_ADDR x, GM_ADDR z, GM_ADDR workspace, GM_ADDR tiling) {
    TPipe pipe;
    TQueBind<TPosition::VECIN, TPosition::VECOUT, 2> queue;
    pipe.InitBuffer(queue, 2, 16384);
    GlobalTensor<float> from, to;
    __gm__ float* address = reinterpret_cast<__gm__ float*>(x) + GetBlockIdx() * 4096;
    to.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(z) + GetBlockIdx() * 4096, 4096);
    HINT;
    for (int i = 0; i < 3; ++i) {
        auto a = queue.AllocTensor<float>();
        COPY;
        queue.EnQue(a);
        a = queue.DeQue<float>();
        PipeBarrier<PIPE_MTE3>();
        DataCopy(to, a, 4096);
        queue.FreeTensor(a);
    }
}
"""
COPIES = {
    "elements": "DataCopy(a, from[0], 4096)",
    "blocks": "DataCopy(a, from, DataCopyParams(1, 512, 0, 0))",
    "bytes": "DataCopyPad(a, from, DataCopyExtParams(1, 16384, 0, 0, 0), DataCopyPadExtParams<float>())",
    "bytes of 16 bits": "DataCopyPad(a, from, DataCopyParams(1, 16384, 0, 0), DataCopyPadParams())",
}
BUFFER = "from.SetGlobalBuffer(address, 4096);"
OFF, ON = (f"from.SetL2CacheHint(CacheMode::CACHE_MODE_{mode});" for mode in ("DISABLE", "NORMAL"))
KNOWN = {name: each.value for name, each in constants("Ascend910B1").items()}


def counted(root: Path, folder: Path, hint: str, copy: str) -> list[dict[str, Any]]:
    source = SOURCE.replace("HINT;", hint).replace("COPY", COPIES[copy])
    kernel = compile_kernel(root, source, "hinted", {"x": "float32"}, {"z": "float32"}, folder)
    memory = np.zeros(BLOCKS * COUNT + 128, np.float32)
    start = -memory.ctypes.data % 512 // 4
    x, z = memory[start : start + BLOCKS * COUNT], aligned(BLOCKS * COUNT, np.float32)
    x[:] = np.arange(x.size)
    timed: list[dict[str, Any]] = []
    run(kernel, [x], [z], block_dim=BLOCKS, timed=timed)
    assert (z == x).all()
    return timed[0]["cores"]


def transfer(gigabytes_a_second: float) -> int:
    return math.ceil(BYTES / (gigabytes_a_second * 1e3 / KNOWN["clock"] / BLOCKS))


@pytest.mark.parametrize("copy", COPIES)
def test_each_read_comes_from_memory(root: Path, tmp_path: Path, copy: str) -> None:
    for core in counted(root, tmp_path, BUFFER + OFF, copy):
        assert core["bypassed"] == TIMES * BYTES
        assert core["busy"]["MTE2"] == pytest.approx(TIMES * transfer(KNOWN["hbm_bypass"]), abs=TIMES)


@pytest.mark.parametrize("hint", [BUFFER, BUFFER + OFF + ON])
def test_without_the_hint_only_the_first_one_does(root: Path, tmp_path: Path, hint: str) -> None:
    again = math.ceil(BYTES / (KNOWN["l2_read"] / 2))  # two vector cores share what a core gets from L2
    for core in counted(root, tmp_path, hint, "bytes"):
        assert core["bypassed"] == 0
        assert core["busy"]["MTE2"] == pytest.approx(transfer(KNOWN["hbm"]) + (TIMES - 1) * again, abs=TIMES)


def test_a_hint_before_the_address_counts(root: Path, tmp_path: Path) -> None:
    """kernel_tensor_impl.h of asc-devkit: SetGlobalBuffer applies the mode that the tensor has."""
    assert {core["bypassed"] for core in counted(root, tmp_path, OFF + BUFFER, "bytes")} == {TIMES * BYTES}
