// y = max(x, 0). The definition has data types for each SoC; the tile is as large as the SoC's unified buffer allows.
#include "kernel_operator.h"
#include "per_soc_config_tiling.h"

using namespace AscendC;

template <typename T>
__aicore__ inline void Clip(const LocalTensor<T>& y, const LocalTensor<T>& x, uint32_t count) {
    if constexpr (std::is_same<T, bfloat16_t>::value) {
        // no bfloat16 is below 0 that is not below 0 as an integer too
        Maxs(y.template ReinterpretCast<int16_t>(), x.template ReinterpretCast<int16_t>(), static_cast<int16_t>(0),
             count);
    } else {
        Relu(y, x, count);
    }
}

template <typename T>
__aicore__ inline void Process(GM_ADDR x, GM_ADDR y, const PerSocConfigTilingData& data) {
    TPipe pipe;
    TQue<TPosition::VECIN, 1> in;
    TQue<TPosition::VECOUT, 1> out;
    pipe.InitBuffer(in, 2, data.tile * sizeof(T));
    pipe.InitBuffer(out, 2, data.tile * sizeof(T));
    GlobalTensor<T> from, to;
    from.SetGlobalBuffer(reinterpret_cast<__gm__ T*>(x), data.total);
    to.SetGlobalBuffer(reinterpret_cast<__gm__ T*>(y), data.total);
    for (uint32_t at = GetBlockIdx() * data.tile; at < data.total; at += GetBlockNum() * data.tile) {
        const uint32_t count = data.total - at < data.tile ? data.total - at : data.tile;
        const DataCopyExtParams copy{1, static_cast<uint32_t>(count * sizeof(T)), 0, 0, 0};
        LocalTensor<T> tensor = in.AllocTensor<T>();
        DataCopyPad(tensor, from[at], copy, DataCopyPadExtParams<T>());
        in.EnQue(tensor);
        tensor = in.DeQue<T>();
        LocalTensor<T> clipped = out.AllocTensor<T>();
        Clip(clipped, tensor, count);
        in.FreeTensor(tensor);
        out.EnQue(clipped);
        clipped = out.DeQue<T>();
        DataCopyPad(to[at], clipped, copy);
        out.FreeTensor(clipped);
    }
}

extern "C" __global__ __aicore__ void per_soc_config(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling) {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
    REGISTER_TILING_DEFAULT(PerSocConfigTilingData);
    GET_TILING_DATA(data, tiling);
    Process<DTYPE_X>(x, y, data);
}
