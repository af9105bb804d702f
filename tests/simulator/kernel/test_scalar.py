"""Functions of the scalar unit, against Python's integers and NumPy."""

from __future__ import annotations

import math
import struct
from pathlib import Path

import numpy as np
import pytest
from harness import Kernel, aligned, compile_kernel, run

pytestmark = pytest.mark.compiler

SOURCE = """
#include "kernel_operator.h"
using namespace AscendC;

// For each of the words of x, ANSWERS words of z.
constexpr int ANSWERS = 30;
extern "C" __global__ __aicore__ void scalar(GM_ADDR x, GM_ADDR z, GM_ADDR workspace, GM_ADDR tiling) {
    __gm__ int64_t* in = (__gm__ int64_t*)x;
    __gm__ int64_t* out = (__gm__ int64_t*)z;
    GET_TILING_DATA_WITH_STRUCT(uint32_t, count, tiling);
    for (uint32_t i = 0; i < count; ++i) {
        const uint64_t v = ReadGmByPassDCache<uint64_t>((__gm__ uint64_t*)(in + i));
        float f;
        __builtin_memcpy(&f, &v, 4);
        int64_t a[ANSWERS];
        int n = 0;
        a[n++] = GetBitCount<1>(v);
        a[n++] = GetBitCount<0>(v);
        a[n++] = ScalarGetCountOfValue<1>(v);
        a[n++] = CountLeadingZero(v);
        a[n++] = ScalarCountLeadingZero(v);
        a[n++] = CountBitsCntSameAsSignBit(static_cast<int64_t>(v));
        a[n++] = GetSFFValue<0>(v);
        a[n++] = GetSFFValue<1>(v);
        a[n++] = ScalarGetSFFValue<1>(v);
        a[n++] = ScalarCast<float, half, RoundMode::CAST_ODD>(f).bits;
        a[n++] = ScalarCast<float, int32_t, RoundMode::CAST_ROUND>(f);
        a[n++] = Cast<float, int32_t, RoundMode::CAST_CEIL>(f);
        a[n++] = Cast<float, int32_t, RoundMode::CAST_FLOOR>(f);
        a[n++] = Cast<float, int32_t, RoundMode::CAST_RINT>(f);
        a[n++] = Cast(f).bits;
        a[n++] = Cast(Cast(1.5f)) == 1.5f;
        const uint32_t m = static_cast<uint32_t>(v >> 32 & 0xffff);
        a[n++] = CeilDivision(static_cast<int32_t>(m), 7);
        a[n++] = DivCeil(m, 32u);
        a[n++] = AlignUp(m, 32u);
        a[n++] = Std::max(static_cast<int32_t>(v), 5);
        a[n++] = Std::min(static_cast<int32_t>(v), 5);
        a[n++] = Ceil(m, 32u);
        a[n++] = max(static_cast<int32_t>(v), 5);
        a[n++] = min(static_cast<int32_t>(v), 5);
        a[n++] = max(v, uint64_t{5});
        a[n++] = f != f || min(f, 1.5f) == (f < 1.5f ? f : 1.5f);
        // division by a constant of the kernel
        uint32_t magic, shift;
        const uint32_t divisor = (m & 0x7fff) + 1;
        GetUintDivMagicAndShift(magic, shift, divisor);
        const uint64_t low = v & 0x7fffffff;
        a[n++] = (((low * magic) >> 32) + low) >> shift;
        uint64_t magic64, shift64;
        GetUintDivMagicAndShift(magic64, shift64, static_cast<uint64_t>(divisor));
        a[n++] = static_cast<int64_t>(
            ((((static_cast<unsigned __int128>(low) * magic64) >> 64) + low) >> shift64) == low / divisor);
        a[n++] = CeilDivision(5, 0);
        const float root = sqrt(f < 0 ? -f : f);
        a[n++] = f == f ? *reinterpret_cast<const uint32_t*>(&root) : 0;
        Nop<3>();
        for (int k = 0; k < ANSWERS; ++k) {
            WriteGmByPassDCache<int64_t>(out + i * ANSWERS + k, a[k]);
        }
    }
}
"""
FLOATS = [0.0, -0.0, 1.5, 2.5, -2.5, 0.49999997, 3.14159, -7.0, 70000.0, 1e-8, 3e9, -3e9, float("nan"), 65504.1]
WORDS = [0, 1, 2**64 - 1, 2**63, 2**63 - 1, 0x0100000000000020, 0xFF00, 0x00FF, 0x00F0000000000000, 12345678901234567]


def answers(word: int) -> list[int]:
    """What the documentation says, in Python's integers."""
    bits = format(word, "064b")
    signed = word - 2**64 if word >= 2**63 else word
    like_sign = -1 if signed in (0, -1) else len(bits) - len(bits.lstrip(bits[0])) - 1
    value = float(np.array([word & 0xFFFFFFFF], np.uint32).view(np.float32)[0])
    middle = word >> 32 & 0xFFFF
    low32 = int(np.array([word & 0xFFFFFFFF], np.uint32).view(np.int32)[0])

    def whole(rounded: float) -> int:
        return max(-(2**31), min(2**31 - 1, int(rounded)))

    def place(of: str) -> int:
        return bits[::-1].find(of)

    nan = math.isnan(value)
    with np.errstate(over="ignore"):
        near = np.array([value], np.float16)
    odd = int(near.view(np.uint16)[0])
    if not nan and float(near[0]) != value:
        odd = (odd - 1 if abs(float(near[0])) > abs(value) else odd) | 1
    single = int(np.array([value], np.float32).view(np.uint32)[0])
    bfloat = (single + 0x7FFF + (single >> 16 & 1)) >> 16 if not nan else single >> 16 | 0x40
    away = math.copysign(math.floor(abs(value) + 0.5), value) if not nan and abs(value) < 2**23 else value
    away = away if nan or abs(value) != 0.49999997019767761 else 0.0
    rounded = [0] * 4 if nan else [whole(away), whole(math.ceil(value)), whole(math.floor(value)), whole(round(value))]
    root = 0 if nan else int(np.sqrt(np.array([-value if value < 0 else value], np.float32)).view(np.uint32)[0])
    return [
        bits.count("1"), bits.count("0"), bits.count("1"), 64 - word.bit_length(), 64 - word.bit_length(), like_sign,
        place("0"), place("1"), place("1"), odd, *rounded, bfloat, 1,
        -(-middle // 7), -(-middle // 32), -(-middle // 32) * 32, max(low32, 5), min(low32, 5),
        -(-middle // 32), max(low32, 5), min(low32, 5), np.array([max(word, 5)], np.uint64).view(np.int64)[0], 1,
        (word & 0x7FFFFFFF) // ((middle & 0x7FFF) + 1), 1, 0, root,
    ]  # fmt: skip


@pytest.fixture(scope="module")
def kernel(root: Path, tmp_path_factory: pytest.TempPathFactory) -> Kernel:
    return compile_kernel(root, SOURCE, "scalar", {"x": "int64"}, {"z": "int64"}, tmp_path_factory.mktemp("scalar"))


@pytest.mark.parametrize("header", ["<math.h>", "<cmath>"])
def test_square_root_beside_the_header_of_the_host(header: str, root: Path, tmp_path: Path) -> None:
    source = f"#include {header}\n{SOURCE}"
    compile_kernel(root, source, "scalar", {"x": "int64"}, {"z": "int64"}, tmp_path)


def test_scalar_functions(kernel: Kernel) -> None:
    rng = np.random.default_rng(5)
    singles = [int(np.array([f], np.float32).view(np.uint32)[0]) for f in FLOATS]
    words = [*WORDS, *singles, *(int(w) for w in rng.integers(0, 2**63, 50))]
    words = [w for w in words if math.isfinite(np.uint32(w & 0xFFFFFFFF).view(np.float32)) or w in singles]
    x = np.array(words, np.uint64).view(np.int64)
    z = aligned(30 * len(words), np.int64)
    run(kernel, [x], [z], tiling=struct.pack("<I", len(words)))
    for word, got in zip(words, z.reshape(-1, 30).tolist(), strict=True):
        assert got == answers(word), hex(word)
