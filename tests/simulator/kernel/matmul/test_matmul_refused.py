"""Every rule of the Matmul object by a kernel or a tiling that breaks it, with the whole message."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from api_rows import KERNEL_API
from cube_tiling import CubeTiling
from harness import SOURCES, CompileError, Kernel, LaunchError, compile_kernel, run
from matmul_kernels import (
    AFTER_BUFFERS,
    FIVE_OBJECTS,
    HOST_HEADERS,
    LEAKY,
    LEAKY_APART,
    LEAKY_WHOLE,
    NEVER_TOLD,
    NEVER_WAITED,
    PLAIN,
    PLAIN_WHOLE,
    SYSTEM_WORKSPACE,
    UNREGISTERED,
    UNTILED,
    WRONG,
    launch,
    parts,
    random,
    stored,
)

pytestmark = pytest.mark.compiler

TIMEOUT, VECTOR = 507014, 507035
KERNEL_SIDE = "高阶API/矩阵计算/Matmul-Kernel侧接口"
TILING_PAGE = "[高阶API/矩阵计算/Matmul-Tiling类/TCubeTiling结构体]"


def line_of(mark: str, source: str = "matmul_mix.cpp") -> str:
    """Where a case is marked, as a message says it."""
    lines = (SOURCES / source).read_text().splitlines()
    found = [i for i, line in enumerate(lines, 1) if line.endswith(f"// <- {mark}")]
    assert len(found) == 1, (mark, found)
    return f"{SOURCES / source}:{found[0]}"


def refusal(
    kernel: Kernel, key: int, tiling: CubeTiling, *, transposed: int = 0, workspace: int = 1 << 20
) -> LaunchError:
    a, b = stored(random(tiling.M, tiling.Ka), "half"), stored(random(tiling.Kb, tiling.N), "half")
    z = np.zeros((tiling.M, tiling.N), np.float32)
    with pytest.raises(LaunchError) as refused:
        launch(kernel, key, tiling, a, b, b, np.zeros(tiling.N, np.float32), z, transposed=transposed,
               workspace=workspace)  # fmt: skip
    return refused.value


SMALL = parts(16, 16, 16, (16, 16))

# ruff: noqa: E501 - the messages stand as they are printed
# case of sources/matmul_mix.cpp: which, its mark, status, and the message from the function's name on
# fmt: off
WRONG_CALLS = [
    (0, "no_tensors", VECTOR, f"IterateAll: A has not been set\n  rule: a computation begins with SetTensorA and SetTensorB [{KERNEL_SIDE}/Matmul使用说明]"),
    (1, "no_iterate", VECTOR, f"GetTensorC: there is no block: Iterate has not been called since the last one was taken\n  rule: GetTensorC takes a block that Iterate has computed [{KERNEL_SIDE}/GetTensorC]"),
    (2, "no_wait", TIMEOUT, f"WaitIterateAll: no IterateAll<false> with waitIterateAll true is under way: it waits for ever\n  rule: WaitIterateAll waits for an IterateAll<false> with waitIterateAll true, once [{KERNEL_SIDE}/WaitIterateAll]"),
    (3, "untaken", VECTOR, f"Iterate: block 1 would be computed before GetTensorC has taken block 0\n  rule: each Iterate is followed by one GetTensorC [{KERNEL_SIDE}/GetTensorC]"),
    (4, "bias_off", VECTOR, f"SetBias: isBias is 0\n  rule: SetBias needs isBias in the tiling [{KERNEL_SIDE}/SetBias]"),
    (5, "turned", VECTOR, f"SetTensorA: A of type half is transposed here, but ISTRANS is false\n  rule: a matrix is transposed only where its MatmulType says ISTRANS; float matrices then always [{KERNEL_SIDE}/SetTensorA]"),
    (6, "zero_tail", VECTOR, f"SetTail: M is 0\n  rule: singleCoreM, singleCoreN and singleCoreK are above 0 [{KERNEL_SIDE}/SetSingleShape]"),
    (7, "bad_atomic", VECTOR, f"IterateAll: enAtomic is 4\n  rule: enAtomic is 0 (none), 1 (add), 2 (max) or 3 (min) [{KERNEL_SIDE}/IterateAll]"),
    (8, "no_end", VECTOR, f"IterateAll: object 1 of this kernel has computed and has not been ended\n  rule: End() stands between the computations of two Matmul objects [{KERNEL_SIDE}/End]"),
]
# fmt: on


@pytest.mark.parametrize(("case", "mark", "status", "message"), WRONG_CALLS, ids=[row[1] for row in WRONG_CALLS])
def test_wrong_calls(mix: dict[str, Kernel], case: int, mark: str, status: int, message: str) -> None:
    refused = refusal(mix["half"], WRONG, SMALL, transposed=case)
    assert (refused.status, refused.report) == (
        status,
        f"MatmulMix: block 0 of 1, AIV 0: {line_of(mark)}: {message}",
    )


# fmt: off
REGISTRATIONS = [
    (AFTER_BUFFERS, "after_buffers", "AIV 0", f"REGIST_MATMUL_OBJ: InitBuffer has been called before\n  rule: REGIST_MATMUL_OBJ comes before InitBuffer [{KERNEL_SIDE}/REGIST_MATMUL_OBJ]"),
    (FIVE_OBJECTS, "five", "AIV 0", f"REGIST_MATMUL_OBJ: this is Matmul object number 5\n  rule: a kernel has at most 4 Matmul objects [{KERNEL_SIDE}/REGIST_MATMUL_OBJ]"),
    (UNREGISTERED, "unregistered", "AIC", f"SetTail: this Matmul object has not been registered\n  rule: an object is registered by REGIST_MATMUL_OBJ before it is used [{KERNEL_SIDE}/REGIST_MATMUL_OBJ]"),
    (UNTILED, "untiled", "AIV 0", f"SetTail: this Matmul object has no tiling\n  rule: an object gets its tiling from REGIST_MATMUL_OBJ or Init before it is used [{KERNEL_SIDE}/Init]"),
]
# fmt: on


@pytest.mark.parametrize(("key", "mark", "core", "message"), REGISTRATIONS, ids=[row[1] for row in REGISTRATIONS])
def test_wrong_registrations(mix: dict[str, Kernel], key: int, mark: str, core: str, message: str) -> None:
    refused = refusal(mix["half"], key, SMALL)
    assert (refused.status, refused.report) == (VECTOR, f"MatmulMix: block 0 of 1, {core}: {line_of(mark)}: {message}")


def test_devices_register_after_buffers(mix: dict[str, Kernel]) -> None:
    a, b = stored(random(16, 16), "half"), stored(random(16, 16), "half")
    z = np.zeros((16, 16), np.float32)
    launch(mix["half"], AFTER_BUFFERS, SMALL, a, b, b, np.zeros(16, np.float32), z, rules="device")
    np.testing.assert_allclose(z, a.astype(np.float32) @ b.astype(np.float32), rtol=1e-3, atol=1e-3)


def test_an_iterate_that_is_not_ended_holds_the_cube_core(mix: dict[str, Kernel]) -> None:
    refused = refusal(mix["half"], WRONG, replace(SMALL, M=2, singleCoreM=1), transposed=9)
    assert refused.status == TIMEOUT
    assert (
        f"AIV 1: {line_of('held')}: IterateAll: waits for the AIC, which serves AIV 0 until its End()" in refused.report
    )
    assert (
        "REGIST_MATMUL_OBJ: waits for the next call of AIV 0, whose Iterate has not been ended by End()"
        in refused.report
    )


def test_what_was_to_be_waited_for_has_been_waited_for_at_the_end(mix: dict[str, Kernel]) -> None:
    refused = refusal(mix["half"], WRONG, SMALL, transposed=10)
    assert (refused.status, refused.report) == (
        VECTOR,
        f"MatmulMix: block 0 of 1, AIC: {line_of('unwaited')}: IterateAll: AIV 0 has ended without WaitIterateAll\n"
        "  rule: an asynchronous IterateAll with waitIterateAll is waited for by WaitIterateAll"
        f" [{KERNEL_SIDE}/IterateAll]",
    )


def test_a_slot_is_not_read_before_the_wait(mix: dict[str, Kernel]) -> None:
    refused = refusal(mix["half"], NEVER_WAITED, SMALL)
    assert refused.status == VECTOR
    assert re.search(r"overwrites \d+ bytes at offset 16777216 of workspace that block 0, AIV 0 read by DataCopyPad on"
                     r" pipe MTE2", refused.report), refused.report  # fmt: skip


def test_a_wait_for_what_nobody_tells(mix: dict[str, Kernel]) -> None:
    refused = refusal(mix["half"], NEVER_TOLD, SMALL)
    assert (refused.status, refused.report.split(": ", 3)[2:]) == (
        TIMEOUT,
        [line_of("wait"), WRONG_CALLS[2][3]],
    )


@pytest.mark.parametrize(
    ("m", "n", "mark"),
    [
        (
            37,
            16,
            "matrix A of 32 x 29 (a row each 29) reads 1856 bytes at offset 1856 of a, which has 2146 bytes (1566 too many)",
        ),
        (
            32,
            17,
            "matrix B of 29 x 16 (a row each 17) reads 984 bytes at offset 32 of b, which has 986 bytes (30 too many)",
        ),
    ],
    ids=["rows", "columns"],
)
def test_ragged_edges_without_a_tail(mix: dict[str, Kernel], m: int, n: int, mark: str) -> None:
    refused = refusal(mix["half"], PLAIN_WHOLE, parts(m, n, 29, (32, 16)))
    assert f"IterateAll: {mark}\n  rule: a kernel may touch only" in refused.report


def test_a_longer_k_than_the_matrices_have(mix: dict[str, Kernel]) -> None:
    refused = refusal(mix["half"], PLAIN_WHOLE, replace(SMALL, singleCoreK=17))
    assert (
        "matrix A of 16 x 17 (a row each 16) reads 514 bytes at offset 0 of a, which has 512 bytes (2 too many)"
        in refused.report
    )


def test_an_output_that_is_too_small(mix: dict[str, Kernel]) -> None:
    a, b = stored(random(32, 16), "half"), stored(random(16, 16), "half")
    with pytest.raises(LaunchError) as refused:
        launch(mix["half"], PLAIN, parts(32, 16, 16, (32, 16)), a, b, b, np.zeros(16, np.float32),
               np.zeros((31, 16), np.float32))  # fmt: skip
    assert (
        "block of C of 16 x 16 at [16, 0] (a row each 16) writes 1024 bytes at offset 1024 of z, which has 1984 bytes (64 too many)"
        in refused.value.report
    )


def test_a_bias_that_is_too_short(mix: dict[str, Kernel]) -> None:
    a, b = stored(random(16, 16), "half"), stored(random(16, 16), "half")
    with pytest.raises(LaunchError) as refused:
        launch(mix["half"], LEAKY, replace(SMALL, isBias=1), a, b, b, np.zeros(15, np.float32),
               np.zeros((16, 16), np.float32))  # fmt: skip
    assert (
        "matrix bias of 1 x 16 (a row each 16) reads 64 bytes at offset 0 of bias, which has 60 bytes (4 too many)"
        in refused.value.report
    )


def test_rows_in_the_unified_buffer_are_whole_blocks(mix: dict[str, Kernel]) -> None:
    refused = refusal(mix["half"], LEAKY, parts(16, 17, 16, (16, 32)))
    assert refused.report == (
        f"MatmulMix: block 0 of 1, AIV 0: {line_of('taken')}: GetTensorC: a row of 17 elements has 68 bytes\n"
        f"  rule: rows of C in VECIN with the format ND are multiples of 32 bytes [{KERNEL_SIDE}/Matmul使用说明]"
    )


def test_a_tensor_that_has_no_room_for_rows_apart(mix: dict[str, Kernel]) -> None:
    refused = refusal(mix["half"], LEAKY_APART, parts(16, 32, 16, (16, 32)))
    assert refused.report == (
        f"MatmulMix: block 0 of 1, AIC: {line_of('taken')}: GetTensorC: the block of C of 16 x 16 at [0, 0] (a row each"
        f" 32) needs 496 elements, the tensor has 256\n  rule: the tensor for C has room for a base block"
        f" [{KERNEL_SIDE}/GetTensorC]"
    )


def test_a_long_inner_axis(mix: dict[str, Kernel]) -> None:
    refused = refusal(mix["half"], PLAIN, parts(1, 1, 65535, (16, 16)))
    assert refused.report.endswith(
        "IterateAll: a row of A has 65535 elements, and intrinsicsCheck is false\n  rule: an inner axis of 65535"
        f" elements or more needs intrinsicsCheck in the MatmulConfig [{KERNEL_SIDE}/MatmulConfig]"
    )
    launch(mix["half"], PLAIN, parts(1, 1, 65534, (16, 16)), stored(random(1, 65534), "half"),
           stored(random(65534, 1), "half"), np.zeros(1, np.float16), np.zeros(1, np.float32),
           np.zeros((1, 1), np.float32))  # fmt: skip


FULL = CubeTiling(1, 128, 256, 64, 64, 128, 256, 64, 128, 256, 64, dbL0A=2, dbL0B=2)

# a tiling near the edge that is right, what makes it wrong, and the message
# fmt: off
TILINGS = [
    (SMALL, {"singleCoreK": 0}, f"singleCoreK is 0\n  rule: the lengths, depths and steps of a TCubeTiling are above 0 {TILING_PAGE}"),
    (SMALL, {"depthB1": -1}, f"depthB1 is -1\n  rule: the lengths, depths and steps of a TCubeTiling are above 0 {TILING_PAGE}"),
    (replace(SMALL, usedCoreNum=48), {"usedCoreNum": 49}, f"usedCoreNum is 49, ascend910b has 48 vector cores\n  rule: usedCoreNum is 1 to the number of cores {TILING_PAGE}"),
    (SMALL, {"dbL0C": 3}, f"dbL0C is 3\n  rule: dbL0A, dbL0B and dbL0C are 1, or 2 for a double buffer {TILING_PAGE}"),
    (SMALL, {"isBias": 2}, f"isBias is 2\n  rule: isBias is 0 or 1 {TILING_PAGE}"),
    (SMALL, {"baseN": 24}, f"baseN is 24, no multiple of 16\n  rule: base blocks are whole fractals: baseM and baseN multiples of 16, baseK of 16 too, or of 32 bytes (8 of float) where that is less, or where A is not transposed and B is {TILING_PAGE}"),
    (FULL, {"baseM": 256, "baseN": 128, "baseK": 80, "dbL0B": 1}, f"baseM x baseK of 256 x 80 elements of 2 bytes, 2 at a time, take 81920 bytes, L0A has 65536\n  rule: base blocks of A, B and C fit into L0A, L0B and L0C {TILING_PAGE}"),
    (FULL, {"baseK": 80}, f"baseN x baseK of 256 x 80 elements of 2 bytes, 2 at a time, take 81920 bytes, L0B has 65536\n  rule: base blocks of A, B and C fit into L0A, L0B and L0C {TILING_PAGE}"),
    (FULL, {"dbL0C": 2}, f"baseM x baseN of 128 x 256 elements of 4 bytes, 2 at a time, take 262144 bytes, L0C has 131072\n  rule: base blocks of A, B and C fit into L0A, L0B and L0C {TILING_PAGE}"),
    (replace(SMALL, depthA1=4, stepKa=2), {"depthA1": 3}, f"depthA1 is 3, but stepM * stepKa is 2\n  rule: depthA1 is stepM * stepKa and depthB1 is stepN * stepKb, or twice that for a double buffer {TILING_PAGE}"),
    (replace(FULL, depthA1=16, stepKa=8, depthB1=8, stepKb=8), {"depthB1": 16}, f"A takes 262144 bytes (depthA1 16), B 524288 (depthB1 16), bias 0, together 786432; L1 has 524288\n  rule: the blocks of A, B and bias that are kept in L1 fit into it {TILING_PAGE}"),
    (replace(FULL, isBias=1), {"baseN": 272, "baseM": 112, "baseK": 48}, f"baseN 272 elements of bias take 1088 bytes, the BiasTable has 1024\n  rule: the bias of a base block fits into the BiasTable buffer {TILING_PAGE}"),
]
# fmt: on


@pytest.mark.parametrize(
    ("right", "change", "message"), TILINGS, ids=lambda value: "-".join(value) if isinstance(value, dict) else ""
)
def test_tilings_that_cannot_be(
    mix: dict[str, Kernel], right: CubeTiling, change: dict[str, int], message: str
) -> None:
    a, b = stored(random(right.M, right.Ka), "half"), stored(random(right.Kb, right.N), "half")
    z = np.zeros((right.M, right.N), np.float32)
    if right.baseN <= 16:  # the kernel takes a block into the unified buffer
        launch(mix["half"], LEAKY_WHOLE, replace(right, isBias=0), a, b, b, np.zeros(right.N, np.float32), z)
    else:
        launch(mix["half"], PLAIN_WHOLE, right, a, b, b, np.zeros(right.N, np.float32), z)
    key = LEAKY_WHOLE if "isBias" in change or right.isBias else PLAIN_WHOLE
    refused = refusal(mix["half"], key, replace(right, **change))
    assert refused.status == VECTOR
    assert refused.report.endswith(f": Init: {message}"), refused.report


# fmt: off
MDL = [
    ({"stepM": 2, "depthA1": 2}, "stepM is 2, but stepKa loads 16 of K at once and K is longer\n  rule: the MDL template takes several blocks of M or N at once only where all of K is loaded"),
    ({"stepN": 2, "depthB1": 2}, "stepN is 2, but stepKb loads 16 of K at once and K is longer\n  rule: the MDL template takes several blocks of M or N at once only where all of K is loaded"),
    ({"stepKa": 2, "depthA1": 2, "stepKb": 3, "depthB1": 3}, "A takes 3 passes, B 2\n  rule: with the MDL template, the passes over K of A are a multiple of those of B, or the reverse"),
]
# fmt: on


@pytest.mark.parametrize(("change", "message"), MDL, ids=["stepM", "stepN", "passes"])
def test_tilings_for_the_mdl_template(cube: Kernel, change: dict[str, int], message: str) -> None:
    assert _cube_refusal(cube, 1, replace(parts(16, 16, 96, (16, 16)), **change)).endswith(
        f": Init: {message} {TILING_PAGE}"
    )


def _cube_refusal(kernel: Kernel, key: int, tiling: CubeTiling) -> str:
    a, b = stored(random(tiling.M, tiling.Ka), "bfloat16_t"), stored(random(tiling.Kb, tiling.N), "bfloat16_t")
    with pytest.raises(LaunchError) as refused:
        run(kernel, [a, b, np.zeros(tiling.N, np.float16)], [np.zeros((tiling.M, tiling.N), np.float16)],
            tiling=tiling.packed(), tiling_key=key, workspace_bytes=SYSTEM_WORKSPACE)  # fmt: skip
    return refused.value.report


def test_an_object_of_a_cube_core_is_ended_before_the_next(cube: Kernel) -> None:
    assert _cube_refusal(cube, 4, SMALL) == (
        f"MatmulCube: block 0 of 1, AIC: {line_of('no_end', 'matmul_cube.cpp')}: IterateAll: object 1 of this kernel has"
        f" computed and has not been ended\n  rule: End() stands between the computations of two Matmul objects"
        f" [{KERNEL_SIDE}/End]"
    )


KERNEL = """
#include "kernel_operator.h"
#include "lib/matmul_intf.h"
using namespace AscendC;
using In = MatmulType<TPosition::GM, CubeFormat::ND, half>;
using Out = MatmulType<TPosition::GM, CubeFormat::ND, float>;
constexpr MatmulConfig kShared = GetIBShareNormConfig();
constexpr MatmulConfig kBatched = GetNormalConfig(false, true);
constexpr MatmulConfig Dual() { MatmulConfig config = CFG_NORM; config.enableMixDualMaster = true; return config; }
constexpr MatmulConfig kDual = Dual();
constexpr MatmulConfig Relu() { MatmulConfig config = CFG_NORM; config.enableRelu = true; return config; }
constexpr MatmulConfig kRelu = Relu();
using Both = MatmulType<TPosition::GM, CubeFormat::ND, half, false, LayoutMode::NONE, true>;
using Brain = MatmulType<TPosition::GM, CubeFormat::ND, bfloat16_t>;
inline void CopyOut(const __gm__ void*, const LocalTensor<int8_t>&, const void*, const uint64_t, const uint64_t) {}
inline void CopyIn(const LocalTensor<int8_t>&, const __gm__ void*, int, int, int, int, const uint64_t, const uint64_t) {}
extern "C" __global__ __aicore__ void wrong(GM_ADDR x, GM_ADDR z, GM_ADDR workspace, GM_ADDR tiling) {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_%s);
    TPipe pipe;
    %s
}
"""

PAIRS = "Matmul: these data types of A, B and C are not in the table for this SoC (Matmul使用说明, 表2; ascend310p has no float and no bfloat16_t operands), or int8_t with half, which is not simulated"
BYTES = "MatmulType<TPosition::GM, CubeFormat::ND, int8_t>"
TEMPLATES = "Matmul: of the templates, Norm, BasicBlock, MDL, SpecialMDL and IBShare without enableMixDualMaster, isPartialOutput and intraBlockPartSum are simulated"
# fmt: off
REFUSED_TYPES = [
    ("Matmul<In, In, Out, Out, kDual>", "", TEMPLATES),
    ("Matmul<In, In, Out, Out, kRelu>", "", "Matmul: enableRelu and decompMode are of other products (Matmul-Kernel侧接口/MatmulConfig)"),
    ("Matmul<In, In, MatmulType<TPosition::GM, CubeFormat::ND, bfloat16_t>>", "mm.SetBias(GlobalTensor<bfloat16_t>());", "SetBias: this data type of the bias is not in the table for these of A, B and C, and this SoC (Matmul使用说明, 表2)"),
    ("MatmulImpl<In, In, Out>", "mm.IterateBatch(LocalTensor<float>(), 1, 1, true);", "IterateBatch: a cube core has no unified buffer"),
    ("MatmulImpl<In, In, Out>", "mm.GetTensorC(LocalTensor<float>());", "GetTensorC: a cube core has no unified buffer"),
    ("MatmulImpl<In, In, Out>", "mm.GetTensorC(GlobalTensor<float>(), LocalTensor<float>());", "GetTensorC: a cube core has no unified buffer"),
    ("Matmul<In, In, MatmulType<TPosition::TSCM, CubeFormat::NZ, float>>", "", "Matmul: C in L1 (TSCM) is not simulated: take it in global memory, VECIN or CO1"),
    ("Matmul<In, In, MatmulType<TPosition::CO1, CubeFormat::NZ, float>>", "", "Matmul: C in CO1 is NZ of float, or int32_t of int8_t, on cube cores of Atlas A2 and A3 (Iterate)"),
    ("MatmulImpl<In, In, Out>", "mm.Iterate(false, LocalTensor<float>());", "Iterate: a tensor for C needs the position CO1 in C's MatmulType, and its data type"),
    ("MatmulImpl<In, In, MatmulType<TPosition::CO1, CubeFormat::NZ, float>>", "mm.Iterate();", "Iterate: OUTER_PRODUCT and NBuffer33MatmulPolicy are simulated with IterateAll, and with C in CO1 Iterate takes the tensor"),
    ("MatmulImpl<In, In, Out, Out, CFG_NORM, MatmulCallBackFunc<>, Impl::Detail::NBuffer33MatmulPolicy>", "", "Matmul: NBuffer33MatmulPolicy needs the MDL template, a cube core alone, A and B in global memory (MatmulPolicy)"),
    ("MatmulImpl<In, In, Out, Out, MM_CFG_BB, MatmulCallBackFunc<>, Impl::Detail::TrianLowerMatmulPolicy>", "", "Matmul: TrianUpperMatmulPolicy and TrianLowerMatmulPolicy need the Norm or MDL template (MatmulPolicy)"),
    ("MatmulImpl<MatmulType<TPosition::TSCM, CubeFormat::NZ, half>, In, Out, Out, CFG_NORM, MatmulCallBackFunc<nullptr, CopyIn>>", "", "Matmul: CopyA1 and CopyB1 of MatmulCallBackFunc copy from global memory"),
    ("MatmulImpl<MatmulType<TPosition::VECOUT, CubeFormat::ND, half>, In, Out>", "", "Matmul: of vector cores A and B lie in global memory, the unified buffer or TSCM, the bias in global memory or VECOUT; of cube cores alone A and B in global memory, A1, B1 or TSCM; on ascend310p all but global memory is not simulated"),
    ("MatmulImpl<In, In, Out, MatmulType<TPosition::TSCM, CubeFormat::ND, float>>", "", "Matmul: of vector cores A and B lie in global memory, the unified buffer or TSCM, the bias in global memory or VECOUT; of cube cores alone A and B in global memory, A1, B1 or TSCM; on ascend310p all but global memory is not simulated"),
    ("Matmul<In, MatmulType<TPosition::GM, CubeFormat::ZZ, half>, Out>", "", "Matmul: of the formats, ND and NZ of A and B, VECTOR of A, and of C ND, ND_ALIGN, and NZ in global memory and in the unified buffer of ascend310p are simulated"),
    ("Matmul<MatmulType<TPosition::GM, CubeFormat::ND, half, false, LayoutMode::NONE, true>, In, Out>", "", "Matmul: IBShare of A or B alone needs the IBShare template (GetIBShareNormConfig)"),
    ("MatmulImpl<Both, Both, Out>", "", "Matmul: IBShare is for vector cores"),
    ("Matmul<Both, Both, Out, Out, kShared>", "mm.Iterate();", "Iterate: with IBShare of A and B only IterateAll computes"),
    (f"Matmul<In, In, {BYTES}, Out, CFG_NORM, MatmulCallBackFunc<CopyOut>>", "", "Matmul: DataCopyOut of MatmulCallBackFunc is simulated into global memory and without SetQuantScalar and SetQuantVector"),
    ("Matmul<MatmulType<TPosition::VECOUT, CubeFormat::ND, half>, In, Out, Out, CFG_NORM, MatmulCallBackFunc<nullptr, CopyIn>>", "", "Matmul: CopyA1 and CopyB1 of MatmulCallBackFunc copy from global memory"),
    ("Matmul<In, In, Out>", "mm.SetTensorA(LocalTensor<half>());", "SetTensorA: the position of A in its MatmulType is GM"),
    ("Matmul<In, In, Out>", "mm.SetTensorB(LocalTensor<half>());", "SetTensorB: the position of B in its MatmulType is GM"),
    ("Matmul<In, In, Out, Out>", "mm.SetBias(LocalTensor<float>());", "SetBias: the position of the bias in its MatmulType is VECOUT"),
    ("Matmul<Brain, Brain, Out>", "mm.SetTensorA(bfloat16_t());", "SetTensorA: a value is half or float (SetTensorA)"),
    ("Matmul<MatmulType<TPosition::VECOUT, CubeFormat::ND, half>, In, Out>", "mm.IterateBatch(GlobalTensor<float>(), 1, 1, false);", "IterateBatch: A and B in the core are not simulated: pass them in global memory"),
    ("Matmul<In, MatmulType<TPosition::GM, CubeFormat::ND, float>, Out>", "", PAIRS),
    ("Matmul<In, In, Out, MatmulType<TPosition::GM, CubeFormat::ND, bfloat16_t>>", "mm.SetBias(GlobalTensor<bfloat16_t>());", "SetBias: this data type of the bias is not in the table for these of A, B and C, and this SoC (Matmul使用说明, 表2)"),
    ("Matmul<MatmulType<TPosition::GM, CubeFormat::ND, half, false, LayoutMode::NORMAL>, MatmulType<TPosition::GM, CubeFormat::ND, half, false, LayoutMode::BSNGD>, Out>", "", "Matmul: the layouts of A and B are the same (IterateBatch)"),
    ("Matmul<MatmulType<TPosition::GM, CubeFormat::NZ, half, false, LayoutMode::BSNGD>, MatmulType<TPosition::GM, CubeFormat::ND, half, false, LayoutMode::BSNGD>, Out>", "", "Matmul: with the layouts BSNGD and SBNGD the format is ND (IterateBatch)"),
    ("Matmul<In, In, Out, Out, CFG_MDL>", "mm.IterateBatch(GlobalTensor<float>(), 1, 1, false);", "IterateBatch: of the templates only Norm has batches"),
    ("Matmul<In, In, Out>", "mm.IterateNBatch(1, 1, 1, false);", "IterateNBatch: the MatmulConfig has isNBatch (IterateNBatch)"),
    ("Matmul<In, In, Out>", "mm.GetBatchTensorC(1, 1);", "GetBatchTensorC: the MatmulConfig has isNBatch (IterateNBatch)"),
    ("Matmul<In, In, Out, Out, kBatched>", "mm.GetBatchTensorC<true>(1, 1);", "GetBatchTensorC is asynchronous: GetBatchTensorC<false>"),
    ("Matmul<In, In, Out, Out, kBatched>", "mm.GetBatchTensorC(LocalTensor<float>(), 1, 1);", "GetBatchTensorC: into the unified buffer it is not simulated: take the GlobalTensor and copy"),
    ("Matmul<In, In, Out>", "mm.IterateBatch<false>(LocalTensor<float>(), 1, 1, true);", "IterateBatch<false>: into the unified buffer it is synchronous"),
    ("Matmul<In, In, Out>", "mm.SetQuantScalar(1);", "SetQuantScalar: C is int8_t, or half with int8_t operands (SetQuantScalar)"),
    ("Matmul<In, In, Out>", "mm.SetQuantVector(GlobalTensor<uint64_t>());", "SetQuantVector: C is int8_t, or half with int8_t operands (SetQuantVector)"),
    ("Matmul<In, In, Out>", "mm.SetBatchNum(1, 1);", "SetBatchNum is for kernels of cube cores alone (ASCENDC_CUBE_ONLY)"),
    (f"Matmul<In, In, {BYTES}, Out>", "mm.IterateBatch(GlobalTensor<int8_t>(), 1, 1, false);", "IterateBatch: products with SetQuantScalar or SetQuantVector have no batches"),
    ("Matmul<In, In, Out>", "mm.SetHF32(true);", "SetHF32 is documented for kernels of cube cores alone (ASCENDC_CUBE_ONLY)"),
    ("Matmul<In, In, Out>", "mm.Iterate<false>();", "Iterate<false>: the position of C must be VECIN (GetTensorC, asynchronous)"),
    ("Matmul<In, In, Out>", "mm.IterateAll(LocalTensor<float>());", "IterateAll: Atlas A2 and A3 write a LocalTensor only into TSCM, which is not simulated: use Iterate and GetTensorC"),
]
# fmt: on


def test_what_is_not_simulated_is_refused_by_the_compiler(root: Path, tmp_path: Path) -> None:
    """All in one kernel, a line each: the reason is given for the line."""
    lines = [
        f"{{ {type_} mm; REGIST_MATMUL_OBJ(&pipe, GetSysWorkSpacePtr(), mm); {call} }}"
        for type_, call, _ in REFUSED_TYPES
    ]
    source = KERNEL % ("MIX_AIC_1_2", "\n".join(lines))
    with pytest.raises(CompileError) as refused:
        compile_kernel(root, source, "wrong", {"x": "float16"}, {"z": "float32"}, tmp_path, include_dirs=[HOST_HEADERS])
    said: dict[int, set[str]] = {}
    places: set[int] = set()
    for line in str(refused.value).splitlines():
        places |= {int(number) for number in re.findall(r"wrong\.cpp:(\d+):", line)}
        if ": error: " in line:
            for place in places:
                said.setdefault(place, set()).add(line.partition("static assertion failed: ")[2])
            places = set()
    first = 1 + [line.strip() for line in source.splitlines()].index(lines[0].strip())
    missing = [row for number, row in enumerate(REFUSED_TYPES, first) if row[2] not in said.get(number, set())]
    assert not missing, (missing, str(refused.value))


@pytest.mark.parametrize(
    ("kind", "message"),
    [
        (
            "AIV_ONLY",
            "the blocks of this kernel have vector cores only\n  rule: the Matmul object needs cube cores: KERNEL_TYPE_MIX_AIC_1_1, MIX_AIC_1_2 or AIC_ONLY",
        ),
        (
            "AIC_ONLY",
            "this kernel has no vector cores that could call the object\n  rule: a kernel of cube cores alone defines ASCENDC_CUBE_ONLY before lib/matmul_intf.h",
        ),
    ],
)
def test_kernel_types_without_the_cores_it_takes(root: Path, tmp_path: Path, kind: str, message: str) -> None:
    kernel = compile_kernel(root, KERNEL % (kind, "Matmul<In, In, Out> mm; REGIST_MATMUL_OBJ(&pipe, GetSysWorkSpacePtr(), mm);"), "wrong", {"x": "float16"}, {"z": "float32"},
                            tmp_path, include_dirs=[HOST_HEADERS])  # fmt: skip
    with pytest.raises(LaunchError) as refused:
        run(kernel, [np.zeros(16, np.float16)], [np.zeros(16, np.float32)], workspace_bytes=SYSTEM_WORKSPACE)
    assert refused.value.report.endswith(f"REGIST_MATMUL_OBJ: {message} [{KERNEL_SIDE}/Matmul使用说明]")


def test_headers_name_their_documentation() -> None:
    headers = sorted((KERNEL_API / "include" / "ascendc" / "lib").rglob("*.h"))
    assert len(headers) >= 5
    for header in headers:
        text = header.read_text()
        forwards = not re.sub(r"^(#|//).*$", "", text, flags=re.MULTILINE).strip()  # a name for other headers
        assert forwards or "Documentation:" in text or "private.h" in text, header
