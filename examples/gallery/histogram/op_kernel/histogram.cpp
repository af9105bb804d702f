// How often each value from 0 to bins - 1 stands in x: counted by each core, summed by atomic transfers.
#include "kernel_operator.h"
#include "histogram_tiling.h"

using namespace AscendC;

constexpr uint32_t kTile = 256;

class Histogram {
public:
    __aicore__ inline Histogram(TPipe* pipe, uint32_t count, uint32_t bins) : count_(count), bins_(bins) {
        pipe->InitBuffer(in_, 1, kTile * sizeof(int32_t));
        pipe->InitBuffer(bins_buffer_, (bins + 7) / 8 * 32);
    }

    __aicore__ inline void Init(GM_ADDR x, GM_ADDR y) {
        x_.SetGlobalBuffer((__gm__ int32_t*)x);
        y_.SetGlobalBuffer((__gm__ int32_t*)y);
    }

    __aicore__ inline void Process() {
        const DataCopyExtParams copy{1, static_cast<uint32_t>(bins_ * sizeof(int32_t)), 0, 0, 0};
        LocalTensor<int32_t> bins = bins_buffer_.Get<int32_t>();
        Duplicate(bins, 0, bins_);
        if (GetBlockIdx() == 0) {
            SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
            WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
            DataCopyPad(y_, bins, copy);  // what is added to
            SetFlag<HardEvent::MTE3_S>(EVENT_ID0);
            WaitFlag<HardEvent::MTE3_S>(EVENT_ID0);
        }
        for (uint32_t begin = GetBlockIdx() * kTile; begin < count_; begin += GetBlockNum() * kTile) {
            Count(bins, begin, count_ - begin < kTile ? count_ - begin : kTile);
        }
        SyncAll();
        SetFlag<HardEvent::S_MTE3>(EVENT_ID0);
        WaitFlag<HardEvent::S_MTE3>(EVENT_ID0);
        SetAtomicAdd<int32_t>();
        DataCopyPad(y_, bins, copy);
        SetAtomicNone();
    }

private:
    __aicore__ inline void Count(LocalTensor<int32_t>& bins, uint32_t begin, uint32_t count) {
        LocalTensor<int32_t> x = in_.AllocTensor<int32_t>();
        DataCopyPad(x, x_[begin], {1, static_cast<uint32_t>(count * sizeof(int32_t)), 0, 0, 0}, {});
        in_.EnQue(x);
        x = in_.DeQue<int32_t>();
        for (uint32_t i = 0; i < count; ++i) {
            const int32_t value = x.GetValue(i);
            if (value >= 0 && value < static_cast<int32_t>(bins_)) {
                bins.SetValue(value, bins.GetValue(value) + 1);
            }
        }
        in_.FreeTensor(x);
    }

    TQue<TPosition::VECIN, 1> in_;
    TBuf<TPosition::VECCALC> bins_buffer_;
    GlobalTensor<int32_t> x_, y_;
    uint32_t count_, bins_;
};

extern "C" __global__ __aicore__ void histogram(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling) {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIV_1_0);
    REGISTER_TILING_DEFAULT(HistogramTilingData);
    GET_TILING_DATA(tilingData, tiling);
    TPipe pipe;
    Histogram op(&pipe, tilingData.count, tilingData.bins);
    op.Init(x, y);
    op.Process();
}
