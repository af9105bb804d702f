"""What a report says beyond the sentence and its rule: the way to the call, the pipe, what helps; and all as JSON."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from harness import Kernel, LaunchError, aligned, compile_kernel, run

pytestmark = pytest.mark.compiler

CHAINED = r"""
#include "kernel_operator.h"
using namespace AscendC;
template <typename T>
class Doubled {
public:
    __aicore__ inline void Init(GM_ADDR x, GM_ADDR z) {
        from.SetGlobalBuffer((__gm__ T*)x, 256);
        to.SetGlobalBuffer((__gm__ T*)z, 256);
        pipe.InitBuffer(in, 1, 1024);
        pipe.InitBuffer(out, 1, 1024);
    }
    __aicore__ inline void Process() {
        LocalTensor<T> x = in.AllocTensor<T>();
        DataCopy(x, from, 256);
        in.EnQue(x);
        Compute();  // process
    }

private:
    __aicore__ inline void Compute() {
        LocalTensor<T> x = in.DeQue<T>();
        LocalTensor<T> z = out.AllocTensor<T>();
        Add(z, x, x, 256);  // computed
        DataCopy(to, z, 256);  // stored
        in.FreeTensor(x);
        out.FreeTensor(z);
    }
    TPipe pipe;
    TQue<TPosition::VECIN, 1> in;
    TQue<TPosition::VECOUT, 1> out;
    GlobalTensor<T> from, to;
};
extern "C" __global__ __aicore__ void doubled(GM_ADDR x, GM_ADDR z, GM_ADDR workspace, GM_ADDR tiling) {
    Doubled<float> op;
    op.Init(x, z);
    op.Process();  // entry
}
"""

HINT = "EnQue and DeQue the tensor between the two calls, or SetFlag and WaitFlag an event of the two pipes"


@pytest.fixture(scope="module")
def chained(toolkit_root: Path, tmp_path_factory: pytest.TempPathFactory) -> Kernel:
    folder = tmp_path_factory.mktemp("chained")
    return compile_kernel(toolkit_root, CHAINED, "doubled", {"x": "float32"}, {"z": "float32"}, folder)


def refusal(kernel: Kernel) -> LaunchError:
    with pytest.raises(LaunchError) as refused:
        run(kernel, [aligned(256, np.float32)], [aligned(256, np.float32)])
    return refused.value


def test_the_way_to_the_call_stands_in_the_text_and_in_the_json(chained: Kernel) -> None:
    source = chained.path.parent.parent / "doubled.cpp"

    def line(mark: str) -> int:
        return next(i for i, text in enumerate(source.read_text().splitlines(), 1) if text.endswith(f"// {mark}"))

    error = refusal(chained)
    detail = (
        f"pipe MTE3 reads UB address 1024, which Add on pipe V wrote at {source}:{line('computed')}, without a"
        " synchronisation V to MTE3"
    )
    rule = (
        "instructions of MTE2, V and MTE3 are ordered only by EnQue/DeQue, AllocTensor/FreeTensor or SetFlag/WaitFlag"
    )
    page = "基础API/同步控制/核内同步/关键特性说明"
    message = f"Doubled: block 0 of 1: {source}:{line('stored')}: DataCopy: {detail}\n  rule: {rule} [{page}]"
    calls = [
        ("Doubled<float>::Compute()", line("stored")),
        ("Doubled<float>::Process()", line("process")),
        ("doubled", line("entry")),
    ]
    assert error.text == (
        f"{message}\n  hint: {HINT}\n  pipe: MTE3\n  in: "
        + "\n   <- ".join(f"{function} ({source}:{at})" for function, at in calls)
    )
    assert error.defect == {
        "schema": 1,
        "level": "error",
        "op": "Doubled",
        "soc": "Ascend910B1",
        "status": 507035,
        "message": message,
        "core": "block 0 of 1",
        "block": 0,
        "pipe": "MTE3",
        "api": "DataCopy",
        "file": str(source),
        "line": line("stored"),
        "detail": detail,
        "id": "pipe-order",
        "rule": rule,
        "page": page,
        "hint": HINT,
        "open": False,
        "does": None,
        "source": None,
        "calls": [{"function": function, "file": str(source), "line": at} for function, at in calls],
        "text": error.text,
    }


def test_without_addr2line_a_report_lacks_the_way_only(chained: Kernel, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    error = refusal(chained)
    assert error.defect["calls"] == []
    assert error.text.endswith("\n  pipe: MTE3")
