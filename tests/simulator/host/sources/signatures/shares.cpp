#include "kernel_operator.h"
#include "kernel_operator_list_tensor_intf.h"
#include "tiling.h"

extern "C" __global__ __aicore__ void shares(GM_ADDR x, GM_ADDR parts, GM_ADDR workspace, GM_ADDR tiling) {
    REGISTER_TILING_DEFAULT(ListTiling);
    GET_TILING_DATA(data, tiling);
    AscendC::ListTensorDesc list;
    list.Init(reinterpret_cast<__gm__ void*>(parts));
    AscendC::GlobalTensor<float> whole;
    whole.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(x));
    const uint64_t share = data.elements / data.count;
    AscendC::GlobalTensor<float> part;
    for (uint64_t k = 0; k < share * data.count; ++k) {
        part.SetGlobalBuffer(list.GetDataPtr<float>(static_cast<uint32_t>(k / share)));
        part.SetValue(k % share, whole.GetValue(k));
    }
    AscendC::DataCacheCleanAndInvalid<float, AscendC::CacheLine::ENTIRE_DATA_CACHE>(part);
}
