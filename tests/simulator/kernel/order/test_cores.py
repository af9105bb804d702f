"""Kernels of several cores: each rule by a kernel that breaks it, with the whole message, and kernels near the edge."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from harness import SOURCES, Kernel, LaunchError, aligned, compile_kernel, run

pytestmark = pytest.mark.compiler

SOURCE = SOURCES / "cores.cpp"
COUNT = 2048
TIMEOUT, EXCEPTION = 507014, 507035
FLAGS = "[基础API/同步控制/核间同步/CrossCoreSetFlag(ISASI)]"
INIT_BUFFER = "  rule: all buffers of a memory together must fit into it [基础API/资源管理/TPipe/InitBuffer]"
OWN_MEMORY = (
    "  rule: an AIV has the unified buffer, an AIC has L1, L0A, L0B, L0C and the bias table"
    " [guide/编程指南/高级编程/硬件实现/基本架构]"
)
VECTOR = (
    "  rule: vector functions and tensors of the unified buffer are for AIVs: ASCEND_IS_AIV"
    " [guide/编程指南/高级编程/硬件实现/基本架构]"
)
TYPES = (
    "  rule: only kernels of KERNEL_TYPE_MIX_AIV_1_0, MIX_AIC_1_0, MIX_AIC_1_1 and MIX_AIC_1_2 have flags between"
    f" cores {FLAGS}"
)
DEADLOCK = (
    "  rule: what a core waits for is sent by another core that can still run"
    " [基础API/同步控制/核间同步/核间同步能力概述]"
)
ORDER = (
    "  rule: accesses of two cores to the same global memory are ordered only by CrossCoreSetFlag/CrossCoreWaitFlag,"
    " SyncAll, IBSet/IBWait or the wait for a Matmul object's result [基础API/同步控制/核间同步/核间同步能力概述]"
)
TYPES_HINT = (
    "KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIV_1_0) in a kernel of vector cores alone; SyncAll with two workspaces"
    " needs no flags, as on ascend310p"
)
ORDER_HINT = "SyncAll, or CrossCoreSetFlag and CrossCoreWaitFlag, between the two accesses"
WRITTEN_BACK = (
    "  rule: DataCacheCleanAndInvalid comes between SetValue and a transfer of the same line"
    " [基础API/缓存控制/DataCacheCleanAndInvalid]"
)
NOTHING = "and this core has waited for nothing that comes from there\n"
TOO_EARLY = "and what this core has waited for was sent before that, or by another pipe\n"
SYNC_ALL = "[基础API/同步控制/核间同步/SyncAll]"


@dataclass(frozen=True)
class Wrong:
    """The core that fails, "" for a deadlock, and what the message says behind the place of the call."""

    core: str
    message: str
    block_dim: int = 1
    status: int = EXCEPTION


# fmt: off
# ruff: noqa: E501 - the messages stand as they are printed
WRONG = {
    "vector_function_on_aic": Wrong("block 0 of 1, AIC", f"Duplicate: called on an AIC, which has no vector unit and no unified buffer\n{VECTOR}"),
    "scalar_of_the_unified_buffer_on_aic": Wrong("block 0 of 1, AIC", f"SetValue: called on an AIC, which has no vector unit and no unified buffer\n{VECTOR}"),
    "vecin_on_aic": Wrong("block 0 of 1, AIC", f"AllocTensor: a tensor of position VECIN, which lies in the unified buffer, on an AIC\n{OWN_MEMORY}"),
    "a1_on_aiv": Wrong("block 0 of 1, AIV 0", f"AllocTensor: a tensor of position A1, which lies in the L1 buffer, on an AIV\n{OWN_MEMORY}"),
    "vector_function_on_l1": Wrong("block 0 of 1", f"Duplicate: the tensor does not lie in the unified buffer\n{VECTOR}"),
    "l1_capacity": Wrong("block 0 of 1, AIC", f"InitBuffer: 64 bytes after the 524256 already taken need 524320, but ascend910b has 524288 bytes of L1 buffer\n{INIT_BUFFER}"),
    "l0a_capacity": Wrong("block 0 of 1, AIC", f"InitBuffer: 65600 bytes after the 0 already taken need 65600, but ascend910b has 65536 bytes of L0A buffer\n{INIT_BUFFER}"),
    "l0b_capacity": Wrong("block 0 of 1, AIC", f"InitBuffer: 65568 bytes after the 0 already taken need 65568, but ascend910b has 65536 bytes of L0B buffer\n{INIT_BUFFER}"),
    "l0c_capacity": Wrong("block 0 of 1, AIC", f"InitBuffer: 131104 bytes after the 0 already taken need 131104, but ascend910b has 131072 bytes of L0C buffer\n{INIT_BUFFER}"),
    "bias_table_capacity": Wrong("block 0 of 1, AIC", f"InitBuffer: 1056 bytes after the 0 already taken need 1056, but ascend910b has 1024 bytes of bias table buffer\n{INIT_BUFFER}"),
    "flag_without_hardware": Wrong("block 0 of 1", f"CrossCoreSetFlag: this kernel is of KERNEL_TYPE_AIV_ONLY\n{TYPES}"),
    "wait_without_hardware": Wrong("block 0 of 1, AIC", f"CrossCoreWaitFlag: this kernel is of KERNEL_TYPE_AIC_ONLY\n{TYPES}"),
    "mode_1_without_cube": Wrong("block 0 of 1", f"CrossCoreSetFlag: mode 1 in a kernel of KERNEL_TYPE_MIX_AIV_1_0\n  rule: modes 1 and 2 are for kernels of KERNEL_TYPE_MIX_AIC_1_1 and MIX_AIC_1_2 {FLAGS}"),
    "mode_1_on_aic": Wrong("block 0 of 1, AIC", f"CrossCoreSetFlag: mode 1 on an AIC\n  rule: mode 1 is between the AIVs of a block {FLAGS}"),
    "flag_id": Wrong("block 0 of 1, AIC", f"CrossCoreSetFlag: flag id 19: the hardware takes its low 4 bits, 3\n  rule: flag ids are 0 to 15 {FLAGS}"),
    "flag_counter": Wrong("block 0 of 1, AIC", f"CrossCoreSetFlag: flag 3 of block 0, AIV 0 would count 16 signals that nobody has waited for\n  rule: a flag's counter is 0 to 15 {FLAGS}"),
    "flag_changes_mode": Wrong("block 0 of 1, AIV 0", f"CrossCoreSetFlag: flag 3 of block 0, AIV 0 still counts 1 signals of mode 2, this one is of mode 1\n  rule: a flag changes its mode only after all its signals have been waited for {FLAGS}"),
    "flag_never_waited_for": Wrong("block 0 of 1, AIC", f"CrossCoreSetFlag: flag 3 of block 0, AIV 1 is set and never waited for\n  rule: CrossCoreSetFlag and CrossCoreWaitFlag come in pairs {FLAGS}"),
    "flag_set_by_one_of_two": Wrong("block 0 of 1, AIV 1", f"CrossCoreSetFlag: flag 3 is set by mode 2, but not by all cores that take part\n  rule: CrossCoreSetFlag and CrossCoreWaitFlag come in pairs {FLAGS}"),
    "flag_nobody_sets": Wrong("", "deadlock: 2 of the 3 cores wait for ever, the others have returned\n  block 0 of 1, AIV 0: {here}: CrossCoreWaitFlag: waits for flag 5, which nobody has set\n  block 0 of 1, AIV 1: {here}: CrossCoreWaitFlag: waits for flag 5, which nobody has set\n" + DEADLOCK, status=TIMEOUT),
    "flag_one_of_two_sets": Wrong("", "deadlock: 1 of the 3 cores wait for ever, the others have returned\n  block 0 of 1, AIC: {here}: CrossCoreWaitFlag: waits for flag 5, which block 0, AIV 0 has set by mode 2, but not all that take part\n" + DEADLOCK, status=TIMEOUT),
    "sync_all_without_hardware": Wrong("block 0 of 1", f"SyncAll: this kernel is of KERNEL_TYPE_AIV_ONLY\n{TYPES}"),
    "sync_all_mix_without_cube": Wrong("block 0 of 1", f"SyncAll: SyncAll<false> in a kernel of KERNEL_TYPE_MIX_AIV_1_0 waits for ever\n  rule: isAIVOnly is true in kernels without cube cores {SYNC_ALL}"),
    "sync_all_after_one_has_left": Wrong("", "deadlock: 3 of the 4 cores wait for ever, the others have returned\n  block 0 of 4: {here}: SyncAll: waits for block 1\n  block 2 of 4: {here}: SyncAll: waits for block 1\n  block 3 of 4: {here}: SyncAll: waits for block 1\n" + DEADLOCK, 4, TIMEOUT),
    "sync_all_mix_without_aic": Wrong("", "deadlock: 7 of the 14 cores wait for ever, the others have returned\n" + "".join(f"  block {i} of 7, AIV 0: {{here}}: SyncAll: waits for block 0, AIC, block 1, AIC, block 2, AIC, block 3, AIC and 3 more\n" for i in range(7)) + DEADLOCK, 7, TIMEOUT),
    "soft_sync_all_of_too_many": Wrong("block 0 of 4", f"SyncAll: usedCores is 5, the launch has 4 AIVs\n  rule: usedCores is at most the number of AIVs, and those AIVs call SyncAll {SYNC_ALL}", 4),
    "soft_sync_all_by_an_outsider": Wrong("block 3 of 4", f"SyncAll: usedCores is 2, this is AIV 3\n  rule: usedCores is at most the number of AIVs, and those AIVs call SyncAll {SYNC_ALL}", 4),
    "soft_sync_all_not_zero": Wrong("block 0 of 1", f"SyncAll: the counter of AIV 0 is 7 before its call number 1\n  rule: the counters of SyncAll are 0 before the first call {SYNC_ALL}"),
    "soft_sync_all_small_gm": Wrong("block 0 of 4", f"SyncAll: gmWorkspace has 124 bytes, 128 are needed\n  rule: both workspaces of SyncAll have 32 bytes for each AIV {SYNC_ALL}", 4),
    "soft_sync_all_small_ub": Wrong("block 0 of 4", f"SyncAll: ubWorkspace has 124 bytes, 128 are needed\n  rule: both workspaces of SyncAll have 32 bytes for each AIV {SYNC_ALL}", 4),
    "polls_for_nobody": Wrong("", "deadlock: 2 of the 3 cores wait for ever, the others have returned\n  block 1 of 3: {there}: IBWait: waits for an IBSet with the same arguments; the event's value is 0\n  block 2 of 3: {here}: GetValue: reads offset 20 of workspace again and again, which stays 0\n" + DEADLOCK, 3, TIMEOUT),
    "polls_by_copies": Wrong("", "deadlock: 2 of the 3 cores wait for ever, the others have returned\n  block 1 of 3: {there}: IBWait: waits for an IBSet with the same arguments; the event's value is 0\n  block 2 of 3: {here}: DataCopy: reads 64 bytes at offset 32 of workspace again and again, which stay as they are\n" + DEADLOCK, 3, TIMEOUT),
    "polls_all_others": Wrong("", "deadlock: 2 of the 2 cores wait for ever, the others have returned\n" + "".join(f"  block {i} of 2: {{here}}: GetValue: reads offset {at} of workspace and 1 more again and again, which stay as they are\n" for i, at in ((0, 64), (1, 0))) + DEADLOCK, 2, TIMEOUT),
    "ib_wait_for_nobody": Wrong("", "deadlock: 1 of the 2 cores wait for ever, the others have returned\n  block 1 of 2: {here}: IBWait: waits for an IBSet with the same arguments; the event's value is 0\n" + DEADLOCK, 2, TIMEOUT),
    "ib_set_twice": Wrong("", "deadlock: 1 of the 1 cores wait for ever, the others have returned\n  block 0 of 1: {here}: IBSet: waits until the last IBSet of this event has been waited for; its value is 1\n" + DEADLOCK, 1, TIMEOUT),
    "ib_block": Wrong("block 0 of 2", "IBSet: blockIdx is 2 and eventID is 0, there are 2 cores\n  rule: blockIdx is 0 to the number of cores - 1, and eventID is not negative [基础API/同步控制/核间同步/IBSet]", 2),
    "ib_on_aic": Wrong("block 0 of 1, AIC", "IBSet: called on an AIC\n  rule: IBSet and IBWait are for AIVs [基础API/同步控制/核间同步/IBSet]"),
    "ib_small_ub": Wrong("block 0 of 1", "IBSet: ubWorkspace has 28 bytes, 32 are needed\n  rule: the workspaces of IBSet and IBWait have 32 bytes: in global memory for each core and event [基础API/同步控制/核间同步/IBSet]"),
    "ib_small_gm": Wrong("block 0 of 1", "IBWait: writes 32800 bytes at offset 32768 of workspace, which has 65536 bytes (32 too many)\n  rule: a kernel may touch only the tensors, workspace and tiling data of its launch [基础API/数据结构/GlobalTensor/SetGlobalBuffer]"),
    "soft_sync_all_on_aic": Wrong("block 0 of 1, AIC", f"SyncAll: called on an AIC, which has no vector unit and no unified buffer\n{VECTOR}"),
    "turns_on_aic": Wrong("block 0 of 1, AIC", "InitDetermineComputeWorkspace: called on an AIC\n  rule: turns are for AIVs [基础API/同步控制/核间同步/WaitPreBlock]"),
    "turn_never_passed": Wrong("", "deadlock: 1 of the 2 cores wait for ever, the others have returned\n  block 1 of 2: {here}: WaitPreBlock: waits for its turn; it is that of AIV 0\n" + DEADLOCK, 2, TIMEOUT),
    "tensor_at_a_place_of_l1": Wrong("block 0 of 1", f"SetValue: the tensor does not lie in the unified buffer\n{VECTOR}"),
    "read_unordered": Wrong("block 0 of 1, AIV 1", "DataCopy: reads 32 bytes at offset 224 of workspace that block 0, AIV 0 wrote by DataCopy on pipe MTE3 at {there}, " + NOTHING + ORDER),
    "read_behind_another_pipe": Wrong("block 0 of 1, AIV 1", "DataCopy: reads 32 bytes at offset 0 of workspace that block 0, AIV 0 wrote by DataCopy on pipe MTE3 at {there}, " + TOO_EARLY + ORDER),
    "written_after_the_signal": Wrong("block 0 of 1, AIV 1", "DataCopy: reads 32 bytes at offset 0 of workspace that block 0, AIV 0 wrote by DataCopy on pipe MTE3 at {there}, " + TOO_EARLY + ORDER),
    "overwrite_of_a_read": Wrong("block 0 of 1, AIV 1", "DataCopy: overwrites 32 bytes at offset 32 of workspace that block 0, AIV 0 read by DataCopy on pipe MTE2 at {there}, " + NOTHING + ORDER),
    "overwrite_of_a_write": Wrong("block 1 of 2", "DataCopy: overwrites 32 bytes at offset 32 of z that block 0 wrote by DataCopy on pipe MTE3 at {there}, " + NOTHING + ORDER, 2),
    "strided_write": Wrong("block 0 of 1, AIV 1", "DataCopyPad: overwrites 20 bytes at offset 204 of z that block 0, AIV 0 wrote by DataCopyPad on pipe MTE3 at {there}, " + NOTHING + ORDER),
    "scalar_unordered": Wrong("block 0 of 1, AIV 0", "GetValue: reads 4 bytes at offset 12 of workspace that block 0, AIC wrote by SetValue on pipe S at {there}, " + NOTHING + ORDER),
    "scalar_still_in_the_cache": Wrong("block 0 of 1, AIV 0", "GetValue: reads a line of 64 bytes that block 0, AIC wrote by SetValue at {there} and that is still in its data cache\n" + WRITTEN_BACK),
    "transfer_of_a_cached_line": Wrong("block 0 of 1, AIV 0", "DataCopy: reads a line of 64 bytes that block 0, AIC wrote by SetValue at {there} and that is still in its data cache\n" + WRITTEN_BACK),
    "read_during_atomics": Wrong("block 0 of 1, AIV 1", "DataCopy: reads 32 bytes at offset 0 of z that block 0, AIV 0 wrote by DataCopy on pipe MTE3 at {there}, " + NOTHING + ORDER),
    "atomic_of_half_an_element": Wrong("block 0 of 1", "DataCopyPad: 6 bytes in elements of 4\n  rule: a transfer with an atomic operation moves whole elements of the operation's data type [基础API/原子操作/SetAtomicAdd]"),
}
# fmt: on


def cases() -> list[str]:
    """The names in the order of their tiling keys."""
    return re.findall(r"CASE\((\w+), ", SOURCE.read_text().split("#define CASES(CASE)")[1].split("enum Key")[0])


def lines_of(case: str) -> dict[str, str]:
    """The places of a case that its message names."""
    lines = SOURCE.read_text().splitlines()
    start = next(i for i, line in enumerate(lines) if f" {case}(Data&" in line)
    end = next(i for i in range(start, len(lines)) if lines[i] == "}")
    return {
        mark: f"{SOURCE}:{i + 1}"
        for i in range(start, end)
        if "// <- " in lines[i]
        for mark in lines[i].split("// <- ")[1].split(", ")
    }


@pytest.fixture(scope="module")
def kernel(root: Path, tmp_path_factory: pytest.TempPathFactory) -> Kernel:
    return compile_kernel(root, SOURCE, "cores", {"x": "float32"}, {"z": "float32"}, tmp_path_factory.mktemp("cores"))


def launch(kernel: Kernel, key: int | str, block_dim: int = 1, *, checks: bool = True, threads: int = 0) -> np.ndarray:
    z = aligned(COUNT, np.float32)
    workspace = aligned(16384, np.int32)
    if key == "soft_sync_all_not_zero":
        workspace[8192 + 1] = 7
    run(
        kernel,
        [z],
        [z],
        tiling_key=cases().index(key) if isinstance(key, str) else key,
        block_dim=block_dim,
        checks=checks,
        threads=threads,
        workspace=workspace,
    )
    return z


def test_every_case_is_tested() -> None:
    assert [name for name in cases() if not name.startswith("ok_")] == list(WRONG)


@pytest.mark.parametrize("case", WRONG)
def test_wrong_kernels_are_refused(kernel: Kernel, case: str) -> None:
    wrong = WRONG[case]
    marks = lines_of(case)
    for threads in (1, 2):
        with pytest.raises(LaunchError) as refused:
            launch(kernel, case, wrong.block_dim, threads=threads)
        place = f"Cores: {wrong.core}: {marks['here']}: " if wrong.core else "Cores: "
        want = place + wrong.message.format(**marks)
        either = {want, swapped(want)} if case == "overwrite_of_a_write" and threads == 2 else {want}
        assert refused.value.report in either
        assert refused.value.status == wrong.status
        if refused.value.report.endswith(ORDER):
            assert refused.value.defect["hint"] == ORDER_HINT
        if refused.value.report.endswith(TYPES):
            assert refused.value.defect["hint"] == TYPES_HINT
    launch(kernel, "ok_sync_all", 3)  # the engine goes on


def test_devices_leave_vector_functions_out_on_cube_cores(kernel: Kernel) -> None:
    told: list[dict[str, Any]] = []
    z = aligned(COUNT, np.float32)
    key = cases().index("vector_function_on_aic")
    workspace = aligned(16384, np.int32)
    run(kernel, [z], [z.copy()], tiling_key=key, block_dim=1, rules="device", warnings=told, workspace=workspace)
    assert [said["id"] for said in told] == ["vector-on-cube-core"]
    assert "Duplicate: called on an AIC, which has no vector unit" in told[0]["text"]
    assert "nothing happens there" in told[0]["text"]


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize(
    "case",
    [
        "read_unordered",  # races: of two cores of a block, and of two blocks
        "written_after_the_signal",
        "overwrite_of_a_read",
        "overwrite_of_a_write",
        "scalar_unordered",
        "scalar_still_in_the_cache",  # lost writes
        "transfer_of_a_cached_line",
    ],
)
def test_races_and_lost_writes_are_found_in_every_run(kernel: Kernel, case: str, threads: int) -> None:
    wrong = WRONG[case]
    marks = lines_of(case)
    for _ in range(20):
        with pytest.raises(LaunchError) as refused:
            launch(kernel, case, wrong.block_dim, threads=threads)
        want = f"Cores: {wrong.core}: {marks['here']}: {wrong.message.format(**marks)}"
        assert refused.value.report in {want, swapped(want)} if threads == 2 else refused.value.report == want


def swapped(report: str) -> str:
    """The same by the other of two blocks: on two threads either may come second."""
    return re.sub(r"block ([01])( of 2:| wrote)", lambda found: f"block {1 - int(found[1])}{found[2]}", report)


RIGHT = [
    ("ok_buffers_that_fill_all_memories", 2),
    ("ok_flags", 3),
    ("ok_fifteen_signals", 2),
    ("ok_sync_all", 5),
    ("ok_sync_all_of_vectors", 13),
    ("ok_soft_sync_all", 13),
    ("ok_ib", 7),
    ("ok_scalar_written_back", 5),
    ("ok_neighbouring_bytes", 11),
    ("ok_everybody_adds", 9),
    ("ok_core_numbers", 2),
]


@pytest.mark.parametrize("checks", [True, False])
@pytest.mark.parametrize(("case", "block_dim"), RIGHT)
def test_right_kernels_pass(kernel: Kernel, case: str, block_dim: int, *, checks: bool) -> None:
    for threads in (1, 2, 3):
        z = launch(kernel, case, block_dim, checks=checks, threads=threads)
        rows = z.reshape(-1, 8)[:, 0].tolist()
        match case:
            case "ok_flags":
                assert rows[: 2 * block_dim] == [2, 1, 4, 3, 6, 5]
            case "ok_sync_all":
                assert rows[: 2 * block_dim] == [*range(2, 2 * block_dim + 1), 1]
            case "ok_sync_all_of_vectors" | "ok_soft_sync_all":
                assert rows[:block_dim] == [*range(2, block_dim + 1), 1]
            case "ok_scalar_written_back":
                assert z[::16].tolist()[:block_dim] == [*range(1, block_dim + 1)]
            case "ok_ib":
                assert rows[:block_dim] == [*range(1, block_dim + 1)]
            case "ok_neighbouring_bytes":
                assert z[: 7 * block_dim].tolist() == [1.0 + i // 7 for i in range(7 * block_dim)]
            case "ok_everybody_adds":
                assert rows[:2] == [3.0 * block_dim] * 2


def test_every_right_case_is_run() -> None:
    assert [name for name in cases() if name.startswith("ok_")] == [name for name, _ in RIGHT]


def test_fast_mode_keeps_deadlocks(kernel: Kernel) -> None:
    """And leaves out the order of accesses."""
    with pytest.raises(LaunchError, match="deadlock: 2 of the 3 cores") as refused:
        launch(kernel, "flag_nobody_sets", checks=False)
    assert refused.value.status == TIMEOUT
    launch(kernel, "read_unordered", checks=False)


AIC, AIV = 1, 2
# kernel type, in the order of the keys: kind, cores of that kind in a block
TYPES_OF_KEYS = [[(AIV, 1)], [(AIC, 1)], [(AIV, 1)], [(AIC, 1)], [(AIC, 1), (AIV, 1)], [(AIC, 1), (AIV, 2)]]


@pytest.mark.parametrize("number", range(6))
@pytest.mark.parametrize("block_dim", [1, 2, 3])
def test_core_numbers(kernel: Kernel, number: int, block_dim: int) -> None:
    rows = launch(kernel, len(cases()) + number, block_dim).reshape(-1, 16)[:, :6]
    want = {
        (0 if kind == AIC else block_dim) + block * count + sub: [
            kind,
            block * count + sub,
            block_dim,
            sub,
            count,
            count,
        ]
        for kind, count in TYPES_OF_KEYS[number]
        for block in range(block_dim)
        for sub in range(count)
    }
    assert {i: row.tolist() for i, row in enumerate(rows) if row.any()} == want


@pytest.mark.parametrize(("number", "limit"), list(enumerate([48, 24, 48, 24, 24, 24])))
def test_block_dim_is_limited_by_the_kernel_type(kernel: Kernel, number: int, limit: int) -> None:
    kind = "vector" if limit == 48 else "cube"
    more = {4: "; a block of KERNEL_TYPE_MIX_AIC_1_1 is one AIC and one AIV"}
    more[5] = "; a block of KERNEL_TYPE_MIX_AIC_1_2 is one AIC and two AIVs"
    with pytest.raises(LaunchError) as refused:
        launch(kernel, len(cases()) + number, limit + 1)
    assert refused.value.report == (
        f"Cores: block dim {limit + 1} is above the {limit} {kind} cores of Ascend910B1{more.get(number, '')}\n"
        "  rule: block dim is 1 to the number of cores [guide/编程指南/编程模型, SetBlockDim]"
    )


def test_a_tiling_key_without_a_type(kernel: Kernel) -> None:
    with pytest.raises(LaunchError) as refused:
        launch(kernel, len(cases()) + 6)
    assert refused.value.report == (
        f"Cores: tiling key {len(cases()) + 6} has no kernel type\n  rule: without KERNEL_TASK_TYPE_DEFAULT every"
        " tiling key has a KERNEL_TASK_TYPE [基础API/Kernel-Tiling/设置Kernel类型]"
    )


POLLING = """
#include "kernel_operator.h"
using namespace AscendC;
extern "C" __global__ __aicore__ void polling(GM_ADDR x, GM_ADDR z, GM_ADDR workspace, GM_ADDR tiling) {
    GlobalTensor<int32_t> from, to, signal;
    from.SetGlobalBuffer(reinterpret_cast<__gm__ int32_t*>(x), 16);
    to.SetGlobalBuffer(reinterpret_cast<__gm__ int32_t*>(z), 64);
    signal.SetGlobalBuffer(reinterpret_cast<__gm__ int32_t*>(workspace), 64);
    const int block = GetBlockIdx();
    int32_t sum = 0;
    for (int i = 0; i < 5000; ++i) {  // often, but not for ever
        sum += from.GetValue(3);
    }
    if (block + 1 < GetBlockNum()) {  // the last block goes first
        while (signal.GetValue((block + 1) * 16) == 0) {
        }
        sum += signal.GetValue((block + 1) * 16);
    }
    signal.SetValue(block * 16, sum);
    DataCacheCleanAndInvalid<int32_t, CacheLine::SINGLE_CACHE_LINE, DcciDst::CACHELINE_OUT>(signal[block * 16]);
    to.SetValue(block * 16, sum);
    DataCacheCleanAndInvalid<int32_t, CacheLine::SINGLE_CACHE_LINE, DcciDst::CACHELINE_OUT>(to[block * 16]);
}
"""


def test_a_core_that_polls_lets_others_run(root: Path, tmp_path: Path) -> None:
    kernel = compile_kernel(root, POLLING, "polling", {"x": "int32"}, {"z": "int32"}, tmp_path)
    x = aligned(16, np.int32)
    x[3] = 1
    for checks in ("off", "fast", "full"):
        for threads in (1, 2, 4):
            z = aligned(64, np.int32)
            run(kernel, [x], [z], block_dim=4, checks=checks, threads=threads, workspace=aligned(64, np.int32))
            assert z[::16].tolist() == [20000, 15000, 10000, 5000]


FILLED = """
#include "kernel_operator.h"
using namespace AscendC;
extern "C" __global__ __aicore__ void filled(GM_ADDR x, GM_ADDR z, GM_ADDR workspace, GM_ADDR tiling) {
    TPipe pipe;
    TBuf<TPosition::VECCALC> buffer;
    pipe.InitBuffer(buffer, 32 * GetBlockNum());
    LocalTensor<int32_t> room = buffer.Get<int32_t>();
    GlobalTensor<int32_t> flags, out;
    flags.SetGlobalBuffer((__gm__ int32_t*)GetUserWorkspace(workspace), 8 * GetBlockNum());
    out.SetGlobalBuffer((__gm__ int32_t*)z, 64);
    InitGlobalMemory(flags, 8 * GetBlockNum(), 0);
    SyncAll(flags, room);
    Fill(out, 64, TILING_KEY_IS(1) ? static_cast<int32_t>(GetBlockIdx()) : 7);
}
"""


def test_every_core_may_fill_the_same_memory(root: Path, tmp_path: Path) -> None:
    """With one value, as the page of SyncAll asks for its workspace; two values are a conflict."""
    filled = compile_kernel(root, FILLED, "filled", {"x": "int32"}, {"z": "int32"}, tmp_path)
    workspace = np.full(16 * 2**20 + 256, 255, np.uint8)
    z = aligned(64, np.int32)
    run(filled, [z.copy()], [z], workspace=workspace, block_dim=4)
    assert (z == 7).all()
    with pytest.raises(LaunchError) as refused:
        run(filled, [z.copy()], [z], workspace=workspace, block_dim=4, tiling_key=1)
    says = r"Fill: overwrites 256 bytes at offset 0 of z that block \d wrote by Fill on pipe MTE3"
    assert re.search(says, refused.value.report)
