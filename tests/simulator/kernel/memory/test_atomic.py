"""Transfers with SetAtomicAdd, SetAtomicMax and SetAtomicMin: every data type, odd lengths, several cores."""

from __future__ import annotations

import struct
from pathlib import Path

import numpy as np
import pytest
from harness import Array, Kernel, aligned, compile_kernel, run

pytestmark = pytest.mark.compiler

# key: 4 * the type's place here + 0 add, 1 max, 2 min, 3 nothing
TYPES = {
    "int8_t": np.int8,
    "int16_t": np.int16,
    "half": np.float16,
    "bfloat16_t": np.uint16,
    "int32_t": np.int32,
    "float": np.float32,
}
SOURCE = """
#include "kernel_operator.h"
using namespace AscendC;

struct AtomicTiling { uint32_t type, op, count; };

// Every core combines all of x into z.
template <typename T>
__aicore__ inline void Combine(GM_ADDR x, GM_ADDR z, const AtomicTiling& data) {
    TPipe pipe;
    TQueBind<TPosition::VECIN, TPosition::VECOUT, 1> queue;
    pipe.InitBuffer(queue, 1, data.count * sizeof(T) + 32);
    GlobalTensor<T> from, to;
    from.SetGlobalBuffer((__gm__ T*)x);
    to.SetGlobalBuffer((__gm__ T*)z);
    const DataCopyExtParams all{1, data.count * (uint32_t)sizeof(T), 0, 0, 0};
    LocalTensor<T> tensor = queue.template AllocTensor<T>();
    DataCopyPad(tensor, from, all, DataCopyPadExtParams<T>{});
    queue.EnQue(tensor);
    tensor = queue.template DeQue<T>();
    SetAtomicMax<T>();
    if (data.op == 0) {
        SetAtomicAdd<T>();
    } else if (data.op == 2) {
        SetAtomicMin<T>();
    } else if (data.op == 3) {
        SetAtomicNone();
    }
    DataCopyPad(to, tensor, all);
    DisableDmaAtomic();
    queue.FreeTensor(tensor);
}

extern "C" __global__ __aicore__ void atomic(GM_ADDR x, GM_ADDR z, GM_ADDR workspace, GM_ADDR tiling) {
    GET_TILING_DATA_WITH_STRUCT(AtomicTiling, data, tiling);
    switch (data.type) {
        case 0: return Combine<int8_t>(x, z, data);
        case 1: return Combine<int16_t>(x, z, data);
        case 2: return Combine<half>(x, z, data);
        case 3: return Combine<bfloat16_t>(x, z, data);
        case 4: return Combine<int32_t>(x, z, data);
        case 5: return Combine<float>(x, z, data);
    }
}
"""


def bfloat_bits(values: Array) -> Array:
    """The values, rounded to nearest even."""
    bits = values.astype(np.float32).view(np.uint32)
    return ((bits + 0x7FFF + (bits >> 16 & 1)) >> 16).astype(np.uint16)


def bfloat_values(bits: Array) -> Array:
    return (bits.astype(np.uint32) << 16).view(np.float32)


@pytest.fixture(scope="module")
def kernel(root: Path, tmp_path_factory: pytest.TempPathFactory) -> Kernel:
    return compile_kernel(root, SOURCE, "atomic", {"x": "int8"}, {"z": "int8"}, tmp_path_factory.mktemp("atomic"))


@pytest.mark.parametrize("blocks", [1, 5])
@pytest.mark.parametrize("name", TYPES)
def test_atomic_copies(kernel: Kernel, name: str, blocks: int) -> None:
    rng = np.random.default_rng(3)
    for op, combine in enumerate((np.add, np.maximum, np.minimum, lambda _, added: added)):
        for count in (1, 7, 31, 32, 33, 257):
            values = rng.integers(-100, 100, (2, count)).astype(np.float32)
            x, z = (bfloat_bits(v) if name == "bfloat16_t" else v.astype(TYPES[name]) for v in values)
            result = aligned(count, TYPES[name])
            result[:] = z
            run(
                kernel,
                [x],
                [result],
                tiling=struct.pack("<3I", list(TYPES).index(name), op, count),
                block_dim=blocks,
            )
            with np.errstate(over="ignore"):
                want = z
                for _ in range(blocks):
                    if name == "bfloat16_t":
                        want = bfloat_bits(combine(bfloat_values(want), bfloat_values(x)))
                    else:
                        want = combine(want, x)
            assert (result == want).all(), (op, count)
