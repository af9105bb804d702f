"""One kernel of many calls with any operands: for functions above the instructions (docs: SIMD-API/高阶API).

A call is C++ over In<T>(0) to In<T>(5), Out<T>(0) to Out<T>(3), Room(), n(i) and f(i); a number chooses it at run time.
Outputs hold nothing before the call, so whatever a function leaves undefined cannot be stored.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from harness import Array, Kernel, compile_kernel, run
from twins import COPIES, Twin, compile_twin

INPUTS = 7
OUTPUTS = 4
NUMBERS = 16
REALS = 4

_SOURCE = """
#include "kernel_operator.h"
#include "lib/math/kernel_operator_tanh_intf.h"
#include "adv_api/reduce/reduce.h"
using namespace AscendC;
{copies}
{preamble}
struct ProbeTiling {{
    uint32_t choice, load, room;
    uint32_t in[{inputs}], out[{outputs}];
    int32_t numbers[{numbers}];
    float reals[{reals}];
}};

struct Operands {{
    TPipe pipe;
    TBuf<TPosition::VECIN> in[{inputs}];
    TBuf<TPosition::VECOUT> out[{outputs}];
    TBuf<TPosition::VECCALC> room;
}};

extern "C" __global__ __aicore__ void probe({parameters}, GM_ADDR workspace, GM_ADDR tiling) {{
    REGISTER_TILING_DEFAULT(ProbeTiling);
    GET_TILING_DATA(data, tiling);
    Operands all;
    GM_ADDR from[] = {{{from_names}}};
    GM_ADDR to[] = {{{to_names}}};
    GlobalTensor<uint8_t> gm;
    for (uint32_t i = 0; i < {inputs}; ++i) {{
        if (data.in[i] != 0) {{
            all.pipe.InitBuffer(all.in[i], (data.in[i] + 31) / 32 * 32);
            gm.SetGlobalBuffer((__gm__ uint8_t*)from[i]);
            Loaded(all.in[i].Get<uint8_t>(), gm, data.in[i]);
        }}
    }}
    for (uint32_t i = 0; i < {outputs}; ++i) {{
        if (data.out[i] != 0) {{
            all.pipe.InitBuffer(all.out[i], (data.out[i] + 31) / 32 * 32);
            if (data.load) {{
                gm.SetGlobalBuffer((__gm__ uint8_t*)to[i]);
                Loaded(all.out[i].Get<uint8_t>(), gm, data.out[i]);
            }}
        }}
    }}
    if (data.room != 0) {{
        all.pipe.InitBuffer(all.room, data.room);
    }}
    SetFlag<HardEvent::MTE2_V>(EVENT_ID0);
    WaitFlag<HardEvent::MTE2_V>(EVENT_ID0);
#define In(i) all.in[i].Get
#define Size(i) data.in[i]
#define Out(i) all.out[i].Get
#define Room() all.room.Get<uint8_t>()
#define n(i) data.numbers[i]
#define f(i) data.reals[i]
    switch (data.choice) {{
{cases}
    }}
    SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
    WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
    for (uint32_t i = 0; i < {outputs}; ++i) {{
        if (data.out[i] != 0) {{
            gm.SetGlobalBuffer((__gm__ uint8_t*)to[i]);
            Stored(gm, all.out[i].Get<uint8_t>(), data.out[i]);
        }}
    }}
}}
"""


@dataclass(frozen=True)
class AdvProbes:
    """The compiled calls by name."""

    kernel: Kernel
    calls: tuple[str, ...]
    twin: Twin | None = None

    def __call__(
        self,
        call: str,
        inputs: Sequence[Array],
        outputs: Sequence[Array],
        *,
        numbers: Sequence[int] = (),
        reals: Sequence[float] = (),
        room: int = 0,
        load: bool = False,
        checks: bool = True,
    ) -> list[Array]:
        """What the outputs are after the call; `load` gives them their values before it."""
        results = [array.copy() for array in outputs]
        nothing = np.zeros(1, np.uint8)
        sizes = [a.nbytes for a in inputs] + [0] * (INPUTS - len(inputs))
        sizes += [a.nbytes for a in results] + [0] * (OUTPUTS - len(results))
        whole = [*numbers] + [0] * (NUMBERS - len(numbers))
        number = self.calls.index(call)
        tiling = struct.pack(
            f"<3I{INPUTS + OUTPUTS}I{NUMBERS}i{REALS}f",
            number, int(load), room, *sizes, *whole, *reals, *[0.0] * (REALS - len(reals)),
        )  # fmt: skip
        pad_in = [*inputs] + [nothing] * (INPUTS - len(inputs))
        pad_out = results + [nothing.copy() for _ in range(OUTPUTS - len(results))]
        pad_in = [a if a.nbytes else nothing for a in pad_in]
        pad_out = [a if a.nbytes else nothing.copy() for a in pad_out]
        before = [a.copy() for a in pad_out]
        run(self.kernel, pad_in, pad_out, tiling=tiling, checks=checks)
        if self.twin:
            self.twin.agrees(number, (pad_in, before, pad_out), tiling=tiling, checks=checks)
        return results


def compile_adv_probes(root: Path, calls: Mapping[str, str], workdir: Path, preamble: str = "") -> AdvProbes:
    """`calls` are statements by their names."""
    cases = [f"        case {i}: {{ {call} }} break;" for i, call in enumerate(calls.values())]
    x, y = [f"x{i}" for i in range(INPUTS)], [f"y{i}" for i in range(OUTPUTS)]
    form = _SOURCE.format(
        cases="{cases}", copies=COPIES, preamble=preamble, inputs=INPUTS, outputs=OUTPUTS, numbers=NUMBERS,
        reals=REALS, parameters=", ".join(f"GM_ADDR {name}" for name in x + y),
        from_names=", ".join(x), to_names=", ".join(y),
    )  # fmt: skip
    tensors = (dict.fromkeys(x, "int8"), dict.fromkeys(y, "int8"))
    source = form.replace("{cases}", "\n".join(cases))
    kernel = compile_kernel(root, source, "probe", *tensors, workdir, options=["-O0"])
    twin = compile_twin(root, form, cases, workdir / "twin", tensors=tensors, options=["-O0"])
    return AdvProbes(kernel, tuple(calls), twin)
