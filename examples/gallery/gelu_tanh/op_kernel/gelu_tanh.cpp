// y = x / (1 + exp(-2 sqrt(2 / pi) (x + 0.044715 x^3))): gelu by tanh, computed in float.
#include "kernel_operator.h"

using namespace AscendC;

constexpr float kCubic = 0.044715f;
constexpr float kOutside = -1.5957691216057308f;  // -2 sqrt(2 / pi)

template <typename T>
class GeluTanh {
public:
    __aicore__ inline GeluTanh(TPipe* pipe, uint32_t tile) : tile_(tile) {
        pipe->InitBuffer(in_, 2, tile * sizeof(T));
        pipe->InitBuffer(out_, 2, tile * sizeof(T));
        pipe->InitBuffer(wide_, tile * sizeof(float));
        pipe->InitBuffer(term_, tile * sizeof(float));
    }

    __aicore__ inline void Process(GM_ADDR from, GM_ADDR to, uint32_t total) {
        GlobalTensor<T> source, result;
        source.SetGlobalBuffer(reinterpret_cast<__gm__ T*>(from), total);
        result.SetGlobalBuffer(reinterpret_cast<__gm__ T*>(to), total);
        for (uint32_t offset = GetBlockIdx() * tile_; offset < total; offset += GetBlockNum() * tile_) {
            const uint32_t count = total - offset < tile_ ? total - offset : tile_;
            const DataCopyExtParams copy{1, static_cast<uint32_t>(count * sizeof(T)), 0, 0, 0};
            LocalTensor<T> x = in_.template AllocTensor<T>();
            DataCopyPad(x, source[offset], copy, DataCopyPadExtParams<T>{false, 0, 0, 0});
            in_.EnQue(x);
            x = in_.template DeQue<T>();
            LocalTensor<T> y = out_.template AllocTensor<T>();
            if constexpr (IsSameType<T, float>::value) {
                Gelu(y, x, count);
            } else {
                LocalTensor<float> wide = wide_.template Get<float>();
                Cast(wide, x, RoundMode::CAST_NONE, count);
                Gelu(wide, wide, count);
                Cast(y, wide, RoundMode::CAST_RINT, count);
            }
            in_.FreeTensor(x);
            out_.EnQue(y);
            y = out_.template DeQue<T>();
            DataCopyPad(result[offset], y, copy);
            out_.FreeTensor(y);
        }
    }

private:
    __aicore__ inline void Gelu(const LocalTensor<float>& y, const LocalTensor<float>& x, uint32_t count) {
        LocalTensor<float> term = term_.Get<float>();
        Mul(term, x, x, count);
        Muls(term, term, kCubic, count);
        Adds(term, term, 1.0f, count);
        Mul(term, term, x, count);
        Muls(term, term, kOutside, count);
        Exp(term, term, count);
        Adds(term, term, 1.0f, count);
        Div(y, x, term, count);
    }

    TQue<TPosition::VECIN, 2> in_;
    TQue<TPosition::VECOUT, 2> out_;
    TBuf<TPosition::VECCALC> wide_, term_;
    uint32_t tile_;
};

extern "C" __global__ __aicore__ void gelu_tanh(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling) {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
    GET_TILING_DATA(tilingData, tiling);
    TPipe pipe;
    GeluTanh<DTYPE_X> op(&pipe, tilingData.tile);
    op.Process(x, y, tilingData.total);
}
