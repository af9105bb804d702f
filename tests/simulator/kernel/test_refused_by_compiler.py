"""What the kernel API's headers refuse at compile time: each by a statement, with the whole text of its message."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest
from harness import CompileError, compile_kernel

pytestmark = pytest.mark.compiler

FLOATS = "the data type is not one of half, float"
PLACES = "this position has no memory inside the cores of Atlas A2 and A3 (通用说明和约束, 表1)"
NOT_COPIED = "this data type cannot be copied (数据搬运/"
DUPLICATE = (
    "Duplicate: the data type is not one of int16_t, uint16_t, half, bfloat16_t, int32_t, uint32_t, float"
    " (数据填充/Duplicate)"
)
PRODUCT = "the data types are not half to half, float to float or half to float (复合计算/"

# ruff: noqa: E501, RUF001 - the messages stand as they are printed
# fmt: off
REFUSED = [
    ("Exp(i, i, 64);", f"Exp: {FLOATS} (基础算术/Exp)"),
    ("Exp(i, i, 64, 1, {1, 1, 8, 8});", f"Exp: {FLOATS} (基础算术/Exp)"),
    ("Add(b, b, b, 64);", "Add: the data type is not one of int16_t, half, int32_t, float (基础算术/Add)"),
    ("Adds(b, b, bfloat16_t(), 64);", "Adds: the data type is not one of int16_t, half, int32_t, float (基础算术/Adds)"),
    ("ShiftRight(f, f, 1.0f, 64, 1, {1, 1, 8, 8}, true);", "ShiftRight: the data type is not one of int16_t, uint16_t, int32_t, uint32_t (逻辑计算/ShiftRight)"),
    ("MulAddDst(i, i, i, 64);", f"MulAddDst: {PRODUCT}MulAddDst)"),
    ("Axpy(i, i, 1, 64);", f"Axpy: {PRODUCT}Axpy)"),
    ("Compare(u, b, b, CMPMODE::EQ, 64);", "Compare: the data type is not one of half, float, int32_t (比较与选择/Compare)"),
    ("Compare(i, f, f, CMPMODE::EQ, 64);", "Compare: the result is not int8_t or uint8_t (比较与选择/Compare)"),
    ("Compares(u, b, bfloat16_t(), CMPMODE::EQ, 64);", "Compares: the data type is not one of half, float, int32_t (比较与选择/Compares)"),
    ("Compares(i, f, 1.0f, CMPMODE::EQ, 64);", "Compares: the result is not uint8_t (比较与选择/Compares)"),
    ("Select(i, u, i, i, SELMODE::VSEL_TENSOR_TENSOR_MODE, 64);", "Select: the data type is not one of half, float (比较与选择/Select)"),
    ("Select(f, i, f, f, SELMODE::VSEL_TENSOR_TENSOR_MODE, 64);", "Select: selMask is not of an unsigned type (比较与选择/Select)"),
    ("Select(i, u, i, 1, SELMODE::VSEL_TENSOR_SCALAR_MODE, 64);", "Select: the data type is not one of half, float (比较与选择/Select)"),
    ("Select(f, i, f, 1.0f, SELMODE::VSEL_TENSOR_SCALAR_MODE, 64);", "Select: selMask is not of an unsigned type (比较与选择/Select)"),
    ("Duplicate(u, uint8_t(1), 64);", DUPLICATE),
    ("Duplicate(u, uint8_t(1), 64, 1, 1, 8);", DUPLICATE),
    ("Cast(b, i, RoundMode::CAST_NONE, 64);", "Cast: this pair of data types is not in the table of 类型转换/Cast for this SoC"),
    ("Gather(u, u, w, 0, 64);", "Gather: the data type is not in the list of 离散与聚合/Gather"),
    ("Gatherb(f, f, w, 1, {1, 8});", "Gatherb: the data type is not one of uint16_t, uint32_t, or the product has none (离散与聚合/Gatherb(ISASI))"),
    ("GatherMask(u, u, uint8_t(1), false, 0, {1, 1, 8, 0}, kept);", "GatherMask: the data type is not in the list of 比较与选择/GatherMask"),
    ("GatherMask(f, f, u, false, 0, {1, 1, 8, 0}, kept);", "GatherMask: the pattern is not of the unsigned type as wide as the data (比较与选择/GatherMask)"),
    ("Scatter(f, f, w, 0, 64);", "Scatter: Atlas A2 and A3 have none, and the data type must be in the list of 离散与聚合/Scatter(ISASI)"),
    ("CreateVecIndex(u, uint8_t(1), 64);", "CreateVecIndex: the data type is not one of int16_t, half, int32_t, float (数据填充/CreateVecIndex)"),
    ("Arange(u, uint8_t(1), uint8_t(1), 64);", "Arange: the data type is not one of int16_t, half, int32_t, float (索引计算/Arange)"),
    ("ArithProgression(u, uint8_t(1), uint8_t(1), 64);", "ArithProgression: the data type is not one of int16_t, half, int32_t, float (索引计算/Arange)"),
    ("Sort32(i, i, w, 1);", "Sort32: the data type is not one of half, float, or the product has none (排序组合（ISASI）/Sort32)"),
    ("MrgSort(i, {i, i, i, i}, MrgSort4Info());", "MrgSort: the data type is not one of half, float, or the product has none (排序组合（ISASI）/MrgSort)"),
    ("MrgSort4(f, {f, f, f, f}, MrgSort4Info());", "MrgSort4: the data type is not one of half, float, or the product has none (排序组合（ISASI）/MrgSort4)"),
    ("MrgSort(i, {i, i, i, i}, lengths, sorted, 3, 1);", "MrgSort: the data type is not one of half, float (排序操作/MrgSort-93)"),
    ("ProposalConcat(f, f, 1, 4);", "ProposalConcat: the data type is not one of half, float, or the product has none (排序组合（ISASI）/ProposalConcat)"),
    ("ProposalExtract(f, f, 1, 4);", "ProposalExtract: the data type is not one of half, float, or the product has none (排序组合（ISASI）/ProposalExtract)"),
    ("RpSort16(f, f, 1);", "RpSort16: the data type is not one of half, float, or the product has none (排序组合（ISASI）/RpSort16)"),
    ("Concat(i, i, i, 1);", "Concat: the data type is not one of half, float (排序操作/Concat)"),
    ("Sort<int32_t, true>(i, i, w, i, 1);", "Sort: the data type is not one of half, float (排序操作/Sort)"),
    ("Extract(i, w, i, 1);", "Extract: the data type is not one of half, float (排序操作/Extract)"),
    ("(void)GetSortLen<int32_t>(1);", "GetSortLen: the data type is not one of half, float (排序操作/GetSortLen)"),
    ("(void)GetSortOffset<int32_t>(1);", "GetSortOffset: the data type is not one of half, float (排序操作/GetSortOffset)"),
    ("TopK<int32_t>(i, i, i, i, finish, u, 1, TopkTiling(), TopKInfo());", "TopK: the data type is not one of half, float (排序操作/TopK)"),
    ("TopK<float, false, true, false, TopKMode::TOPK_NSMALL>(f, i, f, i, finish, u, 1, TopkTiling(), TopKInfo());", "TopK: TOPK_NSMALL takes no finishLocal (排序操作/TopK)"),
    ("Transpose(f, f);", "Transpose: the data type is not one of int16_t, uint16_t, half (数据排布转换/Transpose)"),
    ("Transpose(b, b, u, TransposeParamsExt());", "Transpose: the data type is not one of int8_t, uint8_t, int16_t, uint16_t, half, int32_t, uint32_t, float (数据排布转换/Transpose)"),
    ("TransDataTo5HD<bfloat16_t>(LocalTensor<uint64_t>(), LocalTensor<uint64_t>(), TransDataTo5HDParams());", "TransDataTo5HD: the data type is not one of int8_t, uint8_t, int16_t, uint16_t, half, int32_t, uint32_t, float (数据排布转换/TransDataTo5HD)"),
    ("ReduceRepeat<ReduceType::NONE>(f, f, 1, 1, 1, 1, 8);", "ReduceRepeat: reduceType is SUM, MAX or MIN (归约计算/ReduceRepeat)"),
    ("GlobalTensor<float> g; (void)g.ReinterpretCast<half>();", "GlobalTensor::ReinterpretCast: not there on Atlas A2, A3 and ascend310p: SetGlobalBuffer with a pointer of the other type (GlobalTensor/ReinterpretCast)"),
    ("Subs(f, f, f, 64);", "Subs: not there on Atlas A2, A3 and ascend310p (基础算术/Subs（灵活标量位置）)"),
    ("Divs(f, f, f, 64);", "Divs: not there on Atlas A2, A3 and ascend310p (基础算术/Divs（灵活标量位置）)"),
    ("Neg(f, f, f, 64);", "Neg: not there on Atlas A2, A3 and ascend310p (基础算术/Neg(ISASI))"),
    ("Prelu(f, f, f, 64);", "Prelu: not there on Atlas A2, A3 and ascend310p (基础算术/Prelu(ISASI))"),
    ("Mull(f, f, f, 64);", "Mull: not there on Atlas A2, A3 and ascend310p (基础算术/Mull(ISASI))"),
    ("AbsSub(f, f, f, 64);", "AbsSub: not there on Atlas A2, A3 and ascend310p (复合计算/AbsSub(ISASI))"),
    ("ExpSub(f, f, f, 64);", "ExpSub: not there on Atlas A2, A3 and ascend310p (复合计算/ExpSub(ISASI))"),
    ("MulsCast(f, f, f, 64);", "MulsCast: not there on Atlas A2, A3 and ascend310p (复合计算/MulsCast(ISASI))"),
    ("Ands(f, f, f, 64);", "Ands: not there on Atlas A2, A3 and ascend310p (逻辑计算/Ands)"),
    ("Ors(f, f, f, 64);", "Ors: not there on Atlas A2, A3 and ascend310p (逻辑计算/Ors)"),
    ("Interleave(f, f, f, 64);", "Interleave: not there on Atlas A2, A3 and ascend310p (数据重排（ISASI）/Interleave)"),
    ("DeInterleave(f, f, f, 64);", "DeInterleave: not there on Atlas A2, A3 and ascend310p (数据重排（ISASI）/DeInterleave)"),
    ("Truncate(f, f, f, 64);", "Truncate: not there on Atlas A2, A3 and ascend310p (类型转换/Truncate(ISASI))"),
    ("CastDequant(u, f, 64);",
     "CastDequant: only int32_t to half is simulated, which is not there on ascend310p (复合计算/CastDequant)"),
    ("CastDeq(u, f, 64);",
     "CastDeq: only int32_t to half is simulated, which is not there on ascend310p (复合计算/CastDequant)"),
    ("BilinearInterpolation(f, f, f, 64);", "BilinearInterpolation: not simulated (基础算术/BilinearInterpolation(ISASI))"),
    ("VectorPadding(f, f, f, 64);", "VectorPadding: not simulated (数据填充/VectorPadding(ISASI))"),
    ("SetDeqScale(1.0f, 0, true);", "SetDeqScale: the scales of int16_t to 8 bits are not simulated (类型转换辅助配置接口/SetDeqScale)"),
    ("AddReluCast(f, f, f, 64);", "AddReluCast: the data types are not half to int8_t, int16_t to int8_t or float to half (复合计算/AddReluCast)"),
    ("MulCast(f, f, f, 64);", "MulCast: the data types are not half to int8_t or half to uint8_t (复合计算/MulCast)"),
    ("AddDeqRelu(f, f, f, 64);", "AddDeqRelu: the data types are not int32_t to half (复合计算/AddDeqRelu)"),
    ("WholeReduceSum(i, i, 64, 1, 1, 1, 8);", "WholeReduceSum: the data type is not one of half, float (归约计算/ReduceRepeat)"),
    ("RepeatReduceSum(i, i, 1, 64, 1, 1, 1, 8);", "RepeatReduceSum: the data type is not one of half, float (归约计算/ReduceRepeat)"),
    ("ReduceRepeat<ReduceType::MAX>(f, h, 64, 1, 1, 1, 8);", "ReduceRepeat: source and destination are of different types (归约计算/ReduceRepeat)"),
    ("BlockReduceMax(i, i, 1, 64, 1, 1, 8);", "BlockReduceMax: the data type is not one of half, float (归约计算/ReduceDataBlock)"),
    ("ReduceMax(i, i, i, 64);", "ReduceMax: the data type is not one of half, float (归约计算/ReduceMax)"),
    ("ReduceSum(i, i, i, 64);", "ReduceSum: the data type is not one of half, float (归约计算/ReduceSum)"),
    ("Copy(u, u, 64, 1, {1, 1, 8, 8});", "Copy: the data type is not one of int16_t, uint16_t, half, bfloat16_t, int32_t, uint32_t, float (数据搬运/Copy（UBToUB掩码式高维数据搬运）)"),
    ("Brcb(u, u, 1, {1, 8});", "Brcb: the data type is not one of int16_t, uint16_t, half, bfloat16_t, int32_t, uint32_t, float (数据填充/Brcb)"),
    ("Compare(i, i, CMPMODE::EQ, 64, {1, 1, 1, 8, 8, 8});", "Compare: the data type is not one of half, float (比较与选择/Compare（结果存入寄存器）)"),
    ("DataCopy(o, og, 64);", f"DataCopy: {NOT_COPIED}DataCopy（GM与UB连续数据搬运）)"),
    ("DataCopy(og, o, 64);", f"DataCopy: {NOT_COPIED}DataCopy（GM与UB连续数据搬运）)"),
    ("DataCopy(o, o, 64);", f"DataCopy: {NOT_COPIED}DataCopy（UBToUB连续数据搬运）)"),
    ("DataCopy(o, og, DataCopyParams());", f"DataCopy: {NOT_COPIED}DataCopy（GM与UB高维切分数据搬运）)"),
    ("DataCopy(og, o, DataCopyParams());", f"DataCopy: {NOT_COPIED}DataCopy（GM与UB高维切分数据搬运）)"),
    ("DataCopy(o, o, DataCopyParams());", f"DataCopy: {NOT_COPIED}DataCopy（UBToUB高维切分数据搬运）)"),
    ("DataCopyPad(o, og, DataCopyExtParams(), DataCopyPadExtParams<Odd>());", f"DataCopyPad: {NOT_COPIED}DataCopyPad（GMToUB非对齐数据搬运）)"),
    ("DataCopyPad(og, o, DataCopyExtParams());", f"DataCopyPad: {NOT_COPIED}DataCopyPad（UBToGM非对齐数据搬运）)"),
    ("PipeBarrier<PIPE_S>();", "PipeBarrier: PIPE_S is ordered by the hardware and not accepted"),
    ("CrossCoreSetFlag<3, PIPE_V>(0);", "CrossCoreSetFlag: Atlas A2 and A3 have the modes 0, 1 and 2"),
    ("CrossCoreSetFlag<0, PIPE_S>(0);", "CrossCoreSetFlag: PIPE_S and PIPE_ALL are not accepted"),
    ("CrossCoreWaitFlag<3>(0);", "CrossCoreWaitFlag: Atlas A2 and A3 have the modes 0, 1 and 2"),
    ("CrossCoreWaitFlag<0, PIPE_ALL>(0);", "CrossCoreWaitFlag: PIPE_ALL is not accepted"),
    ("SyncAll<false>(GlobalTensor<int32_t>(), i);", "SyncAll: over global memory only AIVs can be synchronised"),
    ("TQue<TPosition::SHM, 1> que;", f"TQue: {PLACES}"),
    ("TBuf<TPosition::SHM> buf;", f"TBuf: {PLACES}"),
    ("(void)deep.AllocTensor<float>();", "AllocTensor: a queue of depth 0 takes the in-place form AllocTensor(tensor)"),
    ("(void)deep.DeQue<float>();", "DeQue: a queue of depth 0 takes the in-place form DeQue(tensor)"),
    ("deep.DeQue();", "DeQue: a queue of depth 0 takes the in-place form DeQue(tensor)"),
    ("(void)sim::TilingOf<Made>(nullptr);", "GET_TILING_DATA: the tiling struct is not plain: members only, no constructors, pointers or virtual functions"),
]
# fmt: on

KERNEL = """#include "kernel_operator.h"
using namespace AscendC;
struct Odd { char bytes[3]; constexpr Odd(int = 0) : bytes() {} };
struct Made { Made(const Made&); };
LocalTensor<float> f; LocalTensor<half> h; LocalTensor<int32_t> i; LocalTensor<bfloat16_t> b; LocalTensor<uint8_t> u;
LocalTensor<uint32_t> w; LocalTensor<bool> finish; uint64_t kept; uint16_t lengths[4]; uint32_t sorted[4]; uint64_t bits16[16];
LocalTensor<Odd> o; GlobalTensor<Odd> og; GlobalTensor<float> g; uint64_t bits[2]; TQue<TPosition::VECIN, 0> deep;
extern "C" __global__ __aicore__ void refused(GM_ADDR x, GM_ADDR z, GM_ADDR workspace, GM_ADDR tiling) {
"""


@pytest.fixture(scope="module")
def said(root: Path, tmp_path_factory: pytest.TempPathFactory) -> str:
    """What the compiler says of all statements, a line each."""
    body = "".join(f"    {{ {statement} }}\n" for statement, _ in REFUSED)
    with pytest.raises(CompileError) as refused:
        compile_kernel(root, KERNEL + body + "}\n", "refused", {"x": "float32"}, {"z": "float32"},
                       tmp_path_factory.mktemp("refused"))  # fmt: skip
    return str(refused.value)


@pytest.mark.parametrize(("statement", "message"), REFUSED)
def test_refused(said: str, statement: str, message: str) -> None:
    line = KERNEL.count("\n") + 1 + [row[0] for row in REFUSED].index(statement)
    # an instantiation ends with the place that has asked for it, an assertion in a macro with its expansion
    blocks = re.split(r"(?=In instantiation of|In function)", said)
    mine = [block for block in blocks if re.search(rf"refused\.cpp:{line}:", block)]
    assert any(f"error: static assertion failed: {message}\n" in block for block in mine), said[:3000]


def test_event_numbers_are_global(root: Path, tmp_path: Path) -> None:
    """CANN's compiler defines them outside of the namespace."""
    wrong = KERNEL + "SetFlag<HardEvent::MTE2_V>(AscendC::EVENT_ID0);\n}\n"
    with pytest.raises(CompileError, match=r"EVENT_ID0. is not a member of .AscendC"):
        compile_kernel(root, wrong, "refused", {"x": "float32"}, {"z": "float32"}, tmp_path)


def test_each_statement_stands_once() -> None:
    statements = [statement for statement, _ in REFUSED]
    assert len(set(statements)) == len(statements)


def test_private_headers_are_reached_only_through_public_ones(root: Path) -> None:
    include = root / "include" / "ascendc"
    command = [
        "g++",
        "-std=c++17",
        "-fsyntax-only",
        f"-I{include}",
        "-include",
        "sim/engine.h",
        "-x",
        "c++",
        "/dev/null",
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert '#error "this header is private to the simulated toolkit: include kernel_operator.h"' in done.stderr
    for header in ("kernel_operator.h", "impl/dav_c220/kernel_operator_reg_others_impl.h"):
        command[command.index("-include") + 1] = header
        assert subprocess.run(command, check=False).returncode == 0
