// z = x * y with one TBuf for everything and a barrier after each step: the simplest kernel that is right.
#include "kernel_operator.h"

using namespace AscendC;

#if __NPU_ARCH__ == 2002
// These AI Cores have no DataCopyPad: DataCopy moves whole blocks of 32 bytes, the scalar unit the elements behind
// them.
constexpr uint32_t kBlock = 32 / sizeof(DTYPE_X);

__aicore__ inline void Fetch(const LocalTensor<DTYPE_X>& dst, GlobalTensor<DTYPE_X> src, uint32_t count) {
    const uint32_t whole = count / kBlock * kBlock;
    if (whole > 0) {
        DataCopy(dst, src, whole);
    }
    for (uint32_t i = whole; i < count; ++i) {
        dst.SetValue(i, src.GetValue(i));
    }
}

// A line of the data cache has two blocks: it is given back before the first of them is copied.
__aicore__ inline void Put(GlobalTensor<DTYPE_X> dst, const LocalTensor<DTYPE_X>& src, uint32_t count) {
    const uint32_t whole = count / kBlock * kBlock;
    if (whole < count) {
        for (uint32_t i = whole; i < count; ++i) {
            dst.SetValue(i, src.GetValue(i));
        }
        DataCacheCleanAndInvalid<DTYPE_X, CacheLine::SINGLE_CACHE_LINE>(dst[whole]);
        PipeBarrier<PIPE_ALL>();
    }
    if (whole > 0) {
        DataCopy(dst, src, whole);
    }
}
#else
__aicore__ inline void Fetch(const LocalTensor<DTYPE_X>& dst, GlobalTensor<DTYPE_X> src, uint32_t count) {
    const DataCopyExtParams copy{1, static_cast<uint32_t>(count * sizeof(DTYPE_X)), 0, 0, 0};
    DataCopyPad(dst, src, copy, DataCopyPadExtParams<DTYPE_X>{false, 0, 0, 0});
}

__aicore__ inline void Put(GlobalTensor<DTYPE_X> dst, const LocalTensor<DTYPE_X>& src, uint32_t count) {
    DataCopyPad(dst, src, DataCopyExtParams{1, static_cast<uint32_t>(count * sizeof(DTYPE_X)), 0, 0, 0});
}
#endif

extern "C" __global__ __aicore__ void mul_tbuf(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR workspace, GM_ADDR tiling) {
#if __NPU_ARCH__ == 2002
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AICORE);
#else
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
#endif
    GET_TILING_DATA(tilingData, tiling);
    const uint32_t tile = tilingData.tile;
    TPipe pipe;
    TBuf<TPosition::VECCALC> buffer;
    pipe.InitBuffer(buffer, 2 * tile * sizeof(DTYPE_X));
    LocalTensor<DTYPE_X> xLocal = buffer.Get<DTYPE_X>();
    LocalTensor<DTYPE_X> yLocal = buffer.Get<DTYPE_X>()[tile];
    GlobalTensor<DTYPE_X> xGlobal;
    GlobalTensor<DTYPE_X> yGlobal;
    GlobalTensor<DTYPE_X> zGlobal;
    xGlobal.SetGlobalBuffer(reinterpret_cast<__gm__ DTYPE_X*>(x));
    yGlobal.SetGlobalBuffer(reinterpret_cast<__gm__ DTYPE_X*>(y));
    zGlobal.SetGlobalBuffer(reinterpret_cast<__gm__ DTYPE_X*>(z));

    // Tiles are dealt to the cores in turn.
    for (uint32_t number = GetBlockIdx(); number * tile < tilingData.total; number += GetBlockNum()) {
        const uint32_t offset = number * tile;
        const uint32_t count = tilingData.total - offset < tile ? tilingData.total - offset : tile;
        Fetch(xLocal, xGlobal[offset], count);
        Fetch(yLocal, yGlobal[offset], count);
        PipeBarrier<PIPE_ALL>();
        Mul(xLocal, xLocal, yLocal, count);
        PipeBarrier<PIPE_ALL>();
        Put(zGlobal[offset], xLocal, count);
        PipeBarrier<PIPE_ALL>();
    }
}
