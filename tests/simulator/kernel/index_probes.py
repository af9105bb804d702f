"""A kernel of many calls over bytes: x, y and z are loaded into the unified buffer, one call runs, z goes back.

z ends with 32 bytes for what the call tells the scalar unit (`tell(i, value)`).
"""

from __future__ import annotations

import struct
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from harness import Array, Kernel, compile_kernel, run
from probes import NUMPY

FLOATS = ("half", "float")
MASK_PARAMS = (
    "{static_cast<uint8_t>(p[2]), static_cast<uint16_t>(p[3]), static_cast<uint16_t>(p[4]), static_cast<uint8_t>(p[5])}"
)

_FORM = """
#include "kernel_operator.h"
using namespace AscendC;

struct ProbeTiling {{
    uint32_t choice, xBytes, yBytes, zBytes;
    uint64_t p[12];
}};

__aicore__ inline void Load(TPipe& pipe, TBuf<TPosition::VECCALC>& buffer, GM_ADDR from, uint32_t bytes) {{
    pipe.InitBuffer(buffer, (bytes + 31) / 32 * 32);
    GlobalTensor<uint8_t> global;
    global.SetGlobalBuffer((__gm__ uint8_t*)from);
    LocalTensor<uint8_t> local = buffer.Get<uint8_t>();
#if __NPU_ARCH__ == 2002
    DataCopy(local, global, bytes);  // has no DataCopyPad
#else
    DataCopyPad(local, global, DataCopyExtParams{{1, bytes, 0, 0, 0}}, DataCopyPadExtParams<uint8_t>{{}});
#endif
}}

template <typename F>
__aicore__ inline void Probe(GM_ADDR xGm, GM_ADDR yGm, GM_ADDR zGm, const ProbeTiling& data, F call) {{
    TPipe pipe;
    TBuf<TPosition::VECCALC> xBuffer, yBuffer, zBuffer, workBuffer;
    Load(pipe, xBuffer, xGm, data.xBytes);
    Load(pipe, yBuffer, yGm, data.yBytes);
    Load(pipe, zBuffer, zGm, data.zBytes);
    pipe.InitBuffer(workBuffer, 65536);
    SetFlag<HardEvent::MTE2_V>(EVENT_ID0);
    WaitFlag<HardEvent::MTE2_V>(EVENT_ID0);
    LocalTensor<uint8_t> z = zBuffer.Get<uint8_t>();
    LocalTensor<uint64_t> told = z[data.zBytes / 32 * 32 - 32].template ReinterpretCast<uint64_t>();
    call(xBuffer, yBuffer, zBuffer, workBuffer, [&](uint32_t i, uint64_t value) {{ told.SetValue(i, value); }});
    SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
    WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
    SetFlag<HardEvent::S_MTE3>(EVENT_ID0);
    WaitFlag<HardEvent::S_MTE3>(EVENT_ID0);
    GlobalTensor<uint8_t> global;
    global.SetGlobalBuffer((__gm__ uint8_t*)zGm);
    DataCopy(global, z, data.zBytes);
}}

extern "C" __global__ __aicore__ void probe(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR workspace, GM_ADDR tiling) {{
    REGISTER_TILING_DEFAULT(ProbeTiling);
    GET_TILING_DATA(data, tiling);
    const uint64_t* p = data.p;
    switch (data.choice) {{
{cases}
    }}
}}
"""

_CASE = """        case {number}:
            Probe(x, y, z, data, [&](auto& x, auto& y, auto& z, auto& work, auto tell) {{
                {call}
                (void)x; (void)y; (void)z; (void)work; (void)tell; (void)p;
            }});
            break;"""


@dataclass(frozen=True)
class IndexProbes:
    kernel: Kernel
    calls: tuple[str, ...]
    short_name: str = "ascend910b"

    def __call__(self, call: str, x: Array, y: Array, z: Array, *parameters: int) -> tuple[Array, Array]:
        """The new z, and what the call has told."""
        room = (z.nbytes + 31) // 32 * 32 + 32
        memory = np.zeros(room, np.uint8)
        memory[: z.nbytes] = z.view(np.uint8)
        head = struct.pack("<4I", self.calls.index(call), x.nbytes, y.nbytes, room)
        tiling = head + struct.pack("<12Q", *parameters, *[0] * (12 - len(parameters)))
        run(self.kernel, [x, y], [memory], tiling=tiling, short_name=self.short_name)
        return memory[: z.nbytes].view(z.dtype), memory[room - 32 :].view(np.uint64)


def compile_index_probes(
    root: Path, calls: tuple[str, ...], workdir: Path, soc: str = "Ascend910B1", short_name: str = "ascend910b"
) -> IndexProbes:
    cases = "\n".join(_CASE.format(number=i, call=call) for i, call in enumerate(calls))
    kernel = compile_kernel(
        root,
        _FORM.format(cases=cases),
        "probe",
        {"x": "uint8", "y": "uint8"},
        {"z": "uint8"},
        workdir,
        name="probe",
        soc_version=soc,
    )
    return IndexProbes(kernel, calls, short_name)


def mask_fixed(t: str) -> str:
    return (
        f"uint64_t kept = 0; GatherMask(z.template Get<{t}>(), x.template Get<{t}>(), static_cast<uint8_t>(p[6]),"
        f" p[0] != 0, p[1], {MASK_PARAMS}, kept); tell(0, kept);"
        " const auto rest = GetGatherMaskRemainCount(); tell(1, AscendCUtils::GetRsvdCnt() == rest ? rest : -1);"
    )


def some(t: str, count: int, seed: int = 1) -> Array:
    """Distinct bit patterns; for sorts see scores()."""
    return np.random.default_rng(seed).integers(0, 200, count).astype(NUMPY[t])


def scores(t: str, count: int, seed: int) -> Array:
    """With ties, infinities and NaNs."""
    rng = np.random.default_rng(seed)
    values = rng.integers(-20, 20, count).astype(NUMPY[t])
    values[rng.random(count) < 0.03] = np.nan
    values[rng.random(count) < 0.03] = np.inf
    values[rng.random(count) < 0.03] = -np.inf
    return values


def descending(values: Array) -> Array:
    """Positions in the documented order: NaN, then from the largest; equal ones as they stood."""
    wide = values.astype(np.float64)
    return np.lexsort((np.arange(len(wide)), np.where(np.isnan(wide), -np.inf, -wide), ~np.isnan(wide)))
