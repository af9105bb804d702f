"""Kernels made of one call: what a vector function does to one tile, chosen by number at run time.

The tensors x, y and z hold one tile; z is loaded first, so that accumulating functions find it.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from harness import Array, Kernel, compile_kernel, run
from twins import COPIES, Twin, compile_twin

# C++ types as NumPy has them; bfloat16 travels as its bits.
NUMPY = {
    "half": np.float16,
    "bfloat16_t": np.uint16,
    "float": np.float32,
    "int8_t": np.int8,
    "uint8_t": np.uint8,
    "int16_t": np.int16,
    "uint16_t": np.uint16,
    "int32_t": np.int32,
    "uint32_t": np.uint32,
    "int64_t": np.int64,
    "uint64_t": np.uint64,
}

_FORM = """
#include "kernel_operator.h"
using namespace AscendC;
{copies}
struct ProbeTiling {{
    uint32_t choice, count, mode, outCount;
    uint64_t scalar;
    uint32_t repeat, lanes;
}};

template <typename T>
__aicore__ inline T Scalar(uint64_t bits) {{
    T value;
    __builtin_memcpy(&value, &bits, sizeof(T));
    return value;
}}

// Loads x, y and z, calls, stores z.
template <typename T, typename U, typename F>
__aicore__ inline void Probe(GM_ADDR xGm, GM_ADDR yGm, GM_ADDR zGm, const ProbeTiling& data, F call) {{
    TPipe pipe;
    TQue<TPosition::VECIN, 1> xQueue, yQueue;
    TQue<TPosition::VECOUT, 1> zQueue;
    TBuf<TPosition::VECCALC> work;
    const uint32_t room = data.count > data.outCount ? data.count : data.outCount;
    const uint32_t bytes = (room * (sizeof(T) > sizeof(U) ? sizeof(T) : sizeof(U)) + 256) / 256 * 256;
    pipe.InitBuffer(xQueue, 1, bytes);
    pipe.InitBuffer(yQueue, 1, bytes);
    pipe.InitBuffer(zQueue, 1, bytes);
    pipe.InitBuffer(work, bytes);
    GlobalTensor<uint8_t> xGlobal, yGlobal, zGlobal;
    xGlobal.SetGlobalBuffer(xGm);
    yGlobal.SetGlobalBuffer(yGm);
    zGlobal.SetGlobalBuffer(zGm);
    const uint32_t in = data.count * sizeof(U), out = data.outCount * sizeof(T);
    LocalTensor<U> x = xQueue.AllocTensor<U>();
    LocalTensor<U> y = yQueue.AllocTensor<U>();
    LocalTensor<T> z = zQueue.AllocTensor<T>();
    Loaded(x.template ReinterpretCast<uint8_t>(), xGlobal, in);
    Loaded(y.template ReinterpretCast<uint8_t>(), yGlobal, in);
    Loaded(z.template ReinterpretCast<uint8_t>(), zGlobal, out);
    xQueue.EnQue(x);
    yQueue.EnQue(y);
    SetFlag<HardEvent::MTE2_V>(EVENT_ID0);
    WaitFlag<HardEvent::MTE2_V>(EVENT_ID0);
    x = xQueue.DeQue<U>();
    y = yQueue.DeQue<U>();
    call(z, x, y, work);
    zQueue.EnQue(z);
    z = zQueue.DeQue<T>();
    Stored(zGlobal, z.template ReinterpretCast<uint8_t>(), out);
    xQueue.FreeTensor(x);
    yQueue.FreeTensor(y);
    zQueue.FreeTensor(z);
}}

extern "C" __global__ __aicore__ void probe(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR workspace, GM_ADDR tiling) {{
    REGISTER_TILING_DEFAULT(ProbeTiling);
    GET_TILING_DATA(data, tiling);
    switch (data.choice) {{
{cases}
    }}
}}
"""

_CASE = """        case {number}:
            Probe<{dst}, {src}>(x, y, z, data, [&](auto& z, auto& x, auto& y, auto& work) {{
                {call}
                (void)x; (void)y; (void)z; (void)work;
            }});
            break;"""


@dataclass(frozen=True)
class Choice:
    """One call: destination and source types, and C++ over z, x, y, work and data."""

    dst: str
    src: str
    call: str


@dataclass(frozen=True)
class Probes:
    """A compiled set of choices."""

    kernel: Kernel
    choices: tuple[Choice, ...]
    twin: Twin | None = None

    def __call__(
        self,
        choice: Choice,
        x: Array,
        y: Array,
        z: Array,
        *,
        count: int | None = None,
        mode: int = 0,
        scalar: np.generic | None = None,
        repeat: int = 0,
        lanes: int = 0,
        checks: bool = True,
    ) -> Array:
        """The new z. `count` is that of x and y."""
        result = z.copy()
        bits = scalar.tobytes().ljust(8, b"\0") if scalar is not None else bytes(8)
        n = len(x) if count is None else count
        tiling = (
            struct.pack("<4I", self.choices.index(choice), n, mode, len(z)) + bits + struct.pack("<2I", repeat, lanes)
        )
        run(self.kernel, [x, y], [result], tiling=tiling, checks=checks)
        if self.twin:
            arrays = [x, y], [z], [result]
            self.twin.agrees(self.choices.index(choice), arrays, tiling=tiling, checks=checks)
        return result


def compile_probes(root: Path, choices: Sequence[Choice], workdir: Path) -> Probes:
    cases = [_CASE.format(number=i, dst=c.dst, src=c.src, call=c.call) for i, c in enumerate(choices)]
    form = _FORM.format(cases="{cases}", copies=COPIES)
    tensors = ({"x": "int8", "y": "int8"}, {"z": "int8"})
    kernel = compile_kernel(root, form.replace("{cases}", "\n".join(cases)), "probe", *tensors, workdir)
    return Probes(kernel, tuple(choices), compile_twin(root, form, cases, workdir / "twin", tensors=tensors))
