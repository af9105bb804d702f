"""Tiling data is global memory, too: kernels read it through a GlobalTensor, and must not write there."""

from __future__ import annotations

import struct
from pathlib import Path

import numpy as np
import pytest
from harness import LaunchError, aligned, compile_kernel, run

pytestmark = pytest.mark.compiler

SOURCE = """
#include "kernel_operator.h"
using namespace AscendC;
extern "C" __global__ __aicore__ void tiled(GM_ADDR x, GM_ADDR z, GM_ADDR workspace, GM_ADDR tiling) {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
    TPipe pipe;
    TBuf<TPosition::VECCALC> buffer;
    pipe.InitBuffer(buffer, 32);
    LocalTensor<int32_t> read = buffer.Get<int32_t>();
    GlobalTensor<int32_t> table, result;
    table.SetGlobalBuffer(reinterpret_cast<__gm__ int32_t*>(tiling + 8), 8);
    result.SetGlobalBuffer(reinterpret_cast<__gm__ int32_t*>(z), 8);
    if (TILING_KEY_IS(1)) {
        DataCopy(read, table, 8);
        SetFlag<HardEvent::MTE2_MTE3>(EVENT_ID0);
        WaitFlag<HardEvent::MTE2_MTE3>(EVENT_ID0);
        DataCopy(result, read, 8);
    } else if (TILING_KEY_IS(2)) {
        table.SetValue(0, 1);
    }
}
"""


def test_a_table_in_the_tiling_data(root: Path, tmp_path: Path) -> None:
    source = tmp_path / "tiled.cpp"
    source.write_text(SOURCE)
    kernel = compile_kernel(root, source, "tiled", {"x": "int32"}, {"z": "int32"}, tmp_path)
    tiling = struct.pack("<10i", *range(10))
    x, z = aligned(8, np.int32), aligned(8, np.int32)
    run(kernel, [x], [z], tiling=tiling, tiling_key=1)
    assert z.tolist() == list(range(2, 10))
    with pytest.raises(LaunchError, match="SetValue: writes 4 bytes at offset 8 of the tiling data, which is an input"):
        run(kernel, [x], [z], tiling=tiling, tiling_key=2)
