// `length` rows of x from one on that the host has read from a tensor: the kernel finds it in the tiling data, and
// leaves the tensor alone.
#include "kernel_operator.h"
#include "value_depend_slice_tiling.h"

using namespace AscendC;

template <typename T>
__aicore__ inline void Slice(GM_ADDR x, GM_ADDR y, const ValueDependSliceTilingData& data) {
    TPipe pipe;
    TQueBind<TPosition::VECIN, TPosition::VECOUT, 1> queue;
    pipe.InitBuffer(queue, 2, (data.width * sizeof(T) + 31) / 32 * 32);
    GlobalTensor<T> from, to;
    from.SetGlobalBuffer(reinterpret_cast<__gm__ T*>(x) + data.first * data.width);
    to.SetGlobalBuffer(reinterpret_cast<__gm__ T*>(y));
    const DataCopyExtParams copy{1, static_cast<uint32_t>(data.width * sizeof(T)), 0, 0, 0};
    for (uint64_t row = GetBlockIdx(); row < data.rows; row += GetBlockNum()) {
        LocalTensor<T> tensor = queue.AllocTensor<T>();
        DataCopyPad(tensor, from[row * data.width], copy, DataCopyPadExtParams<T>());
        queue.EnQue(tensor);
        tensor = queue.DeQue<T>();
        DataCopyPad(to[row * data.width], tensor, copy);
        queue.FreeTensor(tensor);
    }
}

extern "C" __global__ __aicore__ void value_depend_slice(GM_ADDR x, GM_ADDR offset, GM_ADDR y, GM_ADDR workspace,
                                                         GM_ADDR tiling) {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
    REGISTER_TILING_DEFAULT(ValueDependSliceTilingData);
    GET_TILING_DATA(data, tiling);
    Slice<DTYPE_X>(x, y, data);
}
