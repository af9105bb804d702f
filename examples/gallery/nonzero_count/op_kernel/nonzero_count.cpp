// How many elements of x are not 0, counted by the scalar units without any transfer: what a core writes lies in its
// data cache until it is written back, a whole line of 64 bytes at once, so each core has a line of the workspace for
// itself.
#include "kernel_operator.h"
#include "nonzero_count_tiling.h"

using namespace AscendC;

constexpr uint32_t kLine = 64 / sizeof(int32_t);

template <typename T>
__aicore__ inline int32_t CountOwn(GM_ADDR x, const NonzeroCountTilingData& tiling) {
    GlobalTensor<T> values;
    values.SetGlobalBuffer(reinterpret_cast<__gm__ T*>(x), tiling.total);
    const uint32_t begin = GetBlockIdx() * tiling.perBlock;
    int32_t count = 0;
    for (uint32_t i = begin; i < begin + tiling.perBlock && i < tiling.total; ++i) {
        count += values.GetValue(i) != static_cast<T>(0) ? 1 : 0;
    }
    return count;
}

extern "C" __global__ __aicore__ void nonzero_count(GM_ADDR x, GM_ADDR count, GM_ADDR workspace, GM_ADDR tiling) {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIV_1_0);
    REGISTER_TILING_DEFAULT(NonzeroCountTilingData);
    GET_TILING_DATA(data, tiling);
    GlobalTensor<int32_t> counts, result;
    counts.SetGlobalBuffer(reinterpret_cast<__gm__ int32_t*>(GetUserWorkspace(workspace)), GetBlockNum() * kLine);
    result.SetGlobalBuffer(reinterpret_cast<__gm__ int32_t*>(count), 1);

    const uint32_t own = GetBlockIdx() * kLine;
    counts.SetValue(own, CountOwn<DTYPE_X>(x, data));
    DataCacheCleanAndInvalid<int32_t, CacheLine::SINGLE_CACHE_LINE, DcciDst::CACHELINE_OUT>(counts[own]);
    SyncAll();
    if (GetBlockIdx() == 0) {
        int32_t sum = 0;
        for (uint32_t block = 0; block < GetBlockNum(); ++block) {
            sum += counts.GetValue(block * kLine);
        }
        result.SetValue(0, sum);
        DataCacheCleanAndInvalid<int32_t, CacheLine::SINGLE_CACHE_LINE, DcciDst::CACHELINE_OUT>(result);
    }
}
