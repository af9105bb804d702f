// Each row of x with `pad` elements of one value behind it. The transfer itself pads a row to whole blocks of 32 bytes
// with the value; what is behind them the vector unit has filled before.
#include "kernel_operator.h"

using namespace AscendC;

template <typename T>
class PadRows {
public:
    __aicore__ inline PadRows(TPipe* pipe, uint32_t rows, uint32_t from, uint32_t to, T value)
        : rows_(rows), from_(from), to_(to), value_(value) {
        pipe->InitBuffer(row_, 2, (to + kBlock - 1) / kBlock * 32);
    }

    __aicore__ inline void Init(GM_ADDR x, GM_ADDR y) {
        x_.SetGlobalBuffer(reinterpret_cast<__gm__ T*>(x));
        y_.SetGlobalBuffer(reinterpret_cast<__gm__ T*>(y));
    }

    __aicore__ inline void Process() {
        for (uint32_t row = GetBlockIdx(); row < rows_; row += GetBlockNum()) {
            LocalTensor<T> tensor = row_.template AllocTensor<T>();
            const uint32_t loaded = (from_ + kBlock - 1) / kBlock * kBlock;
            const uint8_t padding = static_cast<uint8_t>(loaded - from_);  // elements up to the next block
            if (from_ != 0) {
                DataCopyPad(tensor, x_[static_cast<uint64_t>(row) * from_],
                            {1, static_cast<uint32_t>(from_ * sizeof(T)), 0, 0, 0},
                            {padding != 0, 0, padding, value_});
            }
            if (loaded < to_) {
                // buffers of a queue are free for the vector unit as well as for the next transfer
                Duplicate(tensor[loaded], value_, to_ - loaded);
                SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
                WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
            }
            row_.EnQue(tensor);
            tensor = row_.template DeQue<T>();
            DataCopyPad(y_[static_cast<uint64_t>(row) * to_], tensor,
                        {1, static_cast<uint32_t>(to_ * sizeof(T)), 0, 0, 0});
            SetFlag<HardEvent::MTE3_V>(EVENT_ID0);
            row_.FreeTensor(tensor);
            WaitFlag<HardEvent::MTE3_V>(EVENT_ID0);
        }
    }

private:
    static constexpr uint32_t kBlock = 32 / sizeof(T);

    TQueBind<TPosition::VECIN, TPosition::VECOUT, 1> row_;
    GlobalTensor<T> x_, y_;
    uint32_t rows_, from_, to_;
    T value_;
};

extern "C" __global__ __aicore__ void pad_rows(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling) {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
    GET_TILING_DATA(data, tiling);
    TPipe pipe;
    PadRows<DTYPE_X> op(&pipe, data.rows, data.from, data.to, static_cast<DTYPE_X>(data.value));
    op.Init(x, y);
    op.Process();
}
