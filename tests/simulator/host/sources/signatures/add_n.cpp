#include "kernel_operator.h"
#include "kernel_operator_list_tensor_intf.h"
#include "tiling.h"

// Element by element: what is tested is the list.
extern "C" __global__ __aicore__ void add_n(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling) {
    REGISTER_TILING_DEFAULT(ListTiling);
    GET_TILING_DATA(data, tiling);
    AscendC::ListTensorDesc list(reinterpret_cast<__gm__ void*>(x));
    AscendC::GlobalTensor<DTYPE_Y> sum;
    sum.SetGlobalBuffer(reinterpret_cast<__gm__ DTYPE_Y*>(y));
    uint64_t dims[8];
    AscendC::TensorDesc<DTYPE_X> desc;
    desc.SetShapeAddr(dims);
    for (uint32_t i = 0; i < data.count; ++i) {
        list.GetDesc(desc, i);
        AscendC::GlobalTensor<DTYPE_X> tensor;
        tensor.SetGlobalBuffer(list.GetDataPtr<DTYPE_X>(i));
        ascendc_assert(desc.GetDataPtr() == list.GetDataPtr<DTYPE_X>(i) && desc.GetIndex() == i);
        uint64_t count = 1;
        for (uint32_t dim = 0; dim < desc.GetDim(); ++dim) {
            count *= desc.GetShape(dim);
        }
        ascendc_assert(desc.GetDataObj().GetSize() == count * sizeof(DTYPE_X));
        for (uint64_t k = 0; k < count; ++k) {
            const float before = i == 0 ? 0.0f : static_cast<float>(sum.GetValue(k));
            sum.SetValue(k, static_cast<DTYPE_Y>(before + static_cast<float>(tensor.GetValue(k))));
        }
    }
    AscendC::DataCacheCleanAndInvalid<DTYPE_Y, AscendC::CacheLine::ENTIRE_DATA_CACHE>(sum);
}
