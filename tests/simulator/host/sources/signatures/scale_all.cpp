#include "kernel_operator.h"
#include "kernel_operator_list_tensor_intf.h"
#include "tiling.h"

extern "C" __global__ __aicore__ void scale_all(GM_ADDR x, GM_ADDR factors, GM_ADDR by, GM_ADDR x_ref,
                                                GM_ADDR workspace, GM_ADDR tiling) {
    REGISTER_TILING_DEFAULT(ListTiling);
    GET_TILING_DATA(data, tiling);
    AscendC::ListTensorDesc from(reinterpret_cast<__gm__ void*>(x));
    AscendC::ListTensorDesc into(reinterpret_cast<__gm__ void*>(x_ref));
    AscendC::GlobalTensor<float> factor;
    factor.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(factors), data.count);
    AscendC::GlobalTensor<float> more;
    more.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(by), 1);
    uint64_t dims[8];
    AscendC::TensorDesc<float> desc;
    desc.SetShapeAddr(dims);
    AscendC::GlobalTensor<float> tensor;
    for (uint32_t i = 0; i < data.count; ++i) {
        into.GetDesc(desc, i);
        ascendc_assert(desc.GetDataPtr() == from.GetDataPtr<float>(i));
        tensor.SetGlobalBuffer(desc.GetDataPtr());
        const float scale = factor.GetValue(i) + (by == nullptr ? 0.0f : more.GetValue(0));
        for (uint64_t k = 0; k < desc.GetShape(0); ++k) {
            tensor.SetValue(k, tensor.GetValue(k) * scale);
        }
    }
    AscendC::DataCacheCleanAndInvalid<float, AscendC::CacheLine::ENTIRE_DATA_CACHE>(tensor);
}
