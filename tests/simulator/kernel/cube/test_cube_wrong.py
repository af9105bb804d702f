"""Kernels by cube intrinsics: each rule by a kernel that breaks it, with the whole message; and kernels near the edge."""

# ruff: noqa: E501, RUF001 - the messages stand as they are printed

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from harness import SOURCES, Array, Kernel, LaunchError, aligned, compile_kernel, run
from marked_cases import MarkedCases
from pasted import Pasted

CASES = MarkedCases(SOURCES / "cube_wrong.cpp")
TIMEOUT, EXCEPTION = 507014, 507035
WORKSPACE = (16 << 20) + 65536
CUBE_ORDER = (
    "the pipes of a cube core (MTE2, MTE1, M, FIX) are ordered only by queues or SetFlag/WaitFlag"
    " [基础API/同步控制/核内同步/SetFlag-WaitFlag(ISASI)]"
)
BARRIER = (
    "instructions of one pipe that touch the same bytes need a PipeBarrier between them"
    " [基础API/同步控制/核内同步/PipeBarrier(ISASI)]"
)
UNDEFINED = (
    "Fixpipe takes out of L0C what Mmad has computed of defined operands"
    " [基础API/矩阵计算（ISASI）/矩阵计算的搬出/Fixpipe（L0C到GM数据搬运）]"
)
ON_AIC = (
    "LoadData, Mmad, Fixpipe and the memories they work on are for AICs: ASCEND_IS_AIC"
    " [guide/编程指南/高级编程/硬件实现/基本架构]"
)
CAPACITY = "all buffers of a memory together must fit into it [基础API/资源管理/TPipe/InitBuffer]"
HANDED_OVER = (
    "with unitFlag Mmad waits until Fixpipe has taken a block of L0C (unitFlag 3), and Fixpipe until an Mmad has left one (unitFlag 3)"
    " [基础API/矩阵计算（ISASI）/Mmad计算关键特性说明/UnitFlag]"
)
TRANSPOSED = (
    "LoadData transposes fractals of 16-bit types on their way from L1 only"
    " [基础API/矩阵计算（ISASI）/矩阵计算的搬入/LoadData_2D]"
)


@dataclass(frozen=True)
class Wrong:
    """The core that fails, what the message says behind the place of the call, and the rule with its page."""

    core: str
    message: str
    rule: str


# fmt: off
WRONG = {
    "no_event_into_l0": Wrong("AIC", "LoadData: pipe MTE1 reads L1 address 0, which DataCopy on pipe MTE2 wrote at {there}, without an event MTE2_MTE1", CUBE_ORDER),
    "no_event_into_mmad": Wrong("AIC", "Mmad: pipe M reads L0A address 0, which LoadData on pipe MTE1 wrote at {there}, without an event MTE1_M", CUBE_ORDER),
    "no_event_into_fixpipe": Wrong("AIC", "Fixpipe: pipe FIX reads L0C address 0, which Mmad on pipe M wrote at {there}, without an event M_FIX", CUBE_ORDER),
    "overwritten_in_l0": Wrong("AIC", "LoadData: pipe MTE1 overwrites L0A address 0, which Mmad on pipe M reads at {there}, without an event M_MTE1", CUBE_ORDER),
    "overwritten_in_l1": Wrong("AIC", "DataCopy: pipe MTE2 overwrites L1 address 0, which LoadData on pipe MTE1 reads at {there}, without an event MTE1_MTE2", CUBE_ORDER),
    "overwritten_in_l0c": Wrong("AIC", "Mmad: pipe M overwrites L0C address 0, which Fixpipe on pipe FIX reads at {there}, without an event FIX_M", CUBE_ORDER),
    "no_barrier_between_small_sums": Wrong("AIC", "Mmad: reads L0C address 0, which Mmad on the same pipe M wrote at {there}, without a PipeBarrier<PIPE_M>", BARRIER),
    "no_barrier_between_copies": Wrong("AIC", "DataCopy: overwrites L1 address 32, which DataCopy on the same pipe MTE2 wrote at {there}, without a PipeBarrier<PIPE_MTE2>", BARRIER),
    "read_before_written_out": Wrong("AIC", "DataCopy: pipe MTE2 reads 64 bytes of global memory that Fixpipe on pipe FIX wrote at {there}, without a synchronisation", "transfers over the same global memory are ordered only by SetFlag/WaitFlag, queues or PipeBarrier [基础API/同步控制/核内同步/PipeBarrier(ISASI)]"),
    "unordered_with_the_vector_core": Wrong("AIV 0", "DataCopy: reads 64 bytes at offset 16777216 of workspace that block 0, AIC wrote by Fixpipe on pipe FIX at {there}, and what this core has waited for was sent before that, or by another pipe", "accesses of two cores to the same global memory are ordered only by CrossCoreSetFlag/CrossCoreWaitFlag, SyncAll, IBSet/IBWait or the wait for a Matmul object's result [基础API/同步控制/核间同步/核间同步能力概述]"),
    "mmad_of_nothing": Wrong("AIC", "Fixpipe: element [0, 0] (L0C address 0) is undefined", UNDEFINED),
    "fixpipe_of_nothing": Wrong("AIC", "Fixpipe: element [0, 0] (L0C address 0) is undefined", UNDEFINED),
    "more_columns_than_computed": Wrong("AIC", "Fixpipe: element [0, 13] (L0C address 52) is undefined", UNDEFINED),
    "fixpipe_of_undefined_scales": Wrong("AIC", "Fixpipe: the scales have never been written", UNDEFINED),
    "l1_out_of_nothing": Wrong("AIC", "DataCopy: block 0 of L1 address 0 has never been written", "what is written to global memory must have been computed or copied before [基础API/矩阵计算（ISASI）/矩阵计算的搬出/DataCopy（L1ToGM高维切分数据搬运）]"),
    "mmad_on_aiv": Wrong("AIV 0", "Mmad: called on an AIV, which has no cube unit", ON_AIC),
    "into_l1_on_aiv": Wrong("AIV 0", "DataCopy: called on an AIV, which has no cube unit", ON_AIC),
    "mmad_of_l1": Wrong("AIC", "Mmad: fm lies in the L1 buffer", "fm lies in the L0A buffer [基础API/矩阵计算（ISASI）/Mmad计算/Mmad]"),
    "load_into_l0c": Wrong("AIC", "LoadData: dst lies in the L0C buffer", "LoadData fills L0A (A2) or L0B (B2) [基础API/矩阵计算（ISASI）/矩阵计算的搬入/LoadData_2D]"),
    "unaligned_fractal": Wrong("AIC", "LoadData: dst starts at L0A address 32, 32 bytes behind a multiple of 512", "dst starts at a multiple of 512 bytes [基础API/矩阵计算（ISASI）/矩阵计算的搬入/LoadData_2D]"),
    "behind_the_tensor": Wrong("AIC", "LoadData: src needs 1536 bytes from L1 address 0, but its tensor ends at 1024 (512 too many)", "an operand lies inside its tensor [基础API/矩阵计算（ISASI）/矩阵计算的搬入/LoadData_2D]"),
    "behind_l0a": Wrong("AIC", "LocalTensor: 1024 bytes at L0A address 65024 end behind the 65536 of the L0A buffer", "a view lies inside its buffer [基础API/资源管理/TBuf/Get]"),
    "l1_overflow": Wrong("AIC", "InitBuffer: 204800 bytes after the 409600 already taken need 614400, but ascend910b has 524288 bytes of L1 buffer", CAPACITY),
    "l0c_overflow": Wrong("AIC", "InitBuffer: 196608 bytes after the 0 already taken need 196608, but ascend910b has 131072 bytes of L0C buffer", CAPACITY),
    "bias_in_l0a": Wrong("AIC", "Mmad: it lies in the L0A buffer", "bias lies in the BiasTable buffer (C2) or, to be added to, in L0C (CO1) [基础API/矩阵计算（ISASI）/Mmad计算/Mmad]"),
    "no_whole_blocks": Wrong("AIC", "DataCopy: the length is 520 bytes", "a copy into L1 moves whole blocks of 32 bytes [基础API/矩阵计算（ISASI）/矩阵计算的搬入/DataCopy（GMToL1高维切分数据搬运）]"),
    "too_many_blocks": Wrong("AIC", "DataCopy: blockCount is 4096, blockLen 1", "blockCount is at most 4095 and blockLen at most 65535 blocks of 32 bytes [基础API/矩阵计算（ISASI）/矩阵计算的搬入/DataCopy（GMToL1高维切分数据搬运）]"),
    "rows_of_nothing": Wrong("AIC", "DataCopy: ndNum is 1, nValue 16, srcDValue 0, dstNzC0Stride 16, dstNzNStride 1, dstNzMatrixStride 0", "ndNum is at most 4095, nValue at most 16384, srcDValue at least 1, dstNzC0Stride and dstNzNStride 1 to 16384, dstNzMatrixStride at most 16384 [基础API/矩阵计算（ISASI）/矩阵计算的搬入/DataCopy（GMToL1随路转换-ND2NZ搬运）]"),
    "transposed_bytes": Wrong("AIC", "LoadData: ifTranspose is true for int8_t", TRANSPOSED),
    "transposed_from_gm": Wrong("AIC", "LoadData: ifTranspose is true for half from global memory", TRANSPOSED),
    "backwards_out_of_the_tensor": Wrong("AIC", "LoadData: repeat 2 would start at fractal -1", "addrMode 1 counts fractals down from startIndex and stays inside the tensor [基础API/矩阵计算（ISASI）/矩阵计算的搬入/LoadData_2D]"),
    "nibbles_into_l0a": Wrong("AIC", "LoadDataWithTranspose: dst lies in the L0A buffer", "LoadDataWithTranspose takes int4b_t into L0B only [基础API/矩阵计算（ISASI）/矩阵计算的搬入/LoadDataWithTranspose]"),
    "image_of_few_channels": Wrong("AIC", "LoadData: channelSize is 4", "channelSize is a multiple of 32 bytes: images of fewer channels are not simulated [基础API/矩阵计算（ISASI）/矩阵计算的搬入/LoadData_3D]"),
    "image_of_bytes_into_l0b": Wrong("AIC", "LoadData: the type is int8_t", "LoadData of an image into L0B, and transposed into L0A, is for 16-bit and 32-bit types [基础API/矩阵计算（ISASI）/矩阵计算的搬入/LoadData_3D]"),
    "image_from_the_middle_of_a_block": Wrong("AIC", "LoadData: kStartPt is 8, strides 1 x 1, dilations 1 x 1", "kStartPt is a multiple of 32 bytes, strides and dilations are at least 1 [基础API/矩阵计算（ISASI）/矩阵计算的搬入/LoadData_3D]"),
    "kernel_wider_than_the_image": Wrong("AIC", "LoadData: l1H x l1W is 1 x 16, the kernel 1 x 17", "the kernel fits into the padded image [基础API/矩阵计算（ISASI）/矩阵计算的搬入/LoadData_3D]"),
    "image_of_no_shape": Wrong("AIC", "LoadData: SetFmatrix has not been called", "LoadData with isSetFMatrix false needs SetFmatrix before it [基础API/矩阵计算（ISASI）/矩阵搬入辅助配置接口/SetFmatrix]"),
    "repeated_image": Wrong("AIC", "LoadData: repeatTime is 2", "SetLoadDataRepeat with more than one repeat is not simulated: call LoadData for each [基础API/矩阵计算（ISASI）/矩阵搬入辅助配置接口/SetLoadDataRepeat]"),
    "narrow_boundary": Wrong("AIC", "SetLoadDataBoundary: boundaryValue is 512", "SetLoadDataBoundary is 0 or at least 1024 [基础API/矩阵计算（ISASI）/矩阵搬入辅助配置接口/SetLoadDataBoundary]"),
    "long_product": Wrong("AIC", "Mmad: m is 16, n 16, k 4096", "m, n and k are at most 4095 [基础API/矩阵计算（ISASI）/Mmad计算/Mmad]"),
    "unit_flag_of_mmad": Wrong("AIC", "Mmad: unitFlag is 1", "unitFlag is 0, 2 or 3 [基础API/矩阵计算（ISASI）/Mmad计算/Mmad]"),
    "nobody_takes_it": Wrong("AIC", "Mmad: the block at L0C address 0 is full, and no Fixpipe takes it", HANDED_OVER),
    "nobody_leaves_it": Wrong("AIC", "Fixpipe: the block at L0C address 0 is empty: no Mmad has left it", HANDED_OVER),
    "unit_flag_of_fixpipe": Wrong("AIC", "Fixpipe: unitFlag is 1", "unitFlag of Fixpipe is 0, 2 or 3, and 0 with channel split [基础API/矩阵计算（ISASI）/矩阵计算的搬出/Fixpipe（L0C到GM数据搬运）]"),
    "fractals_of_odd_width": Wrong("AIC", "Fixpipe: nSize is 13, mSize 16, dstStride 32", "nSize is at most 4095, a multiple of 16 (8 with channel split) where fractals are written; mSize at most 8192 where rows are; dstStride is not 0 [基础API/矩阵计算（ISASI）/矩阵计算的搬出/Fixpipe（L0C到GM数据搬运）]"),
    "split_rows": Wrong("AIC", "Fixpipe: the destination is float in rows", "channel split is for float written as fractals [基础API/矩阵计算（ISASI）/矩阵计算的搬出/Fixpipe（L0C到GM数据搬运）]"),
    "half_without_a_mode": Wrong("AIC", "Fixpipe: quantPre is NoQuant for float to half", "quantPre says how L0C becomes the destination's type [基础API/矩阵计算（ISASI）/矩阵计算的搬出/Fixpipe（L0C到GM数据搬运）]"),
    "matrices_not_set": Wrong("AIC", "DataCopy: it has not been called", "a DataCopy with nz2ndEn needs SetFixpipeNz2ndFlag before it [基础API/矩阵计算（ISASI）/矩阵搬出辅助配置接口/SetFixpipeNz2ndFlag]"),
    "scale_not_set": Wrong("AIC", "DataCopy: it has not been called", "a DataCopy with a scalar quantPre needs SetFixpipePreQuantFlag before it [基础API/矩阵计算（ISASI）/矩阵搬出辅助配置接口/SetFixpipePreQuantFlag]"),
    "scales_not_set": Wrong("AIC", "DataCopy: there are none", "a vector quantPre takes its scales from cbufWorkspace or SetFixPipeConfig [基础API/矩阵计算（ISASI）/矩阵搬出辅助配置接口/SetFixPipeConfig]"),
}
# fmt: on
# what devices let pass: the rest of these kernels is right
PASS = {
    "behind_the_tensor": "operand-length",
    "l1_overflow": "cube-capacity",
    "l0c_overflow": "cube-capacity",
    "no_whole_blocks": "l1-copy-length",
}


@pytest.fixture(scope="module")
def kernel(root: Path, tmp_path_factory: pytest.TempPathFactory) -> Kernel:
    folder = tmp_path_factory.mktemp("cube_wrong")
    return compile_kernel(root, CASES.source, "cube_wrong", {"a": "float16", "b": "float16"}, {"z": "float32"}, folder)


def launch(kernel: Kernel, case: str, **how: Any) -> tuple[Array, Array, Array]:
    """The operands, and what has been written."""
    random = np.random.default_rng(3)
    a, b = (random.uniform(-1, 1, 8192).astype(np.float16) for _ in range(2))
    z = aligned(1024, np.float32)
    run(kernel, [a, b], [z], tiling_key=CASES.key(case), workspace_bytes=WORKSPACE, **how)
    return a, b, z


def there(case: str) -> str:
    """file:line of the earlier call that a message speaks of."""
    lines = CASES.source.read_text(encoding="utf-8").splitlines()
    start = next(i for i, line in enumerate(lines) if f" {case}(" in line and line.endswith("{"))
    for i in range(start, len(lines)):
        if lines[i].endswith("// <- there"):
            return f"{CASES.source}:{i + 1}"
        if lines[i] == "}":
            break
    return ""


def test_every_case_is_tested() -> None:
    assert CASES.wrong == list(WRONG)
    assert not [case for case in WRONG if ("{there}" in WRONG[case].message) != bool(there(case))]


@pytest.mark.parametrize("case", WRONG)
def test_wrong_kernels_are_refused(kernel: Kernel, case: str) -> None:
    wrong = WRONG[case]
    with pytest.raises(LaunchError) as refused:
        launch(kernel, case)
    message = wrong.message.format(there=there(case))
    place = f"CubeWrong: block 0 of 1, {wrong.core}: {CASES.here(case)}: "
    assert refused.value.report == f"{place}{message}\n  rule: {wrong.rule}"
    assert refused.value.status == (TIMEOUT if wrong.rule == HANDED_OVER else EXCEPTION)


def test_devices_take_what_no_mmad_has_computed_and_a_result_of_it_is_wrong(kernel: Kernel) -> None:
    case = "more_columns_than_computed"
    with pytest.raises(LaunchError) as refused:
        launch(kernel, case, rules="device")
    assert refused.value.report.startswith(
        "CubeWrong: z: bytes 52 to 63 (elements 13 to 15): the value depends on elements of L0C that no Mmad has"
        f" computed of defined operands, taken by Fixpipe at {CASES.here(case)}"
    )


@pytest.mark.parametrize("checks", [True, False])
@pytest.mark.parametrize("case", PASS)
def test_what_devices_let_pass_is_done_with_a_warning(kernel: Kernel, case: str, *, checks: bool) -> None:
    told: list[dict[str, Any]] = []
    op = Kernel(kernel.path, f"{case}{checks}", *(kernel.inputs, kernel.outputs, kernel.toolkit_root))
    a, b, z = launch(op, case, checks=checks, rules="device", warnings=told)
    assert [(said["id"], said["text"].split("\n  devices: ")[0]) for said in told] == [
        (
            PASS[case],
            f"warning: {op.op_type}: block 0 of 1, AIC: {CASES.here(case)}: {WRONG[case].message}\n  rule: {WRONG[case].rule}",
        )
    ]
    if case == "no_whole_blocks":
        left, right = (x[:256].astype(np.float64).reshape(16, 16) for x in (a, b))
        np.testing.assert_allclose(z[:256].reshape(16, 16), left @ right.T, rtol=1e-5, atol=1e-5)
    spec = Pasted(kernel.op_type)
    with pytest.raises(LaunchError) as refused:
        launch(kernel, case, checks=checks, project=True)
    spec.add(refused.value.text)
    assert [rule for rule, _, _ in spec.allow()] == [PASS[case]]
    launch(kernel, case, checks=checks, allow=spec.allow(), warnings=told)
    assert len(told) == 1


@pytest.mark.parametrize("checks", [True, False])
def test_right_kernels_pass(kernel: Kernel, *, checks: bool) -> None:
    assert CASES.right == ["ok_mix_by_hand", "ok_large_sums", "ok_bias_of_l0c"]
    a, b, z = launch(kernel, "ok_mix_by_hand", checks=checks)
    left, right = (x[:256].astype(np.float64).reshape(16, 16) for x in (a, b))
    np.testing.assert_allclose(z[:256].reshape(16, 16), left @ right.T + 1, rtol=1e-5, atol=1e-5)
    _, _, z = launch(kernel, "ok_large_sums", checks=checks)
    np.testing.assert_array_equal(z[:256], 32.0)
    _, _, z = launch(kernel, "ok_bias_of_l0c", checks=checks)
    np.testing.assert_allclose(z[:256].reshape(16, 16), 2 * (left @ right.T), rtol=1e-5, atol=1e-5)
