"""Tiling data that the tiling function has left unset: refused where what the kernel does depends on them."""

from __future__ import annotations

import struct
from pathlib import Path

import numpy as np
import pytest
from harness import Kernel, LaunchError, aligned, compile_kernel, run

pytestmark = pytest.mark.compiler

SOURCE = """
#include "kernel_operator.h"
using namespace AscendC;
struct ScaledTiling {
    uint32_t count;
    float scale;
    int64_t offset;
    uint32_t spare;
};
extern "C" __global__ __aicore__ void scaled(GM_ADDR x, GM_ADDR z, GM_ADDR workspace, GM_ADDR tiling) {
    REGISTER_TILING_DEFAULT(ScaledTiling);
    GET_TILING_DATA(data, tiling);
    TPipe pipe;
    TQue<TPosition::VECIN, 1> in;
    TQue<TPosition::VECOUT, 1> out;
    pipe.InitBuffer(in, 1, 256);
    pipe.InitBuffer(out, 1, 256);
    GlobalTensor<float> from, to;
    from.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(x), 64);
    to.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(z), 64);
    auto a = in.AllocTensor<float>();
    DataCopy(a, from[data.offset], 64);
    in.EnQue(a);
    a = in.DeQue<float>();
    auto b = out.AllocTensor<float>();
    Muls(b, a, data.scale, static_cast<int32_t>(data.count));
    in.FreeTensor(a);
    out.EnQue(b);
    b = out.DeQue<float>();
    DataCopy(to, b, 64);
    out.FreeTensor(b);
}
"""
MEMBERS = {"count": (0, 4), "scale": (4, 8), "offset": (8, 16), "spare": (16, 20)}
RULE = (
    "\n  rule: the tiling function sets every member of the tiling data that the kernel uses"
    " [Utils-API/Tiling数据结构注册/TilingData结构定义]"
)


@pytest.fixture(scope="module")
def kernel(root: Path, tmp_path_factory: pytest.TempPathFactory) -> Kernel:
    return compile_kernel(root, SOURCE, "scaled", {"x": "float32"}, {"z": "float32"}, tmp_path_factory.mktemp("scaled"))


def scaled(kernel: Kernel, *left_out: str, checks: str = "full", times: int = 1) -> np.ndarray:
    """A launch in place whose tiling function has not set these members."""
    tiling = bytearray(struct.pack("<IfqI4x", 64, 3.0, 0, 7))
    written = bytearray(b"\1" * len(tiling))
    for name in left_out:
        begin, end = MEMBERS[name]
        tiling[begin:end] = b"\xa5" * (end - begin)
        written[begin:end] = bytes(end - begin)
    z = aligned(64, np.float32)
    z[:] = np.arange(64)
    for _ in range(times):
        run(kernel, [z], [z], tiling=bytes(tiling), tiling_set=bytes(written), checks=checks)
    return z


@pytest.mark.parametrize(
    ("left_out", "which"),
    [
        (["scale"], "4 to 7"),  # other results
        (["offset"], "8 to 15"),  # a failure with one value only
        (["count"], "0 to 3"),
        (["spare", "scale"], "4 to 7, 16 to 19"),
    ],
)
def test_a_member_that_is_used_must_be_set(kernel: Kernel, left_out: list[str], which: str) -> None:
    with pytest.raises(LaunchError) as refused:
        scaled(kernel, *left_out)
    assert refused.value.status == 507035
    assert refused.value.report == (
        f"Scaled: the tiling function has left bytes {which} of the 24 of the tiling data unset, and the kernel does"
        f" something else when they have another value{RULE}"
    )
    assert refused.value.defect["message"] == refused.value.text
    with pytest.raises(LaunchError):  # in each run
        scaled(kernel, *left_out)


def test_a_member_that_nobody_uses_may_be_unset(kernel: Kernel) -> None:
    """What the op computes in place is computed once."""
    assert np.array_equal(scaled(kernel, "spare"), np.arange(64, dtype=np.float32) * 3)
    assert np.array_equal(scaled(kernel, "spare", times=2), np.arange(64, dtype=np.float32) * 9)


def test_the_kernels_own_failure_stays_what_it_is(root: Path, tmp_path: Path) -> None:
    wrong = SOURCE.replace("from[data.offset], 64", "from[16], 64")
    kernel = compile_kernel(root, wrong, "scaled", {"x": "float32"}, {"z": "float32"}, tmp_path)
    with pytest.raises(LaunchError, match="DataCopy: reads 256 bytes at offset 64 of"):
        scaled(kernel, "spare")


def test_only_with_all_checks(kernel: Kernel) -> None:
    for checks in ("off", "fast"):
        assert scaled(kernel, "scale", checks=checks)[1] == np.frombuffer(b"\xa5" * 4, np.float32)[0]
