"""Every rule that devices do not enforce: refused by the documentation, done with a warning as on a device, and allowed.

What devices do not let pass stays an error in both.
"""

from __future__ import annotations

import platform
import struct
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from harness import COPY, OUTPUT, SOURCES, Array, Kernel, LaunchError, aligned, compile_kernel, run
from pasted import Pasted

from opforge.spec.device_rules import OPEN_RULES

pytestmark = pytest.mark.compiler

SOURCE = SOURCES / "let_pass.cpp"
COUNT = 253  # elements of x and z: 1012 bytes, 12 less than whole blocks
IN_YAML = str(SOURCE).lstrip("/")  # no path of opforge.yaml begins at the root
BEHIND = 512  # bytes of room behind each of them

X = np.arange(COUNT, dtype=np.float32) + 100


def full(value: float) -> Callable[[], Array]:
    return lambda: np.full(COUNT, value, np.float32)


@dataclass(frozen=True)
class Passed:
    """What is said, by the marks of the lines, and the results of a device."""

    said: Sequence[tuple[str, str, str]]  # id, mark, message behind "file:line: "
    gives: Callable[[], Array]
    refused: str = ""  # what the documentation says first, where it is another message


def merged() -> Array:
    z = np.zeros(COUNT, np.float32)
    z[:64:2] = np.arange(31, -1, -1)
    z[1:64:2] = np.arange(31, -1, -1, dtype=np.uint32).view(np.float32)
    return z


# ruff: noqa: E501, RUF001 - the messages stand as they are printed
# fmt: off
BOUNDS = "\n  rule: a kernel may touch only the tensors, workspace and tiling data of its launch [基础API/数据结构/GlobalTensor/SetGlobalBuffer]"
OPERAND = "\n  rule: an operand lies inside its tensor [基础API/Memory矢量计算/{}]"
FREED = "\n  rule: a tensor must not be used after FreeTensor [基础API/资源管理/TQue/FreeTensor]"
OLD = "\n  rule: what a tensor holds after AllocTensor is undefined [基础API/资源管理/TQue/AllocTensor]"
PAIRED = "\n  rule: SetFlag and WaitFlag of one event and id come in pairs [基础API/同步控制/核内同步/SetFlag-WaitFlag(ISASI)]"
WHOLE = "\n  rule: DataCopy moves whole blocks of 32 bytes; DataCopyPad moves the rest [基础API/Memory矢量计算/数据搬运/DataCopy（GM与UB连续数据搬运）]"
APART = "\n  rule: the source and the destination of Gather and Gatherb do not share memory [基础API/Memory矢量计算/离散与聚合/Gather]"
FUNCTION = "\n  rule: the function's source and destination do not overlap [通用说明和约束, 通用地址重叠约束]"
MASKED = "\n  rule: dst is src0, or does not overlap it [基础API/Memory矢量计算/比较与选择/GatherMask]"
ONE = "\n  rule: there is one TPipe at a time [基础API/资源管理/TPipe/TPipe构造函数]"
BRCB = "\n  rule: source and destination of Brcb do not overlap [基础API/Memory矢量计算/数据填充/Brcb]"
VALUES = "\n  rule: a result is computed from values that have been written [基础API/资源管理/TQue/AllocTensor]"
CAPACITY = "\n  rule: all buffers together must fit into the unified buffer [基础API/资源管理/TPipe/InitBuffer]"

BEYOND = ", behind its storage, where its allocation goes on"
PASSED = {
    "tail_read": Passed([("gm-tail", "here", f"DataCopy: reads 1024 bytes at offset 0 of x, which has 1012 bytes (12 too many){{tail}}{BOUNDS}")], lambda: X + 1),
    "tail_written": Passed([("gm-tail", "here", f"DataCopy: writes 1024 bytes at offset 0 of z, which has 1012 bytes (12 too many){{tail}}{BOUNDS}")], full(2)),
    "tail_rounded_up_all_the_way": Passed([
        ("gm-tail", "here", f"DataCopy: reads 1024 bytes at offset 0 of x, which has 1012 bytes (12 too many){{tail}}{BOUNDS}"),
        ("gm-tail", "there", f"DataCopy: writes 1024 bytes at offset 0 of z, which has 1012 bytes (12 too many){{tail}}{BOUNDS}"),
    ], lambda: X + 1),
    "tail_written_by_the_scalar_unit": Passed([("gm-tail", "here", f"SetValue: writes 4 bytes at offset 1012 of z, which has 1012 bytes (4 too many){{tail}}{BOUNDS}")], full(3)),
    "input_written": Passed([("input-written", "here", "DataCopyPad: writes 32 bytes at offset 0 of x, which is an input\n  rule: inputs and tiling data are read-only [基础API/数据结构/GlobalTensor/SetGlobalBuffer]")], full(5)),
    "operand_too_long": Passed([
        ("operand-length", "here", "Duplicate: dst needs 1056 bytes from UB address 0, but its tensor ends at 1024 (32 too many)" + OPERAND.format("数据填充/Duplicate")),
        ("operand-length", "there", "Adds: dst needs 1056 bytes from UB address 2048, but its tensor ends at 3072 (32 too many)" + OPERAND.format("基础算术/Adds")),
    ], full(7)),
    "operand_over_what_is_written_later": Passed([("operand-length", "here", "Duplicate: dst needs 1056 bytes from UB address 0, but its tensor ends at 1024 (32 too many)" + OPERAND.format("数据填充/Duplicate"))], full(13)),
    "view_that_begins_behind_its_tensor": Passed([("operand-length", "here", "Adds: src needs 992 bytes from UB address 1056, but its tensor ends at 1024 (1024 too many)" + OPERAND.format("基础算术/Adds"))], full(16)),
    "index_behind_the_tensor": Passed([("element-index", "here", "GetValue: element 256 of a tensor of 256 elements\n  rule: an element index lies inside the tensor [基础API/数据结构/LocalTensor/GetValue]")], full(8)),
    "view_behind_the_buffer": Passed([("view-bounds", "here", "Get: 2048 bytes at offset 0 of a buffer of 1024 bytes\n  rule: a view lies inside its buffer [基础API/资源管理/TBuf/Get]")], full(9)),
    "more_than_the_unified_buffer": Passed([("ub-capacity", "here", f"InitBuffer: 200000 bytes after the 3072 already taken need 203072, but ascend910b has 196608 bytes of unified buffer{CAPACITY}")], full(10)),
    "buffers_of_no_bytes": Passed([("buffer-empty", "here", "InitBuffer: 2 buffers of 0 bytes lie where the next buffer begins\n  rule: a queue's buffers have a length [基础API/资源管理/TPipe/InitBuffer]")], full(23)),
    "value_of_a_freed_tensor": Passed([("use-after-free", "here", f"GetValue: the tensor at UB address 3072 was freed, and its buffer is for whoever allocates next{FREED}")], full(11)),
    "operand_of_a_freed_tensor_that_nobody_wrote_again": Passed([
        ("use-after-free", "here", f"Adds: src at UB address 3072 was freed, and its buffer has been allocated again at {{there}}{FREED}"),
        ("old-value", "store", f"DataCopyPad: the byte at UB address 0 is from before AllocTensor at {{there}}{OLD}"),
    ], full(12)),
    "old_value": Passed([("old-value", "here", f"DataCopyPad: the byte at UB address 0 is from before AllocTensor at {{there}}{OLD}")], full(14)),
    "old_value_of_the_scalar_unit": Passed([("old-value", "here", f"GetValue: the byte at UB address 3072 is from before AllocTensor at {{there}}{OLD}")], full(14)),
    "flag_set_twice": Passed([("flag-set-twice", "here", f"SetFlag: event MTE2_V id 1 is set again before it was waited for (set at {{there}}){PAIRED}")], lambda: 2 * X),
    "event_fetched_twice": Passed([("flag-set-twice", "here", f"SetFlag: event MTE2_V id 0 is set again before it was waited for (set at {{there}}){PAIRED}")], lambda: 2 * X + 1),
    "gather_in_place": Passed([("gather-in-place", "here", f"Gather: dst covers UB addresses 0 to 1024, src 0 to 1024{APART}")], lambda: (np.arange(COUNT) ^ 1).astype(np.float32)),
    "broadcast_in_place": Passed([("brcb-in-place", "here", f"Brcb: dst covers UB addresses 0 to 1024, src 0 to 128{BRCB}")], lambda: (np.arange(COUNT) // 8).astype(np.float32)),
    "gather_by_mask_before_its_source": Passed([("gather-mask-apart", "here", f"GatherMask: dst covers UB addresses 0 to 512, src0 32 to 544{MASKED}")], lambda: np.where(np.arange(COUNT) < 128, np.arange(COUNT) // 8 + 1, 19)),
    "two_pipes": Passed([("one-pipe", "here", f"TPipe: another TPipe is there already, with 0 buffers{ONE}")], full(21)),
    "row_broadcast_in_place": Passed([("broadcast-in-place", "here", f"BroadCast: dst covers UB addresses 0 to 1024, and src 0 to 32{FUNCTION}")], full(22)),
    "merge_one_list": Passed([("merge-lists", "here", "MrgSort: validBit is 1\n  rule: validBit is 3, 7 or 15 [基础API/Memory矢量计算/排序组合（ISASI）/MrgSort]")], merged),
    "length_rounded_down": Passed([
        ("copy-length", "here", f"DataCopy: the length in bytes is 48{WHOLE}"),
        ("copy-length", "there", f"DataCopy: the length in bytes is 16{WHOLE}"),
    ], lambda: np.concatenate([X[:8], np.full(COUNT - 8, 15, np.float32)])),
    "logarithm_in_place": Passed([("function-in-place", "here", f"Log: dst covers UB addresses 0 to 1024, and src 0 to 1024{FUNCTION}")], full(0)),
    "tensor_that_is_never_freed": Passed([("never-freed", "here", "AllocTensor: the tensor of 1024 bytes at UB address 3072 of the VECIN queue has not been freed at the end of the kernel\n  rule: every tensor that was allocated is freed [基础API/资源管理/TQue/FreeTensor]")], full(24)),
    "tensor_that_is_taken_twice": Passed([("dequeued-again", "here", "DeQue: this VECOUT queue is empty, and its last tensor, at UB address 0, is taken again\n  rule: DeQue takes a tensor that EnQue has put into the queue [基础API/资源管理/TQue/DeQue]")], full(25)),
    "broadcast_over_what_was_read": Passed([("brcb-in-place", "here", f"Brcb: dst covers UB addresses 0 to 2176, src 1600 to 2112{BRCB}")], full(26)),
    "divided_by_zero": Passed([("division-by-zero", "here", "a division: the divisor is 0\n  rule: an integer is not divided by zero [基础API/调试接口/异常检测/Trap]")], full(27)),
}

# case: elements of x and z, and the whole message of a device; "{op}" is "LetPass: block 0 of 1: "
ERRORS = {
    "no_result_of_the_tail": (253, 256, f"LetPass: output z: bytes 1012 to 1023 (elements 253 to 255): the value depends on what DataCopy at {{there}} reads behind the end of a tensor, stored by DataCopyPad at {{here}}{VALUES}"),
    "no_sum_over_the_tail": (253, 256, f"LetPass: output z: bytes 0 to 3 (element 0): the value depends on what DataCopy at {{there}} reads behind the end of a tensor, stored by DataCopyPad at {{here}}{VALUES}"),
    "no_tail_behind_the_allocation": (253, 253, f"{{op}}{{here}}: DataCopyPad: reads 532 bytes at offset 1008 of x, which has 1012 bytes (528 too many){BOUNDS}"),
    "no_tail_in_another_operand": (248, 253, f"{{op}}{{here}}: DataCopyPad: reads 32 bytes at offset 988 of x, which has 992 bytes (28 too many), where z lies{BOUNDS}"),
    "no_operand_over_what_is_read": (253, 253, f"LetPass: output z: bytes 0 to 31 (elements 0 to 7): the value has been overwritten by Duplicate at {{there}}, behind the end of its own tensor, stored by DataCopyPad at {{here}}{VALUES}"),
    "no_operand_behind_the_unified_buffer": (253, 253, "{op}{here}: Duplicate: dst needs 16384 bytes from UB address 183072, but its tensor ends at 196608 (2848 too many)" + OPERAND.format("数据填充/Duplicate")),
    "no_buffer_that_nobody_initialised": (253, 253, "{op}{here}: Duplicate: dst needs 256 bytes from UB address 0, but its tensor ends at 0 (256 too many)" + OPERAND.format("数据填充/Duplicate")),
    "no_freed_tensor_that_is_used_again": (253, 253, f"{{op}}{{here}}: Adds: src at UB address 3072 was freed, and its buffer has been allocated again at {{there}}{FREED}"),
    "no_flag_set_three_times": (253, 253, f"{{op}}{{here}}: SetFlag: event MTE2_V id 1 is set again before it was waited for (set at {{there}}){PAIRED}"),
    "no_barrier_between_flag_and_flag": (253, 253, f"{{op}}{{here}}: PipeBarrier: event MTE2_V id 1 has been set twice (at {{before}} and {{there}}): PIPE_ALL never ends{PAIRED}"),
    "no_gather_of_what_was_gathered": (253, 253, f"{{op}}{{here}}: Gather: repeat 1 reads UB address 0 (offset 64), which an earlier repeat has overwritten{APART}"),
    "no_gather_by_mask_of_what_was_gathered": (253, 253, f"{{op}}{{here}}: GatherMask: reads UB address 256 of src0, which it has overwritten{MASKED}"),
    "no_buffers_of_two_pipes": (253, 253, f"{{op}}{{here}}: InitBuffer: another TPipe has 3 buffers, which lie in the same place{ONE}"),
    "no_broadcast_of_more_than_a_register": (253, 253, f"{{op}}{{here}}: Brcb: dst covers UB addresses 3072 to 7168, src 3072 to 3584{BRCB}"),
}
# fmt: on


def cases() -> list[str]:
    """The names in the order of their tiling keys."""
    text = SOURCE.read_text().split("#define CASES(CASE)")[1].split("// clang-format on")[0]
    return [line.strip().removeprefix("CASE(").split(")")[0] for line in text.splitlines() if "CASE(" in line]


def marks_of(case: str) -> dict[str, str]:
    """file:line of the marks in a case, and of the copy in Store."""
    lines = SOURCE.read_text().splitlines()
    start = next(i for i, line in enumerate(lines) if f" {case}(Data&" in line)
    marks = {"store": next(i for i, line in enumerate(lines, 1) if "DataCopyPad(d.z, from" in line)}
    for number in range(start, len(lines)):
        if lines[number] == "}":
            break
        _, arrow, mark = lines[number].partition("// <- ")
        if arrow:
            marks[mark] = number + 1
    return {mark: f"{SOURCE}:{line}" for mark, line in marks.items()}


@pytest.fixture(scope="module")
def kernel(root: Path, tmp_path_factory: pytest.TempPathFactory) -> Kernel:
    folder = tmp_path_factory.mktemp("let_pass")
    return compile_kernel(root, SOURCE, "let_pass", {"x": "float32"}, {"z": "float32"}, folder)


def launch(kernel: Kernel, case: str, xs: int = COUNT, zs: int = COUNT, *, gap: int = BEHIND, **how: Any) -> Array:
    if case == "divided_by_zero" and platform.machine() != "x86_64":
        pytest.skip("only x86 tells of divisions by zero")
    memory = aligned(xs + zs + 2 * BEHIND, np.float32)
    memory[:] = np.nan
    x, z = memory[:xs], memory[xs + gap // 4 :][:zs]
    x[:] = np.arange(xs) + 100
    storage = {"x": (0, 4 * xs), "z": (0, 4 * zs)}
    roles = {"z": OUTPUT}
    given = {"storage": storage, "roles": roles, "threads": 1, **how}
    run(kernel, [x], [z], tiling=struct.pack("<II", xs, zs), tiling_key=cases().index(case), **given)
    if case == "input_written":
        assert x.tolist() == [5.0] * 8 + [100.0 + i for i in range(8, xs)]
    return z


def test_every_case_is_tested() -> None:
    assert cases() == [*PASSED, *ERRORS]


@pytest.mark.parametrize("case", PASSED)
def test_the_documentation_refuses(kernel: Kernel, case: str) -> None:
    rule, mark, message = PASSED[case].said[0]
    marks = marks_of(case)
    with pytest.raises(LaunchError) as refused:
        launch(kernel, case, project=True)
    assert refused.value.report == f"LetPass: block 0 of 1: {marks[mark]}: " + message.format(**marks, tail="")
    assert refused.value.defect["id"] == rule
    assert refused.value.text.endswith(
        "\n  OPFORGE_SIM_RULES=device (or --rules=device) does as devices do, with a warning\n  to allow it, in opforge.yaml"
        " (leave out rule, op or in to allow more; with level: warning it stays a warning):"
        f"\nsimulator:\n  allow:\n    - {{rule: {rule}, op: LetPass, in: {IN_YAML}, why: devices let it pass}}"
    )


@pytest.mark.parametrize("rules", ["documented", "device"])
@pytest.mark.parametrize("case", PASSED)
def test_what_a_message_says_to_paste_works(kernel: Kernel, case: str, rules: str) -> None:
    """Refusals and warnings of one launch after the other, until nothing more is said."""
    op = Kernel(
        kernel.path,
        "Pasted" + f"{case}_{rules}".title().replace("_", ""),
        *(kernel.inputs, kernel.outputs, kernel.toolkit_root),
    )
    spec = Pasted(op.op_type)
    z = None
    while z is None:
        told: list[dict[str, Any]] = []
        assert spec.count <= len(PASSED[case].said)
        try:
            z = launch(op, case, rules=rules, warnings=told, allow=spec.allow(), project=spec.project)
        except LaunchError as refused:
            spec.add(refused.text)
        for said in told:
            spec.add(said["text"])
            z = None
    assert spec.count == len({rule for rule, _, _ in PASSED[case].said})
    np.testing.assert_array_equal(z.view(np.uint32), PASSED[case].gives().astype(np.float32).view(np.uint32))


TAIL = """
#include "kernel_operator.h"
extern "C" __global__ __aicore__ void tail(GM_ADDR x, GM_ADDR z, GM_ADDR workspace, GM_ADDR tiling) {
    AscendC::TPipe pipe;
    AscendC::TBuf<AscendC::TPosition::VECCALC> buffer;
    pipe.InitBuffer(buffer, 64);
    AscendC::GlobalTensor<float> from;
    from.SetGlobalBuffer((__gm__ float*)x);
#line 7 "/copied/op_kernel/norm/rms/../common/./in, out.h"
    AscendC::DataCopy(buffer.Get<float>(), from, 16);
}
"""


def test_a_source_that_is_included_from_beside_is_named_as_it_can_be_allowed(root: Path, tmp_path: Path) -> None:
    kernel = compile_kernel(root, TAIL, "tail", {"x": "float32"}, {"z": "float32"}, tmp_path)
    x, z = aligned(64, np.float32)[:13], aligned(13, np.float32)
    with pytest.raises(LaunchError) as refused:
        run(kernel, [x], [z], project=1)
    spec = Pasted("Tail")
    spec.add(refused.value.text)
    assert spec.allow() == [("gm-tail", "in, out.h", False)]
    run(kernel, [x], [z], allow=spec.allow())


def test_every_rule_that_can_be_allowed_is_pasted() -> None:
    # test_cores.py, test_cube_wrong.py, test_matmul_refused.py, test_gm_values.py, and below
    elsewhere = {
        "cube-capacity",
        "l1-copy-length",
        "matmul-before-buffers",
        "result-unwritten",
        "tiling-padding",
        "vector-on-cube-core",
    }
    assert {rule for passed in PASSED.values() for rule, _, _ in passed.said} | elsewhere == set(OPEN_RULES)


@pytest.mark.parametrize("checks", ["full", "fast"])
@pytest.mark.parametrize("case", PASSED)
def test_devices_do_it_and_a_warning_says_so(kernel: Kernel, case: str, checks: str) -> None:
    passed, marks = PASSED[case], marks_of(case)
    told: list[dict[str, Any]] = []
    # each is said once in a process, for an op: this one has not run yet
    other = Kernel(kernel.path, f"{case}_{checks}", *(kernel.inputs, kernel.outputs, kernel.toolkit_root))
    z = launch(other, case, rules="device", warnings=told, checks=checks)
    np.testing.assert_array_equal(z.view(np.uint32), passed.gives().astype(np.float32).view(np.uint32))
    expected = [
        (rule, f"warning: {other.op_type}: block 0 of 1: {marks[mark]}: " + message.format(**marks, tail=BEYOND))
        for rule, mark, message in passed.said
        if checks == "full" or rule not in {"old-value", "use-after-free"} or "src at" in message
    ]
    assert [(said["id"], said["text"].split("\n  devices: ")[0]) for said in told] == expected
    for said in told:
        assert said["level"] == "warning"
        assert f"\n  devices: {said['does']} [{said['source']}]" in said["text"]
    assert launch(other, case, rules="device", warnings=told, checks=checks) is not None
    assert len(told) == len(expected), "the same line is not warned of again"


def test_a_warning_says_what_helps_and_how_to_silence_it(kernel: Kernel) -> None:
    told: list[dict[str, Any]] = []
    other = Kernel(kernel.path, "Silenced", *(kernel.inputs, kernel.outputs, kernel.toolkit_root))
    launch(other, "old_value", rules="device", warnings=told, project=True)
    (said,) = told
    assert said["hint"] == "write what is read: the buffer is given out again, with what the last tensor in it has left"
    assert said["text"].endswith(
        "\n  to silence it, in opforge.yaml (leave out rule, op or in to silence more):\nsimulator:\n  allow:"
        f"\n    - {{rule: old-value, op: Silenced, in: {IN_YAML}, why: devices let it pass}}"
    )
    assert "OPFORGE_SIM_RULES" not in said["text"]


def test_a_tensor_that_is_taken_again_goes_back_into_the_queue(kernel: Kernel) -> None:
    told: list[dict[str, Any]] = []
    other = Kernel(kernel.path, "TakenAgain", *(kernel.inputs, kernel.outputs, kernel.toolkit_root))
    launch(other, "tensor_that_is_taken_twice", rules="device", warnings=told)
    assert [said["hint"] for said in told] == ["EnQue the tensor again before the next DeQue, or keep it"]


@pytest.mark.parametrize("rules", ["documented", "device"])
@pytest.mark.parametrize("case", PASSED)
def test_what_is_allowed_passes_without_a_word(kernel: Kernel, case: str, rules: str) -> None:
    passed = PASSED[case]
    told: list[dict[str, Any]] = []
    allow = [(rule, "sources/let_pass.cpp", False) for rule in {rule for rule, _, _ in passed.said}]
    z = launch(kernel, case, rules=rules, warnings=told, allow=allow)
    np.testing.assert_array_equal(z.view(np.uint32), passed.gives().astype(np.float32).view(np.uint32))
    assert told == []


@pytest.mark.parametrize(
    "allow",
    [("gm-tail", "", True), ("", "let_pass.cpp", True), ("", "", True)],
    ids=["by rule", "by file", "all of an op"],
)
def test_an_error_is_lowered_to_a_warning(kernel: Kernel, allow: tuple[str, str, bool]) -> None:
    told: list[dict[str, Any]] = []
    op = Kernel(kernel.path, f"Lowered{allow[0]}{allow[1]}", *(kernel.inputs, kernel.outputs, kernel.toolkit_root))
    launch(op, "tail_read", allow=[allow], warnings=told)
    assert [said["id"] for said in told] == ["gm-tail"]


@pytest.mark.parametrize(
    "allow", [("gm-tai", "", True), ("gm-tail", "other.cpp", True), ("gm-tail", "_pass.cpp", True)]
)
def test_what_is_allowed_elsewhere_stays_refused(kernel: Kernel, allow: tuple[str, str, bool]) -> None:
    with pytest.raises(LaunchError, match="reads 1024 bytes at offset 0 of x"):
        launch(kernel, "tail_read", allow=[allow])


@pytest.mark.parametrize("allow", [[], [("", "", False)]], ids=["", "everything allowed"])
@pytest.mark.parametrize("case", ERRORS)
def test_what_is_wrong_on_devices_is_an_error(kernel: Kernel, case: str, allow: list[tuple[str, str, bool]]) -> None:
    xs, zs, message = ERRORS[case]
    marks = marks_of(case)
    gap = 0 if case == "no_tail_in_another_operand" else BEHIND
    with pytest.raises(LaunchError) as refused:
        launch(kernel, case, xs, zs, gap=gap, rules="device", allow=allow, project=True)
    assert refused.value.report == message.format(**marks, op="LetPass: block 0 of 1: ")
    assert "in opforge.yaml" not in refused.value.text


def test_storages_say_how_far_a_tensor_may_be_left(kernel: Kernel) -> None:
    def told(storage: tuple[int, int]) -> str:
        op = Kernel(kernel.path, f"Stored{storage}", *(kernel.inputs, kernel.outputs, kernel.toolkit_root))
        warnings: list[dict[str, Any]] = []
        launch(op, "tail_read", rules="device", warnings=warnings, storage={"x": storage})
        return warnings[0]["detail"].split("too many)")[1]

    assert told((0, 0)) == "; where its storage ends is not known"
    assert told((64, 64 + 1012 + 12)) == ", inside of its storage"
    assert told((64, 64 + 1012)) == ", behind its storage, where its allocation goes on"


def test_a_storage_that_is_longer_lets_more_pass(kernel: Kernel) -> None:
    """An allocation of torch_npu has the storage and 32 bytes, and ends with 512 bytes."""
    case, how = "no_tail_behind_the_allocation", {"rules": "device", "gap": 2 * BEHIND}
    assert launch(kernel, case, storage={"x": (0, 1505)}, roles={}, **how) is not None
    with pytest.raises(LaunchError, match="528 too many"):
        launch(kernel, case, storage={"x": (0, 1504)}, roles={}, **how)


def test_a_struct_of_tiling_data_may_end_with_padding(kernel: Kernel) -> None:
    x, z = aligned(COUNT, np.float32), aligned(COUNT, np.float32)
    x[:] = X
    whole = struct.pack("<II", COUNT, COUNT)
    how: dict[str, Any] = {"tiling_key": cases().index("tail_read")}
    with pytest.raises(
        LaunchError, match="reads 8 bytes of tiling data, the launch has 6\n  rule: the kernel's tiling"
    ):
        run(kernel, [x], [z], tiling=whole[:6], **how)
    run(kernel, [x], [z], tiling=whole[:6], rules="device", **how)
    assert z.tolist() == (X + 1).tolist()
    other = Kernel(kernel.path, "Unaligned", *(kernel.inputs, kernel.outputs, kernel.toolkit_root))
    with pytest.raises(LaunchError, match="reads 8 bytes of tiling data, the launch has 0"):
        run(other, [x], [z], tiling=b"", rules="device", **how)


def test_the_process_is_protected(kernel: Kernel) -> None:
    """No room behind the last tensor: the device's memory ends there."""
    memory = aligned(512, np.float32)
    x, z = memory[256 : 256 + COUNT], memory[:COUNT]
    how: dict[str, Any] = {"tiling": struct.pack("<II", COUNT, COUNT), "tiling_key": 0, "rules": "device"}
    run(kernel, [x], [z], device=memory[:512], **how)
    with pytest.raises(LaunchError, match="12 too many"):
        run(kernel, [x], [z], device=memory[: 256 + COUNT], **how)


@pytest.mark.parametrize("rules", ["documented", "device"])
def test_the_copy_of_an_input_with_gaps_is_not_written(kernel: Kernel, rules: str) -> None:
    with pytest.raises(LaunchError) as refused:
        launch(kernel, "input_written", rules=rules, roles={"x": COPY, "z": OUTPUT}, allow=[("", "", False)])
    assert refused.value.defect["detail"] == (
        "writes 32 bytes at offset 0 of x, an input with gaps, whose elements were copied: the tensor would keep its values"
    )
    assert refused.value.defect["id"] == "input-copy-written"
    assert refused.value.defect["hint"] == (
        "call it with a contiguous tensor; an input and an output of one name make the op in place"
    )
