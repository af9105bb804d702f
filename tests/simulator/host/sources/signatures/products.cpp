#include "kernel_operator.h"
#include "tiling.h"

extern "C" __global__ __aicore__ void products(GM_ADDR x, GM_ADDR index, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling) {
    REGISTER_TILING_DEFAULT(ListTiling);
    GET_TILING_DATA(data, tiling);
    AscendC::GlobalTensor<DTYPE_X> from;
    from.SetGlobalBuffer(reinterpret_cast<__gm__ DTYPE_X*>(x));
    AscendC::GlobalTensor<DTYPE_INDEX> at;
    at.SetGlobalBuffer(reinterpret_cast<__gm__ DTYPE_INDEX*>(index));
    AscendC::GlobalTensor<DTYPE_Y> to;
    to.SetGlobalBuffer(reinterpret_cast<__gm__ DTYPE_Y*>(y));
    to.SetValue(0, from.GetValue(static_cast<uint64_t>(at.GetValue(0))));
    AscendC::DataCacheCleanAndInvalid<DTYPE_Y, AscendC::CacheLine::ENTIRE_DATA_CACHE>(to);
}
