"""A kernel whose Matmul objects have the types of given requests, and its launches with measured tilings.

The tiling key chooses the types and the template. Every object is made ready by Init; what lies in global memory alone
can be computed too, by all cores that the tiling names.
"""

from __future__ import annotations

import struct
import sys
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

sys.path.insert(0, str(Path(__file__).parents[2] / "simulator" / "kernel"))

from compare_matmul import MATMUL
from harness import Array, Kernel, compile_kernel, run
from matmul_kernels import HOST_HEADERS, SYSTEM_WORKSPACE
from measured_tables import words_of

Types = tuple[str, str, str, str]  # A, B, C, bias, each as in a request
FIELDS = 50
CPP = {"f16": "half", "bf16": "bfloat16_t", "f32": "float", "i8": "int8_t", "i32": "int32_t"}
NUMPY = {"f16": np.float16, "f32": np.float32, "i8": np.int8, "i32": np.int32}
SUMS = {"i8": "i32"}  # else f32
# The object has not: C in L1, and NZ in the unified buffer of Atlas A2 (its own messages say so).
WITHOUT = ("vecin,nz", "veccalc,nz")

SOURCE = """\
#include "kernel_operator.h"
#include "lib/matmul_intf.h"

using namespace AscendC;

struct ProductTiling {
    TCubeTiling cube;
    int32_t m, n, k, compute, aTransposed, bTransposed, splitK;
};

template <TPosition position, CubeFormat format, typename T, bool transposed = false>
using Of = MatmulType<position, format, T, transposed>;

template <typename T>
__aicore__ inline GlobalTensor<T> At(GM_ADDR address, int64_t offset) {
    GlobalTensor<T> tensor;
    tensor.SetGlobalBuffer(reinterpret_cast<__gm__ T*>(address) + offset);
    return tensor;
}

__aicore__ inline int32_t Least(int32_t a, int32_t b) { return a < b ? a : b; }

template <class A, class B, class C, class Bias, const auto& config>
__aicore__ inline void Product(const ProductTiling& p, GM_ADDR a, GM_ADDR b, GM_ADDR bias, GM_ADDR z) {
    const TCubeTiling& t = p.cube;
    TPipe pipe;
    Matmul<A, B, C, Bias, config> mm;
    REGIST_MATMUL_OBJ(&pipe, GetSysWorkSpacePtr(), mm, &t);
    if constexpr (A::pos == TPosition::GM && B::pos == TPosition::GM && C::pos == TPosition::GM) {
        const int32_t core = static_cast<int32_t>(GetBlockIdx());
        if (p.compute == 0 || core >= t.usedCoreNum) {
            return;
        }
        const int32_t ofM = (p.m + t.singleCoreM - 1) / t.singleCoreM, ofN = (p.n + t.singleCoreN - 1) / t.singleCoreN;
        const int32_t tiles = ofM * ofN * ((p.k + t.singleCoreK - 1) / t.singleCoreK);
        for (int32_t tile = core; tile < tiles; tile += t.usedCoreNum) {
            const int32_t row = tile % ofM * t.singleCoreM, column = tile / ofM % ofN * t.singleCoreN;
            const int32_t sum = tile / ofM / ofN * t.singleCoreK;
            const bool acrossA = p.aTransposed != 0, acrossB = p.bTransposed != 0;
            mm.SetTensorA(At<typename A::T>(a, acrossA ? int64_t{sum} * t.M + row : int64_t{row} * t.Ka + sum),
                          acrossA);
            mm.SetTensorB(At<typename B::T>(b, acrossB ? int64_t{column} * t.Kb + sum : int64_t{sum} * t.N + column),
                          acrossB);
            if (t.isBias != 0 && sum == 0) {
                mm.SetBias(At<typename Bias::T>(bias, column));
            }
            mm.SetTail(Least(t.singleCoreM, p.m - row), Least(t.singleCoreN, p.n - column),
                       Least(t.singleCoreK, p.k - sum));
            mm.IterateAll(At<typename C::T>(z, int64_t{row} * t.N + column), p.splitK);
        }
        mm.End();
    }
}

extern "C" __global__ __aicore__ void measured_products(GM_ADDR a, GM_ADDR b, GM_ADDR bias, GM_ADDR z,
                                                        GM_ADDR workspace, GM_ADDR tiling) {
    KERNEL_TASK_TYPE_DEFAULT(@KIND@);
    REGISTER_TILING_DEFAULT(ProductTiling);
    GET_TILING_DATA(p, tiling);
@KEYS@
}
"""


@dataclass(frozen=True)
class Row:
    """A measured row: what was asked for and the fields of the tiling."""

    kind: str
    asked: dict[str, list[str]]
    tiling: tuple[int, ...]

    @property
    def types(self) -> Types:
        """A, B, C and bias; a bias without its type is of the sums' type."""
        a = self.asked["a"]
        bias = self.asked.get("bias", ["gm", "nd", SUMS.get(a[2], "f32")])
        return ",".join(a), ",".join(self.asked["b"]), ",".join(self.asked["c"]), ",".join(bias)

    @property
    def shape(self) -> tuple[int, int, int]:
        """M, N, K of the product; -1 is the whole matrices'."""
        whole = self.tiling[1], self.tiling[2], self.tiling[3]
        asked = [int(x) for x in self.asked.get("shape", ["-1"] * 3)]
        m, n, k = (whole[i] if x == -1 else x for i, x in enumerate(asked))
        return m, n, k

    @property
    def across(self) -> tuple[bool, bool]:
        """Whether A and B are transposed."""
        return "t" in self.asked["a"][3:], "t" in self.asked["b"][3:]


def measured(*, coupled: bool) -> list[Row]:
    """The measured tilings for types that the Matmul object has."""
    found = []
    for each in MATMUL.rows():
        answer = words_of(each["answer"])
        asked = {name: value.split(",") for name, value in (word.split("=") for word in each["request"].split())}
        if answer.get("rc") != "0" or ("310P" in asked["soc"][0]) != coupled:
            continue
        if each["kind"] == "four_bits":  # the object refuses int4b_t
            continue
        row = Row(each["kind"], asked, tuple(int(x) for x in answer["tiling"].split(",")))
        if coupled or ",".join(asked["c"][:2]) not in WITHOUT:
            found.append(row)
    return found


def cpp_type(words: str) -> str:
    """``gm,nd,f16,t`` as a MatmulType."""
    position, form, dtype, *transposed = words.split(",")
    turned = ", true" if transposed else ""
    return f"Of<TPosition::{position.upper()}, CubeFormat::{form.upper()}, {CPP[dtype]}{turned}>"


def compiled(root: Path, folder: Path, types: list[Types], soc: str = "Ascend910B1") -> Kernel:
    """Tiling key 2 i is Norm with the types of number i, 2 i + 1 MDL."""
    keys = [
        f"    if (TILING_KEY_IS({2 * i + mdl})) {{\n"
        f"        Product<{', '.join(map(cpp_type, each))}, {config}>(p, a, b, bias, z);\n    }}"
        for i, each in enumerate(types)
        for mdl, config in enumerate(("CFG_NORM", "CFG_MDL"))
    ]
    kind = "KERNEL_TYPE_AICORE" if "310P" in soc else "KERNEL_TYPE_MIX_AIC_1_2"
    source = SOURCE.replace("@KEYS@", "\n".join(keys)).replace("@KIND@", kind)
    tensors = dict.fromkeys(("a", "b", "bias"), "int8")
    return compile_kernel(
        root, source, "measured_products", tensors, {"z": "int8"}, folder,
        include_dirs=[HOST_HEADERS], soc_version=soc,
    )  # fmt: skip


def launch(kernel: Kernel, key: int, row: Row, operands: list[Array], z: Array, *, compute: bool) -> None:
    """Init on every core, and the product where ``compute`` says so."""
    coupled = "310P" in row.asked["soc"][0]
    extra = struct.pack("<7i", *row.shape, compute, *row.across, int("split_k" in row.asked))
    cores = row.tiling[0]
    run(
        kernel,
        operands,
        [z],
        tiling=struct.pack(f"<{FIELDS}i", *row.tiling) + extra,
        block_dim=cores if coupled else -(-cores // 2),
        tiling_key=key,
        workspace_bytes=SYSTEM_WORKSPACE,
        short_name="ascend310p" if coupled else "ascend910b",
    )


def numbers(dtype: str, *shape: int) -> tuple[Array, NDArray[np.float64]]:
    """Random values as they lie in memory, and what they are."""
    random = np.random.default_rng([len(shape), *shape])
    if dtype in {"i8", "i32"}:
        memory: Array = random.integers(-8, 8, shape).astype(NUMPY[dtype])
        return memory, memory.astype(np.float64)
    if dtype == "bf16":
        bits = random.uniform(-1, 1, shape).astype(np.float32).view(np.uint32) >> 16
        return bits.astype(np.uint16), (bits << 16).view(np.float32).astype(np.float64)
    memory = random.uniform(-1, 1, shape).astype(NUMPY[dtype])
    return memory, memory.astype(np.float64)
