"""What the headers of copies, resources, synchronisation and the scalar unit refuse at compile time."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from harness import CompileError, compile_kernel

pytestmark = pytest.mark.compiler

FILLED = "the data type is not one of uint16_t, int16_t, half, uint32_t, int32_t, float, or bfloat16_t on Atlas A2 (张量变换/Fill-97)"
ATOMIC = "the data type is not one of sim::A2<int8_t, int16_t, half, bfloat16_t, int32_t, float>, sim::M200<"
DCCI = "(缓存控制/DataCacheCleanAndInvalid)"

# ruff: noqa: E501, RUF001 - the messages stand as they are printed
# fmt: off
REFUSED = [
    ("TQueSync<PIPE_V, PIPE_V> sync;", "TQueSync: two different pipes, not PIPE_ALL (核内同步/TQueSync模板参数)"),
    ("TBufPool<TPosition::CO1> pool;", "TBufPool: the position is VECIN, VECOUT, VECCALC, A1, B1 or C1 (TBufPool/TBufPool构造函数)"),
    ("TBufPool<TPosition::VECIN, 17> pool;", "TBufPool: at most 16 buffers (TBufPool/InitBuffer)"),
    ("TQue<TPosition::A1, 1> que; pool.InitBuffer(que, 1, 32);", "TBufPool::InitBuffer: the queue lies in another memory (TBufPool/InitBuffer)"),
    ("TBuf<TPosition::A1> buf; pool.InitBuffer(buf, 32);", "TBufPool::InitBuffer: the buffer lies in another memory (TBufPool/InitBuffer)"),
    ("TBufPool<TPosition::A1> other; TPipe().InitBufPool(other, 32, pool);", "TPipe::InitBufPool: the shared pool lies in another memory (TPipe/InitBufPool)"),
    ("LocalMemAllocator<Hardware::GM> memory;", "LocalMemAllocator: the memory is UB, L1, L0A, L0B, L0C, BIAS or FIXBUF (LocalMemAllocator构造函数)"),
    ("(void)(LocalMemAllocator<>().Alloc<TPosition::A1, float>(8));", "LocalMemAllocator::Alloc: the position lies in another memory (LocalMemAllocator/Alloc)"),
    ("que.EnQue<TPosition::VECIN, TPosition::VECCALC, float>(f);", "EnQue, DeQue: the positions are GM to VECIN, VECOUT to GM or the queue's own (TQue/EnQue)"),
    ("deep.FreeAllEvent();", "FreeAllEvent: not for a queue of depth 0 (TQueBind/FreeAllEvent)"),
    ("(void)(PopStackBuffer<bfloat16_t, TPosition::LCM>(b));", "PopStackBuffer: the data type is not one of uint8_t, int8_t, int16_t, uint16_t, int32_t, uint32_t, int64_t, uint64_t, float, half (资源管理/PopStackBuffer)"),
    ("(void)n.GetValue(0);", "LocalTensor::GetValue: an element of int4b_t has no address"),
    ("n.SetValue(0, 1);", "LocalTensor::SetValue: an element of int4b_t has no address"),
    ("(void)ng.GetValue(0);", "GlobalTensor::GetValue: an element of int4b_t has no address"),
    ("ng.SetValue(0, 1);", "GlobalTensor::SetValue: an element of int4b_t has no address"),
    ("DataSyncBarrier<MemDsbT::SEQ>();", "DataSyncBarrier: SEQ is reserved (核内同步/DataSyncBarrier(ISASI))"),
    ("DataCacheCleanAndInvalid<float, CacheLine::SINGLE_CACHE_LINE, DcciDst::CACHELINE_ATOMIC>(g);", f"DataCacheCleanAndInvalid: CACHELINE_ATOMIC is not supported yet {DCCI}"),
    ("DataCacheCleanAndInvalid<float, CacheLine::SINGLE_CACHE_LINE, DcciDst::CACHELINE_UB>(g);", f"DataCacheCleanAndInvalid: CACHELINE_UB is for a LocalTensor {DCCI}"),
    ("DataCacheCleanAndInvalid<float, CacheLine::SINGLE_CACHE_LINE, DcciDst::CACHELINE_OUT>(f);", f"DataCacheCleanAndInvalid: CACHELINE_OUT is for a GlobalTensor {DCCI}"),
    ("DataCachePreload(words, 1);", "DataCachePreload: cacheOffset is an int16_t or int64_t (缓存控制/DataCachePreload)"),
    ("SetAtomicAdd<int64_t>();", f"SetAtomicAdd: {ATOMIC}int16_t, half, float> (原子操作/SetAtomicAdd)"),
    ("SetAtomicType<uint8_t>();", f"SetAtomicType: {ATOMIC}int16_t, half, float> (原子操作/SetAtomicType)"),
    ("SetStoreAtomicConfig<AtomicDtype::ATOMIC_F32, static_cast<AtomicOp>(1)>();", "SetStoreAtomicConfig: the type is one of AtomicDtype, the operation ATOMIC_SUM (原子操作/SetStoreAtomicConfig(ISASI))"),
    ("SetCtrlSpr<60, 60>(1);", "SetCtrlSpr: Atlas A2 and A3 have bit 48 alone (特殊寄存器访问/SetCtrlSpr(ISASI))"),
    ("(void)(GetCtrlSpr<3, 2>());", "GetCtrlSpr: bits 0 to 63, the first not behind the last (特殊寄存器访问/GetCtrlSpr(ISASI))"),
    ("SetSaturationFlag<SaturationMode::CAST>(true);", "SetSaturationFlag: only SaturationMode::FLOAT is simulated (特殊寄存器访问/SetSaturationFlag(ISASI))"),
    ("(void)GetSaturationFlag<SaturationMode::CAST>();", "GetSaturationFlag: only SaturationMode::FLOAT is simulated (特殊寄存器访问/GetSaturationFlag(ISASI))"),
    ("Fill(words, 1, uint64_t(0));", f"Fill: {FILLED}"),
    ("InitGlobalMemory(words, 1, uint64_t(0));", f"InitGlobalMemory: {FILLED}"),
    ("InitOutput<uint64_t>(words, 1);", f"InitOutput: {FILLED}"),
    ("CheckLocalMemoryIA(1);", "CheckLocalMemoryIA is not simulated: every access is checked (调试接口/异常检测/CheckLocalMemoryIA(ISASI))"),
    ("(void)GetHcclContext();", "GetHcclContext: communication between devices is not simulated (高阶API/HCCL通信类)"),
    ("(void)GetVecLen();", "GetVecLen: Atlas A2 and A3 have no registers of vectors (系统资源与变量/GetVecLen)"),
    ("DumpTensor(n, 1, 1);", "DumpTensor: this data type cannot be printed (调试接口/上板打印/DumpTensor)"),
    ("DumpTensor(ng, 1, 1);", "DumpTensor: this data type cannot be printed (调试接口/上板打印/DumpTensor)"),
    ("DumpTensor(n, 1, 1, ShapeInfo());", "DumpTensor: this data type cannot be printed (调试接口/上板打印/DumpTensor)"),
    ("DumpTensor(ng, 1, 1, ShapeInfo());", "DumpTensor: this data type cannot be printed (调试接口/上板打印/DumpTensor)"),
    ("DumpAccChkPoint(n, 1, 0, 1);", "DumpAccChkPoint: this data type cannot be printed (调试接口/上板打印/DumpAccChkPoint)"),
    ("DumpAccChkPoint(ng, 1, 0, 1);", "DumpAccChkPoint: this data type cannot be printed (调试接口/上板打印/DumpAccChkPoint)"),
    ('printf("%d", g);', "printf: an argument is a number, a text or an address (调测接口/printf)"),
    ("(void)GetBitCount<2>(1);", "GetBitCount: countValue is 0 or 1 (标量计算/GetBitCount)"),
    ("(void)GetSFFValue<2>(1);", "GetSFFValue: countValue is 0 or 1 (标量计算/GetSFFValue)"),
    ("int64_t m, s; GetUintDivMagicAndShift(m, s, int64_t(3));", "GetUintDivMagicAndShift: the data type is not one of uint32_t, uint64_t"),
    ("(void)(ScalarCast<float, half, RoundMode::CAST_RINT>(1.0f));", "Cast: float to half takes CAST_ODD, float to int32_t CAST_ROUND, CAST_CEIL, CAST_FLOOR or CAST_RINT (标量计算/Cast（float转half-int32_t）)"),
    ("Nop<-1>();", "Nop: a number of cycles (标量计算/Nop)"),
    ("(void)ReadGmByPassDCache((__gm__ float*)x);", "ReadGmByPassDCache: the data type is not an integer (标量计算/ReadGmByPassDCache(ISASI))"),
    ("WriteGmByPassDCache((__gm__ float*)x, 1.0f);", "WriteGmByPassDCache: the data type is not an integer (标量计算/WriteGmByPassDCache(ISASI))"),
    ("DataCopy(g, g, 8);", "DataCopy: global memory is copied through a local tensor, never directly (数据搬运导览/概览/数据通路)"),
    ("DataCopyPad(g, g, DataCopyExtParams());", "DataCopyPad: global memory is copied through a local tensor, never directly (数据搬运导览/概览/数据通路)"),
    ("DataCopy(words, w, Nz2NdParamsFull());", "DataCopy: this data type cannot be copied (数据搬运/DataCopy（UBToGM随路转换NZ2ND搬运）)"),
    ("DataCopy(w, words, slice, slice);", "DataCopy: this data type cannot be copied (数据搬运/DataCopy（GM与UB切片数据搬运）)"),
    ("DataCopy(words, w, slice, slice);", "DataCopy: this data type cannot be copied (数据搬运/DataCopy（GM与UB切片数据搬运）)"),
    ("SetPadValue(int4b_t(1));", "SetPadValue: the data type is not one that DataCopyPad copies (数据搬运辅助配置接口/SetPadValue(ISASI))"),
    ("SetPadValue<float, TPosition::A1>(1.0f);", "SetPadValue: the position is VECIN, VECOUT or MAX (数据搬运辅助配置接口/SetPadValue(ISASI))"),
    ("(void)Std::max(1, 1u);", "Std::max: the operands have one data type (CPP标准库/算法/max)"),
    ("(void)Std::min(1, 1u);", "Std::min: the operands have one data type (CPP标准库/算法/min)"),
]
# fmt: on

KERNEL = """#include "kernel_operator.h"
using namespace AscendC;
LocalTensor<float> f; LocalTensor<bfloat16_t> b; LocalTensor<int4b_t> n; GlobalTensor<int4b_t> ng;
GlobalTensor<float> g; GlobalTensor<uint64_t> words; TBufPool<TPosition::VECCALC> pool; TQue<TPosition::VECIN, 0> deep;
TQueBind<TPosition::VECIN, TPosition::VECOUT, 1> que; LocalTensor<uint64_t> w; SliceInfo slice[1];
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
    blocks = re.split(r"(?=In instantiation of|In function)", said)
    mine = [block for block in blocks if re.search(rf"refused\.cpp:{line}:", block)]
    assert any(f"error: static assertion failed: {message}\n" in block for block in mine), said[:3000]
