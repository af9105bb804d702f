"""A kernel of many calls over bytes: x, y and z are loaded into the unified buffer, one call runs, z goes back.

z ends with 32 bytes for what the call tells the scalar unit (`tell(i, value)`).
"""

from __future__ import annotations

import struct
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from harness import Array, Kernel, compile_kernel, run

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
