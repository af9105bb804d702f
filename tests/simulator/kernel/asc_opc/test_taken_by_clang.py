"""Forms that the device compiler, a clang, takes and g++ would refuse: asc_opc rewrites them."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from harness import CompileError, LaunchError, aligned, compile_as_built, run

from opforge.toolkit.simulator_key import SOURCES

sys.path.append(str(SOURCES / "tools" / "asc_opc"))

from device_code import with_own_packs

pytestmark = pytest.mark.compiler

# As CATLASS's tla has it.
PACKS = """
typedef unsigned long size_t;
template <typename T, T... Ns>
struct Sequence {};
template <typename S, typename T, size_t N>
struct Counted;
template <typename T, size_t... Ns>
struct Counted<Sequence<T, Ns...>, T, 0> { typedef Sequence<T, Ns...> type; };
template <typename T, size_t N, size_t... Ns>
struct Counted<Sequence<T, Ns...>, T, N> {
    typedef typename Counted<Sequence<T, N - 1, Ns...>, T, N - 1>::type type;
};
Counted<Sequence<int>, int, 3>::type counted;
"""
OPERATORS = """#include "kernel_operator.h"
using namespace AscendC;
extern "C" __global__ __aicore__ void two(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR masks, GM_ADDR workspace,
                                          GM_ADDR tiling) {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
    TPipe pipe;
    TBuf<TPosition::VECCALC> buffer, bits;
    pipe.InitBuffer(buffer, 3 * 256);
    pipe.InitBuffer(bits, 6 * 32);
    LocalTensor<float> all = buffer.Get<float>(), a = all[0], b = all[64], c = all[128];
    LocalTensor<uint8_t> mask = bits.Get<uint8_t>();
    a.SetSize(64), b.SetSize(64), c.SetSize(64);
    GlobalTensor<float> first, second, result;
    GlobalTensor<uint8_t> compared;
    first.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(x), 64);
    second.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(y), 64);
    result.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(z), 64);
    compared.SetGlobalBuffer(reinterpret_cast<__gm__ uint8_t*>(masks), 6 * 8);
    DataCopy(a, first, 64);
    DataCopy(b, second, 64);
    PipeBarrier<PIPE_ALL>();
    mask[0] = a < b;
    mask[32] = a > b;
    mask[64] = a == b;
    mask[96] = a <= b;
    mask[128] = a >= b;
    mask[160] = a != b;
    c = a - b;
    PipeBarrier<PIPE_ALL>();
    c = c * b;
    PipeBarrier<PIPE_ALL>();
    DataCopy(result, c, 64);
    DataCopyPad(compared, mask, {6, 8, 0, 0, 0});
}
"""
# A name that gets another meaning below its use; And of 32-bit integers, by count and for a whole tensor; clz; integers
# minus themselves, which nobody has written.
LOGIC = """#include "kernel_operator.h"
using namespace AscendC;
enum class HALF { LANES = 16 };
template <typename T>
struct Part {
    static constexpr int32_t HALF = static_cast<int32_t>(HALF::LANES);
    int32_t lanes = HALF;
};
extern "C" __global__ __aicore__ void logic(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR workspace, GM_ADDR tiling) {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
    TPipe pipe;
    TBuf<TPosition::VECCALC> buffer;
    pipe.InitBuffer(buffer, 5 * 64);
    LocalTensor<int32_t> all = buffer.Get<int32_t>();
    LocalTensor<int32_t> a = all[0], b = all[16], c = all[32], d = all[48], e = all[64];
    a.SetSize(16), b.SetSize(16), c.SetSize(16), d.SetSize(16);
    GlobalTensor<int32_t> first, second, result;
    first.SetGlobalBuffer(reinterpret_cast<__gm__ int32_t*>(x), 16);
    second.SetGlobalBuffer(reinterpret_cast<__gm__ int32_t*>(y), 16);
    result.SetGlobalBuffer(reinterpret_cast<__gm__ int32_t*>(z), 40);
    DataCopy(a, first, 16);
    DataCopy(b, second, 16);
    Sub(e, e, e, 16);
    PipeBarrier<PIPE_V>();
    Adds(c, e, static_cast<int32_t>(63 - clz(1024)), 16);
    PipeBarrier<PIPE_ALL>();
    And(c, a, b, Part<int>().lanes);
    d = a & b;
    PipeBarrier<PIPE_ALL>();
    int32_t last[2] = {0, 0}, copied[2] = {17, 18};
    copy_data_align64(last, copied, sizeof(copied));
    DuplicateImpl<int32_t>((__ubuf__ int32_t*)e.GetPhyAddr(), last[1], 16);
    PipeBarrier<PIPE_ALL>();
    DataCopy(result, c, 16);
    DataCopy(result[16], d, 16);
    DataCopy(b.ReinterpretCast<bool>(), e.ReinterpretCast<bool>(), 32);
    PipeBarrier<PIPE_ALL>();
    DataCopy(result[32], b, 8);
}
"""


def compiled(text: str, folder: Path) -> bool:
    (folder / "packs.cpp").write_text(text, encoding="utf-8")
    command = ["g++", "-std=c++17", "-fsyntax-only", str(folder / "packs.cpp")]
    return subprocess.run(command, capture_output=True, check=False).returncode == 0


def test_packs_of_another_type(tmp_path: Path) -> None:
    assert not compiled(PACKS, tmp_path)
    text = with_own_packs(PACKS)
    assert compiled(text, tmp_path)
    assert len(text.splitlines()) == len(PACKS.splitlines())


def test_operators_of_tensors(root: Path, tmp_path: Path) -> None:
    inputs = {"x": "float32", "y": "float32"}
    outputs = {"z": "float32", "masks": "uint8"}
    kernel = compile_as_built(root, OPERATORS, "two", inputs, outputs, tmp_path)
    x, y, z, masks = aligned(64, "float32"), aligned(64, "float32"), aligned(64, "float32"), aligned(48, "uint8")
    x[:], y[:] = range(64), 20
    run(kernel, [x, y], [z, masks])
    assert z.tolist() == [20 * (value - 20) for value in range(64)]
    compared = [x < y, x > y, x == y, x <= y, x >= y, x != y]
    assert masks.tolist() == np.packbits(compared, bitorder="little").tolist()


def test_meanings_change_and_logic_counts_halves(root: Path, tmp_path: Path) -> None:
    inputs = {"x": "int32", "y": "int32"}
    kernel = compile_as_built(root, LOGIC, "logic", inputs, {"z": "int32"}, tmp_path)
    x, y, z = aligned(16, "int32"), aligned(16, "int32"), aligned(40, "int32")
    x[:], y[:] = range(70_000, 70_016), 0xFFF7
    run(kernel, [x, y], [z])
    both = [value & 0xFFF7 for value in range(70_000, 70_016)]
    assert z.tolist() == [*both[:8], *([10] * 8), *both, *([18] * 8)]


def test_floats_minus_themselves_may_be_nan(root: Path, tmp_path: Path) -> None:
    floats = LOGIC.replace("Sub(e, e, e, 16);", "auto f = e.ReinterpretCast<float>(); Sub(f, f, f, 16);")
    kernel = compile_as_built(root, floats, "logic", {"x": "int32", "y": "int32"}, {"z": "int32"}, tmp_path)
    with pytest.raises(LaunchError, match="has never been written"):
        run(kernel, [aligned(16, "int32"), aligned(16, "int32")], [aligned(40, "int32")])


def test_another_error_stays_one(root: Path, tmp_path: Path) -> None:
    wrong = LOGIC.replace("int32_t lanes = HALF;", "int32_t lanes = HALF; int* place = 3;")
    with pytest.raises(CompileError, match="invalid conversion"):
        compile_as_built(root, wrong, "logic", {"x": "int32", "y": "int32"}, {"z": "int32"}, tmp_path)
