// y = scale x + shift. The tiling key says in which data type: float as it is, the smaller ones by way of float.
#include "kernel_operator.h"

using namespace AscendC;

template <typename T, bool cast>
class ScaleShift {
public:
    __aicore__ inline ScaleShift(TPipe* pipe, uint32_t tile, float scale, float shift)
        : tile_(tile), scale_(scale), shift_(shift) {
        pipe->InitBuffer(in_, 2, tile * sizeof(T));
        pipe->InitBuffer(out_, 2, tile * sizeof(T));
        if constexpr (cast) {
            pipe->InitBuffer(room_, tile * sizeof(float));
        }
    }

    __aicore__ inline void Process(GM_ADDR x, GM_ADDR y, uint32_t total) {
        GlobalTensor<T> from, to;
        from.SetGlobalBuffer(reinterpret_cast<__gm__ T*>(x), total);
        to.SetGlobalBuffer(reinterpret_cast<__gm__ T*>(y), total);
        for (uint32_t at = GetBlockIdx() * tile_; at < total; at += GetBlockNum() * tile_) {
            const uint32_t count = total - at < tile_ ? total - at : tile_;
            const DataCopyExtParams copy{1, static_cast<uint32_t>(count * sizeof(T)), 0, 0, 0};
            LocalTensor<T> tensor = in_.template AllocTensor<T>();
            DataCopyPad(tensor, from[at], copy, DataCopyPadExtParams<T>());
            in_.EnQue(tensor);
            Compute(count);
            tensor = out_.template DeQue<T>();
            DataCopyPad(to[at], tensor, copy);
            out_.FreeTensor(tensor);
        }
    }

private:
    __aicore__ inline void Compute(uint32_t count) {
        LocalTensor<T> x = in_.template DeQue<T>();
        LocalTensor<T> y = out_.template AllocTensor<T>();
        if constexpr (cast) {
            LocalTensor<float> wide = room_.template Get<float>();
            Cast(wide, x, RoundMode::CAST_NONE, count);
            Muls(wide, wide, scale_, count);
            Adds(wide, wide, shift_, count);
            Cast(y, wide, RoundMode::CAST_RINT, count);
        } else {
            Muls(y, x, scale_, count);
            Adds(y, y, shift_, count);
        }
        in_.FreeTensor(x);
        out_.EnQue(y);
    }

    uint32_t tile_;
    float scale_, shift_;
    TQue<TPosition::VECIN, 1> in_;
    TQue<TPosition::VECOUT, 1> out_;
    TBuf<TPosition::VECCALC> room_;
};

extern "C" __global__ __aicore__ void scale_shift_keys(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling) {
    GET_TILING_DATA(data, tiling);
    TPipe pipe;
    if (TILING_KEY_IS(1)) {
        KERNEL_TASK_TYPE(1, KERNEL_TYPE_AIV_ONLY);
        ScaleShift<float, false>(&pipe, data.tile, data.scale, data.shift).Process(x, y, data.total);
    } else if (TILING_KEY_IS(2)) {
        KERNEL_TASK_TYPE(2, KERNEL_TYPE_AIV_ONLY);
        if constexpr (sizeof(DTYPE_X) == 2) {
            ScaleShift<DTYPE_X, true>(&pipe, data.tile, data.scale, data.shift).Process(x, y, data.total);
        }
    }
}
