// z = silu(x) * y with the library's Silu, in two steps of a pipeline.
#include "kernel_operator.h"
#include "silu_mul_tiling.h"

using namespace AscendC;

class SiluMul {
public:
    using T = DTYPE_X;

    __aicore__ inline SiluMul(TPipe* pipe, const SiluMulTilingData& tiling) : total_(tiling.total), tile_(tiling.tile) {
        pipe->InitBuffer(in_, 2, 2 * tile_ * sizeof(T));
        pipe->InitBuffer(out_, 2, tile_ * sizeof(T));
    }

    __aicore__ inline void Init(GM_ADDR x, GM_ADDR y, GM_ADDR z) {
        x_.SetGlobalBuffer(reinterpret_cast<__gm__ T*>(x), total_);
        y_.SetGlobalBuffer(reinterpret_cast<__gm__ T*>(y), total_);
        z_.SetGlobalBuffer(reinterpret_cast<__gm__ T*>(z), total_);
    }

    __aicore__ inline void Process() {
        for (uint32_t tile = GetBlockIdx(); tile * tile_ < total_; tile += GetBlockNum()) {
            const uint32_t offset = tile * tile_;
            const uint32_t count = total_ - offset < tile_ ? total_ - offset : tile_;
            CopyIn(offset, count);
            Compute(count);
            CopyOut(offset, count);
        }
    }

private:
    // Both inputs share one buffer of the queue: x in its first half, y in its second.
    __aicore__ inline void CopyIn(uint32_t offset, uint32_t count) {
        LocalTensor<T> pair = in_.AllocTensor<T>();
        const DataCopyExtParams copy{1, static_cast<uint32_t>(count * sizeof(T)), 0, 0, 0};
        const DataCopyPadExtParams<T> noPadding{false, 0, 0, 0};
        DataCopyPad(pair, x_[offset], copy, noPadding);
        DataCopyPad(pair[tile_], y_[offset], copy, noPadding);
        in_.EnQue(pair);
    }

    __aicore__ inline void Compute(uint32_t count) {
        LocalTensor<T> pair = in_.DeQue<T>();
        LocalTensor<T> z = out_.AllocTensor<T>();
        Silu(z, pair, count);
        Mul(z, z, pair[tile_], count);
        out_.EnQue(z);
        in_.FreeTensor(pair);
    }

    __aicore__ inline void CopyOut(uint32_t offset, uint32_t count) {
        LocalTensor<T> z = out_.DeQue<T>();
        DataCopyPad(z_[offset], z, {1, static_cast<uint32_t>(count * sizeof(T)), 0, 0, 0});
        out_.FreeTensor(z);
    }

    TQue<TPosition::VECIN, 2> in_;
    TQue<TPosition::VECOUT, 2> out_;
    GlobalTensor<T> x_, y_, z_;
    uint32_t total_, tile_;
};

extern "C" __global__ __aicore__ void silu_mul(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR workspace, GM_ADDR tiling) {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
    REGISTER_TILING_DEFAULT(SiluMulTilingData);
    GET_TILING_DATA(tilingData, tiling);
    TPipe pipe;
    SiluMul op(&pipe, tilingData);
    op.Init(x, y, z);
    op.Process();
}
