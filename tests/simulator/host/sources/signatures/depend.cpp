#include "kernel_operator.h"
#include "tiling.h"

// y: what tiling saw, then the first value of each array as the kernel gets it.
extern "C" __global__ __aicore__ void depend(GM_ADDR x, GM_ADDR sizes, GM_ADDR scales, GM_ADDR flags, GM_ADDR y,
                                             GM_ADDR workspace, GM_ADDR tiling) {
    REGISTER_TILING_DEFAULT(DependTiling);
    GET_TILING_DATA(data, tiling);
    AscendC::GlobalTensor<float> out;
    out.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(y));
    for (uint32_t i = 0; i < 3; ++i) {
        out.SetValue(i, static_cast<float>(data.counts[i]));
        out.SetValue(3 + i, data.seen[i]);
    }
    AscendC::GlobalTensor<int64_t> size;
    size.SetGlobalBuffer(reinterpret_cast<__gm__ int64_t*>(sizes));
    out.SetValue(6, static_cast<float>(size.GetValue(0)));
    AscendC::GlobalTensor<float> scale;
    scale.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(scales));
    out.SetValue(7, scale.GetValue(0));
    AscendC::GlobalTensor<bool> flag;
    flag.SetGlobalBuffer(reinterpret_cast<__gm__ bool*>(flags));
    out.SetValue(8, flags == nullptr ? -1.0f : static_cast<float>(flag.GetValue(0)));
    AscendC::DataCacheCleanAndInvalid<float, AscendC::CacheLine::ENTIRE_DATA_CACHE>(out);
}
