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
MASK = "a mask set outside of the call is not simulated"
DUPLICATE = (
    "Duplicate: the data type is not one of int16_t, uint16_t, half, bfloat16_t, int32_t, uint32_t, float"
    " (数据填充/Duplicate)"
)
PRODUCT = "the data types are not half to half, float to float or half to float (复合计算/"
ATOMIC = "the data type is not one of int8_t, int16_t, half, bfloat16_t, int32_t, float (原子操作/"

# ruff: noqa: E501, RUF001 - the messages stand as they are printed
# fmt: off
REFUSED = [
    ("Exp(i, i, 64);", f"Exp: {FLOATS} (基础算术/Exp)"),
    ("Exp(i, i, 64, 1, {1, 1, 8, 8});", f"Exp: {FLOATS} (基础算术/Exp)"),
    ("Exp<float, false>(f, f, 64, 1, {1, 1, 8, 8});", f"Exp: {MASK}"),
    ("Exp<float, false>(f, f, bits, 1, {1, 1, 8, 8});", f"Exp: {MASK}"),
    ("Add(b, b, b, 64);", "Add: the data type is not one of int16_t, half, int32_t, float (基础算术/Add)"),
    ("Add<float, false>(f, f, f, 64, 1, {1, 1, 1, 8, 8, 8});", f"Add: {MASK}"),
    ("Add<float, false>(f, f, f, bits, 1, {1, 1, 1, 8, 8, 8});", f"Add: {MASK}"),
    ("Adds(b, b, bfloat16_t(), 64);", "Adds: the data type is not one of int16_t, half, int32_t, float (基础算术/Adds)"),
    ("Adds<float, false>(f, f, 1.0f, 64, 1, {1, 1, 8, 8});", f"Adds: {MASK}"),
    ("Adds<float, false>(f, f, 1.0f, bits, 1, {1, 1, 8, 8});", f"Adds: {MASK}"),
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
    ("Duplicate<float, false>(f, 1.0f, 64, 1, 1, 8);", f"Duplicate: {MASK}"),
    ("Cast(b, i, RoundMode::CAST_NONE, 64);", "Cast: this pair of data types is not in the table of 类型转换/Cast for Atlas A2"),
    ("Cast<float, half, false>(f, h, RoundMode::CAST_NONE, 64, 1, {1, 1, 8, 4});", f"Cast: {MASK}"),
    ("Cast<float, half, false>(f, h, RoundMode::CAST_NONE, bits, 1, {1, 1, 8, 4});", f"Cast: {MASK}"),
    ("DataCopy(o, og, 64);", f"DataCopy: {NOT_COPIED}DataCopy（GM与UB连续数据搬运）)"),
    ("DataCopy(og, o, 64);", f"DataCopy: {NOT_COPIED}DataCopy（GM与UB连续数据搬运）)"),
    ("DataCopy(o, o, 64);", f"DataCopy: {NOT_COPIED}DataCopy（UBToUB连续数据搬运）)"),
    ("DataCopy(o, og, DataCopyParams());", f"DataCopy: {NOT_COPIED}DataCopy（GM与UB高维切分数据搬运）)"),
    ("DataCopy(og, o, DataCopyParams());", f"DataCopy: {NOT_COPIED}DataCopy（GM与UB高维切分数据搬运）)"),
    ("DataCopy(o, o, DataCopyParams());", f"DataCopy: {NOT_COPIED}DataCopy（UBToUB高维切分数据搬运）)"),
    ("DataCopyPad(o, og, DataCopyExtParams(), DataCopyPadExtParams<Odd>());", f"DataCopyPad: {NOT_COPIED}DataCopyPad（GMToUB非对齐数据搬运）)"),
    ("DataCopyPad(og, o, DataCopyExtParams());", f"DataCopyPad: {NOT_COPIED}DataCopyPad（UBToGM非对齐数据搬运）)"),
    ("SetAtomicAdd<int64_t>();", f"SetAtomicAdd: {ATOMIC}SetAtomicAdd)"),
    ("PipeBarrier<PIPE_S>();", "PipeBarrier: PIPE_S is ordered by the hardware and not accepted"),
    ("CrossCoreSetFlag<3, PIPE_V>(0);", "CrossCoreSetFlag: Atlas A2 and A3 have the modes 0, 1 and 2"),
    ("CrossCoreSetFlag<0, PIPE_S>(0);", "CrossCoreSetFlag: PIPE_S and PIPE_ALL are not accepted"),
    ("CrossCoreWaitFlag<3>(0);", "CrossCoreWaitFlag: Atlas A2 and A3 have the modes 0, 1 and 2"),
    ("CrossCoreWaitFlag<0, PIPE_ALL>(0);", "CrossCoreWaitFlag: PIPE_S and PIPE_ALL are not accepted"),
    ("SyncAll<false>(GlobalTensor<int32_t>(), i);", "SyncAll: over global memory only AIVs can be synchronised"),
    ("DataCacheCleanAndInvalid<float, CacheLine::SINGLE_CACHE_LINE, DcciDst::CACHELINE_UB>(g);", "DataCacheCleanAndInvalid: only consistency with global memory is simulated"),
    ("TQue<TPosition::SHM, 1> que;", f"TQue: {PLACES}"),
    ("TBuf<TPosition::SHM> buf;", f"TBuf: {PLACES}"),
    ("(void)deep.AllocTensor<float>();", "AllocTensor: a queue of depth 0 takes the in-place form AllocTensor(tensor)"),
    ("(void)deep.DeQue<float>();", "DeQue: a queue of depth 0 takes the in-place form DeQue(tensor)"),
    ("(void)sim::TilingOf<Made>(nullptr);", "GET_TILING_DATA: the tiling struct is not plain: members only, no constructors, pointers or virtual functions"),
]
# fmt: on

KERNEL = """#include "kernel_operator.h"
using namespace AscendC;
struct Odd { char bytes[3]; constexpr Odd(int = 0) : bytes() {} };
struct Made { Made(const Made&); };
LocalTensor<float> f; LocalTensor<half> h; LocalTensor<int32_t> i; LocalTensor<bfloat16_t> b; LocalTensor<uint8_t> u;
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
    command[command.index("sim/engine.h")] = "kernel_operator.h"
    assert subprocess.run(command, check=False).returncode == 0
