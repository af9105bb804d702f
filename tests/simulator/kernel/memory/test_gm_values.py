"""What nobody has written in global memory: read of it, results that depend on it, and parts of results left out."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from harness import INPUT, OUTPUT, SHAPED, SOURCES, WORKSPACE, Array, Kernel, LaunchError, aligned, compile_kernel, run
from marked_cases import MarkedCases
from pasted import Pasted

pytestmark = pytest.mark.compiler

CASES = MarkedCases(SOURCES / "gm_values.cpp")
COUNT = 256
SYSTEM = 16 << 20  # bytes of the workspace before the user's

# ruff: noqa: E501 - the messages stand as they are printed
STORED = "\n  rule: what is written to global memory must have been computed or copied before [基础API/资源管理/TQue/AllocTensor]"
SCALAR = "\n  rule: a scalar read of global memory needs a value that has been written [基础API/资源管理/workspace/GetUserWorkspace]"
VALUES = "\n  rule: a result is computed from values that have been written [基础API/资源管理/TQue/AllocTensor]"
WHOLE = "\n  rule: a kernel writes all of its outputs [guide/编程指南/编程模型/AI-Core-SIMD编程/核函数]"
NOBODY = "depends on bytes of {} that no core has written, read by DataCopy at {{there}} (SyncAll orders it behind another core's writes)"

# fmt: off
UNDEFINED = {  # case: what the documentation refuses, what a device would make of it
    "workspace_read": (
        f"block 0 of 1: {{here}}: DataCopy: the byte at UB address 1024 (element 0 of block 0) {NOBODY.format('workspace')}{STORED}",
        f"output z: bytes 0 to 1023 (elements 0 to 255): the value {NOBODY.format('workspace')}, stored by DataCopy at {{here}}{VALUES}",
    ),
    "workspace_read_behind_what_was_written": (
        f"block 0 of 1: {{here}}: DataCopy: the byte at UB address 1536 (element 128 of block 0) {NOBODY.format('workspace')}{STORED}",
        f"output z: bytes 512 to 1023 (elements 128 to 255): the value {NOBODY.format('workspace')}, stored by DataCopy at {{here}}{VALUES}",
    ),
    "workspace_through_workspace": (
        f"block 0 of 1: {{here}}: DataCopy: the byte at UB address 0 (element 0 of block 0) {NOBODY.format('workspace')}{STORED}",
        f"output z: bytes 0 to 1023 (elements 0 to 255): the value {NOBODY.format('workspace')}, stored by DataCopy at {{here}}, stored by DataCopy at {{store}}{VALUES}",
    ),
    "workspace_read_by_the_scalar_unit": (f"block 0 of 1: {{here}}: GetValue: the value at offset {SYSTEM + 12} of workspace depends on bytes of workspace that no core has written, read by GetValue at {{here}} (SyncAll orders it behind another core's writes){SCALAR}",) * 2,
    "workspace_read_by_pointer": (f"block 0 of 1: {{here}}: a __gm__ pointer: the value at offset {SYSTEM + 12} of workspace depends on bytes of workspace that no core has written, read by a __gm__ pointer at {{here}} (SyncAll orders it behind another core's writes){SCALAR}",) * 2,
    "output_read": (
        f"block 0 of 1: {{here}}: DataCopy: the byte at UB address 0 (element 0 of block 0) {NOBODY.format('z')}{STORED}",
        f"output z: bytes 0 to 1023 (elements 0 to 255): the value {NOBODY.format('z')}, stored by DataCopy at {{here}}{VALUES}",
    ),
    "added_to_nothing": (f"output z: bytes 256 to 511 (elements 64 to 127): the value depends on what was there before: DataCopy at {{write}} adds to bytes that no core has written{VALUES}",) * 2,
    "workspace_of_another_core": (
        f"block 1 of 2: {{here}}: DataCopy: the byte at UB address 1504 (element 120 of block 0) {NOBODY.format('workspace')}{STORED}",
        f"output z: bytes 480 to 511 (elements 120 to 127): the value {NOBODY.format('workspace')}, stored by DataCopy at {{here}}{VALUES}",
    ),
}
UNWRITTEN = {
    "a_part_is_missing": "bytes 512 to 1023 (elements 128 to 255) have not been written by any core",
    "a_core_is_missing": "bytes 256 to 767 (elements 64 to 191) have not been written by any core",
    "two_parts_are_missing": "bytes 0 to 31 (elements 0 to 7) have not been written by any core, and 32 other bytes",
    "nothing_is_written": "bytes 0 to 1023 (elements 0 to 255) have not been written by any core",
}
OUTSIDE = {
    "counter_of_a_core": "block 0 of 2: {here}: SyncAll: the counter of AIV 0 has never been written\n  rule: the counters of SyncAll are 0 before the first call [基础API/同步控制/核间同步/SyncAll]",
    "address_before_a_tensor": "block 0 of 1: {here}: DataCopy: reads 1024 bytes 32 before x, which has 1024 bytes (32 too many)\n  rule: a kernel may touch only the tensors, workspace and tiling data of its launch [基础API/数据结构/GlobalTensor/SetGlobalBuffer]",
}
# fmt: on
HINTS = {
    "workspace_read_by_the_scalar_unit": "the first core that needs it writes it first: InitGlobalMemory, or a copy and SyncAll",
    "a_part_is_missing": "InitGlobalMemory fills an output; where it is meant to keep its values, the op is in place: an input and an output of one name",
}


def place(case: str, mark: str) -> str:
    lines = CASES.source.read_text().splitlines()
    if mark == "write":
        start = next(i for i, line in enumerate(lines) if " Write(GlobalTensor" in line)
        return f"{CASES.source}:{next(i for i in range(start, len(lines)) if 'DataCopy(to' in lines[i]) + 1}"
    start = next(i for i, line in enumerate(lines) if f" {case}(Data&" in line)
    for i in range(start, len(lines)):
        if lines[i].endswith(f"// <- {mark}"):
            return f"{CASES.source}:{i + 1}"
        if lines[i] == "}":
            break
    return ""


@pytest.fixture(scope="module")
def kernel(root: Path, tmp_path_factory: pytest.TempPathFactory) -> Kernel:
    folder = tmp_path_factory.mktemp("gm_values")
    return compile_kernel(root, CASES.source, "gm_values", {"x": "float32"}, {"z": "float32"}, folder)


def launch(kernel: Kernel, case: str, *, in_place: bool = False, shaped: bool = False, **how: Any) -> Array:
    blocks = 2 if "core" in case or case in {"ok_written_before", "ok_added_to_zeros"} else 1
    memory = aligned(4 * COUNT, np.float32)
    x = memory[COUNT : 2 * COUNT]  # nothing else of the launch lies before it
    z = x if in_place else memory[3 * COUNT :]
    roles = {"x": INPUT, "z": SHAPED if shaped else OUTPUT, "workspace": WORKSPACE}
    given: dict[str, Any] = {"roles": roles, "block_dim": blocks, "workspace_bytes": SYSTEM + (1 << 20), **how}
    run(kernel, [x], [z], tiling_key=CASES.key(case), **given)
    return z


def test_every_case_is_tested() -> None:
    assert CASES.wrong == [*UNDEFINED, *UNWRITTEN, *OUTSIDE]


@pytest.mark.parametrize("case", OUTSIDE)
def test_what_is_not_the_kernels_own_is_refused(kernel: Kernel, case: str) -> None:
    storage = {"x": (64, 8 * COUNT)}  # x is a view: what lies before it is not in it
    with pytest.raises(LaunchError) as refused:
        launch(kernel, case, threads=1, storage=storage)
    assert refused.value.report == "GmValues: " + OUTSIDE[case].format(here=place(case, "here"))


@pytest.mark.parametrize("case", HINTS)
def test_a_hint_says_what_helps(kernel: Kernel, case: str) -> None:
    with pytest.raises(LaunchError) as refused:
        launch(kernel, case)
    assert refused.value.defect["hint"] == HINTS[case]


@pytest.mark.parametrize("rules", ["documented", "device"])
@pytest.mark.parametrize("case", UNDEFINED)
def test_a_result_of_nothing_is_refused(kernel: Kernel, case: str, rules: str) -> None:
    with pytest.raises(LaunchError) as refused:
        launch(kernel, case, rules=rules, project=True)
    message = UNDEFINED[case][rules == "device"]
    marks = {mark: place(case, mark) for mark in ("here", "there", "store", "write")}
    assert refused.value.report == "GmValues: " + message.format(**marks)
    assert "opforge.yaml" not in refused.value.text, "nothing allows it"


@pytest.mark.parametrize("rules", ["documented", "device"])
@pytest.mark.parametrize("case", UNWRITTEN)
def test_what_a_kernel_leaves_out_is_named(kernel: Kernel, case: str, rules: str) -> None:
    with pytest.raises(LaunchError) as refused:
        launch(kernel, case, rules=rules, project=True)
    assert refused.value.report == f"GmValues: output z: {UNWRITTEN[case]}{WHOLE}"
    assert refused.value.defect["id"] == "result-unwritten"
    assert refused.value.text.endswith(
        "\n  to allow it, in opforge.yaml (leave out rule, op or in to allow more; with level: warning it stays a warning):"
        "\nsimulator:\n  allow:"
        "\n    - {rule: result-unwritten, op: GmValues, why: it is intended}"
    )
    spec = Pasted("GmValues")
    spec.add(refused.value.text)
    launch(kernel, case, rules=rules, allow=spec.allow())


@pytest.mark.parametrize("case", UNWRITTEN)
def test_outputs_in_place_and_of_any_shape_may_keep_what_they_hold(kernel: Kernel, case: str) -> None:
    launch(kernel, case, in_place=True)
    launch(kernel, case, shaped=True)
    launch(kernel, case, allow=[("result-unwritten", "", False)])
    told: list[dict[str, Any]] = []
    other = Kernel(kernel.path, case, *(kernel.inputs, kernel.outputs, kernel.toolkit_root))
    launch(other, case, allow=[("result-unwritten", "", True)], warnings=told)
    assert [said["text"].partition("\n")[0] for said in told] == [f"warning: {case}: output z: {UNWRITTEN[case]}"]


def test_an_output_of_any_shape_has_values(kernel: Kernel) -> None:
    with pytest.raises(LaunchError, match=r"output z: bytes 0 to 1023 .* no core has written"):
        launch(kernel, "workspace_read", shaped=True, rules="device")


@pytest.mark.parametrize("checks", ["full", "fast"])
@pytest.mark.parametrize("rules", ["documented", "device"])
@pytest.mark.parametrize("case", CASES.right)
def test_what_is_written_first_may_be_read(kernel: Kernel, case: str, rules: str, checks: str) -> None:
    told: list[dict[str, Any]] = []
    assert launch(kernel, case, rules=rules, checks=checks, warnings=told).tolist() == [1.0] * COUNT
    assert told == []


RESERVED = """#include "kernel_operator.h"
using namespace AscendC;
extern "C" __global__ __aicore__ void reserved(GM_ADDR x, GM_ADDR z, GM_ADDR spare, GM_ADDR workspace, GM_ADDR tiling) {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
    TPipe pipe;
    TBuf<TPosition::VECCALC> buffer;
    pipe.InitBuffer(buffer, 64);
    GlobalTensor<float> from, to, other;
    from.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(x));
    to.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(z));
    other.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(spare));
    DataCopy(buffer.Get<float>(), from, 16);
    PipeBarrier<PIPE_ALL>();
    if (!TILING_KEY_IS(1)) {
        DataCopy(to, buffer.Get<float>(), 16);
    }
    if (TILING_KEY_IS(2)) {
        DataCopy(other, buffer.Get<float>(), 8);
    }
}
"""


def test_a_device_gives_back_an_output_that_a_kernel_reserves(root: Path, tmp_path: Path) -> None:
    outputs = {"z": "float32", "spare": "float32"}
    reserved = compile_kernel(root, RESERVED, "reserved", {"x": "float32"}, outputs, tmp_path)

    def call(key: int, rules: str) -> list[str]:
        x, z, spare = (aligned(16, np.float32) for _ in range(3))
        told: list[dict[str, Any]] = []
        roles = {"x": INPUT, "z": OUTPUT, "spare": OUTPUT}
        run(reserved, [x], [z, spare], tiling_key=key, rules=rules, roles=roles, warnings=told)
        return [said["text"].partition("\n")[0] for said in told]

    assert call(0, "device") == [
        "warning: Reserved: output spare: bytes 0 to 63 (elements 0 to 15) have not been written by any core"
    ]
    with pytest.raises(LaunchError, match="output spare: bytes 0 to 63"):
        call(0, "documented")
    with pytest.raises(LaunchError, match="output z: bytes 0 to 63"):
        call(1, "device")
    with pytest.raises(LaunchError, match="output spare: bytes 32 to 63"):
        call(2, "device")
