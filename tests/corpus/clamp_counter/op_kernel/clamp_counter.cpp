// y = min(max(x, low), high): the mask counts elements, so a tile of any length is one instruction.
#include "kernel_operator.h"
#include "clamp_counter_tiling.h"

using namespace AscendC;

template <typename T>
class ClampCounter {
public:
    __aicore__ inline void Init(TPipe* pipe, GM_ADDR x, GM_ADDR y, const ClampCounterTilingData* tiling) {
        tiling_ = tiling;
        x_.SetGlobalBuffer(reinterpret_cast<__gm__ T*>(x), tiling->total);
        y_.SetGlobalBuffer(reinterpret_cast<__gm__ T*>(y), tiling->total);
        pipe->InitBuffer(in_, 2, tiling->tile * sizeof(T));
        pipe->InitBuffer(out_, 2, tiling->tile * sizeof(T));
    }

    __aicore__ inline void Process() {
        // Offsets are those of the whole tensor: tiles are dealt to the cores in turn.
        const uint32_t step = GetBlockNum() * tiling_->tile;
        for (uint32_t offset = GetBlockIdx() * tiling_->tile; offset < tiling_->total; offset += step) {
            const uint32_t left = tiling_->total - offset;
            const uint32_t count = left < tiling_->tile ? left : tiling_->tile;
            const DataCopyExtParams copy{1, static_cast<uint32_t>(count * sizeof(T)), 0, 0, 0};
            LocalTensor<T> x = in_.AllocTensor<T>();
            DataCopyPad(x, x_[offset], copy, DataCopyPadExtParams<T>{false, 0, 0, 0});
            in_.EnQue(x);
            Compute(count);
            LocalTensor<T> y = out_.DeQue<T>();
            DataCopyPad(y_[offset], y, copy);
            out_.FreeTensor(y);
        }
    }

private:
    __aicore__ inline void Compute(uint32_t count) {
        LocalTensor<T> x = in_.DeQue<T>();
        LocalTensor<T> y = out_.AllocTensor<T>();
        SetMaskCount();
        SetVectorMask<T, MaskMode::COUNTER>(static_cast<int32_t>(count));
        // The mask is set already and decides how many repeats there are.
        Maxs<T, false>(y, x, static_cast<T>(tiling_->low), MASK_PLACEHOLDER, 1, {1, 1, 8, 8});
        PipeBarrier<PIPE_V>();
        Mins<T, false>(y, y, static_cast<T>(tiling_->high), MASK_PLACEHOLDER, 1, {1, 1, 8, 8});
        SetMaskNorm();
        ResetMask();
        in_.FreeTensor(x);
        out_.EnQue(y);
    }

    const ClampCounterTilingData* tiling_;
    TQue<TPosition::VECIN, 2> in_;
    TQue<TPosition::VECOUT, 2> out_;
    GlobalTensor<T> x_;
    GlobalTensor<T> y_;
};

extern "C" __global__ __aicore__ void clamp_counter(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling) {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
    REGISTER_TILING_DEFAULT(ClampCounterTilingData);
    GET_TILING_DATA(tilingData, tiling);
    TPipe pipe;
    ClampCounter<DTYPE_X> op;
    op.Init(&pipe, x, y, &tilingData);
    op.Process();
}
