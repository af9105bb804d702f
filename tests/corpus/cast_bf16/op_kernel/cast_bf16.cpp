// y = x rounded to bfloat16, to the even one of two as near; half goes through float.
#include "kernel_operator.h"

using namespace AscendC;

template <typename T>
class CastBf16 {
public:
    __aicore__ inline CastBf16(TPipe& pipe, uint32_t tile) : tile_(tile) {
        pipe.InitBuffer(in_, 2, tile * sizeof(T));
        pipe.InitBuffer(out_, 2, tile * sizeof(bfloat16_t));
        if constexpr (IsSameType<T, half>::value) {
            pipe.InitBuffer(wide_, tile * sizeof(float));
        }
    }

    __aicore__ inline void Run(GM_ADDR x, GM_ADDR y, uint64_t begin, uint64_t end) {
        x_.SetGlobalBuffer((__gm__ T*)x);
        y_.SetGlobalBuffer((__gm__ bfloat16_t*)y);
        for (uint64_t at = begin; at < end; at += tile_) {
            const uint32_t count = end - at < tile_ ? static_cast<uint32_t>(end - at) : tile_;
            LocalTensor<T> x = in_.template AllocTensor<T>();
            DataCopyPad(x, x_[at], {1, static_cast<uint32_t>(count * sizeof(T)), 0, 0, 0}, {false, 0, 0, T()});
            in_.EnQue(x);
            Round(count);
            LocalTensor<bfloat16_t> y = out_.template DeQue<bfloat16_t>();
            DataCopyPad(y_[at], y, {1, static_cast<uint32_t>(count * sizeof(bfloat16_t)), 0, 0, 0});
            out_.FreeTensor(y);
        }
    }

private:
    __aicore__ inline void Round(uint32_t count) {
        LocalTensor<T> x = in_.template DeQue<T>();
        LocalTensor<bfloat16_t> y = out_.template AllocTensor<bfloat16_t>();
        if constexpr (IsSameType<T, half>::value) {
            LocalTensor<float> wide = wide_.template Get<float>();
            Cast(wide, x, RoundMode::CAST_NONE, count);
            Cast(y, wide, RoundMode::CAST_RINT, count);
        } else {
            Cast(y, x, RoundMode::CAST_RINT, count);
        }
        out_.EnQue(y);
        in_.FreeTensor(x);
    }

    TQue<TPosition::VECIN, 2> in_;
    TQue<TPosition::VECOUT, 2> out_;
    TBuf<> wide_;
    GlobalTensor<T> x_;
    GlobalTensor<bfloat16_t> y_;
    uint32_t tile_;
};

extern "C" __global__ __aicore__ void cast_bf16(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling) {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
    GET_TILING_DATA(tilingData, tiling);
    const uint64_t begin = GetBlockIdx() * tilingData.perCore;
    const uint64_t end = begin + tilingData.perCore < tilingData.total ? begin + tilingData.perCore : tilingData.total;
    TPipe pipe;
    CastBf16<DTYPE_X> op(pipe, tilingData.tile);
    op.Run(x, y, begin, end);
}
