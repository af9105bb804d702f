// A step of Adam without bias correction, in place:
//   m = beta1 m + (1 - beta1) grad, v = beta2 v + (1 - beta2) grad^2, var -= lr m / (sqrt(v) + eps)
// What is read is written where it was: the output's addresses are the inputs'.
#include "kernel_operator.h"
#include "adam_in_place_tiling.h"

using namespace AscendC;

class AdamInPlace {
public:
    __aicore__ inline AdamInPlace(TPipe* pipe, const AdamInPlaceTilingData& tiling) : tiling_(tiling) {
        pipe->InitBuffer(in_, 2, kTensors * tiling.tile * sizeof(float));
        pipe->InitBuffer(out_, 2, (kTensors - 1) * tiling.tile * sizeof(float));
    }

    __aicore__ inline void Init(GM_ADDR var, GM_ADDR m, GM_ADDR v, GM_ADDR grad) {
        GM_ADDR given[kTensors] = {var, m, v, grad};
        for (uint32_t i = 0; i < kTensors; ++i) {
            tensors_[i].SetGlobalBuffer(reinterpret_cast<__gm__ float*>(given[i]), tiling_.total);
        }
    }

    __aicore__ inline void Process() {
        const uint32_t tile = tiling_.tile;
        for (uint32_t at = GetBlockIdx() * tile; at < tiling_.total; at += GetBlockNum() * tile) {
            const uint32_t count = tiling_.total - at < tile ? tiling_.total - at : tile;
            const DataCopyExtParams copy{1, static_cast<uint32_t>(count * sizeof(float)), 0, 0, 0};
            LocalTensor<float> in = in_.AllocTensor<float>();
            for (uint32_t i = 0; i < kTensors; ++i) {
                DataCopyPad(in[i * tile], tensors_[i][at], copy, {false, 0, 0, 0.0f});
            }
            in_.EnQue(in);
            Compute(count);
            LocalTensor<float> out = out_.DeQue<float>();
            for (uint32_t i = 0; i < kTensors - 1; ++i) {
                DataCopyPad(tensors_[i][at], out[i * tile], copy);
            }
            out_.FreeTensor(out);
        }
    }

private:
    static constexpr uint32_t kTensors = 4;

    __aicore__ inline void Compute(uint32_t count) {
        const uint32_t tile = tiling_.tile;
        LocalTensor<float> in = in_.DeQue<float>();
        LocalTensor<float> out = out_.AllocTensor<float>();
        LocalTensor<float> grad = in[3 * tile], var = out, m = out[tile], v = out[2 * tile];
        Muls(m, in[tile], tiling_.beta1, count);
        Axpy(m, grad, 1.0f - tiling_.beta1, count);
        Muls(v, in[2 * tile], tiling_.beta2, count);
        Mul(grad, grad, grad, count);
        Axpy(v, grad, 1.0f - tiling_.beta2, count);
        Sqrt(grad, v, count);
        Adds(grad, grad, tiling_.eps, count);
        Div(grad, m, grad, count);
        Muls(grad, grad, tiling_.lr, count);
        Sub(var, in, grad, count);
        in_.FreeTensor(in);
        out_.EnQue(out);
    }

    const AdamInPlaceTilingData& tiling_;
    TQue<TPosition::VECIN, 1> in_;
    TQue<TPosition::VECOUT, 1> out_;
    GlobalTensor<float> tensors_[kTensors];
};

extern "C" __global__ __aicore__ void adam_in_place(GM_ADDR var, GM_ADDR m, GM_ADDR v, GM_ADDR grad, GM_ADDR varOut,
                                                    GM_ADDR mOut, GM_ADDR vOut, GM_ADDR workspace, GM_ADDR tiling) {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
    REGISTER_TILING_DEFAULT(AdamInPlaceTilingData);
    GET_TILING_DATA(data, tiling);
    TPipe pipe;
    AdamInPlace op(&pipe, data);
    op.Init(var, m, v, grad);
    op.Process();
}
