// Token rows in the order of their experts: each row once, two at a time on their way.
#include "kernel_operator.h"
#include "moe_token_permute_tiling.h"

using namespace AscendC;

class MoeTokenPermute {
public:
    __aicore__ inline MoeTokenPermute(TPipe* pipe, uint32_t rows, uint32_t n) : rows_(rows), n_(n) {
        pipe->InitBuffer(buffer_, 2 * Step() * sizeof(half));
    }

    __aicore__ inline void Init(GM_ADDR x, GM_ADDR order, GM_ADDR y) {
        x_.SetGlobalBuffer((__gm__ half*)x);
        order_.SetGlobalBuffer((__gm__ int32_t*)order);
        y_.SetGlobalBuffer((__gm__ half*)y);
    }

    __aicore__ inline void Process() {
        const DataCopyExtParams copy{1, static_cast<uint32_t>(n_ * sizeof(half)), 0, 0, 0};
        SetFlag<HardEvent::MTE3_MTE2>(EVENT_ID0);
        SetFlag<HardEvent::MTE3_MTE2>(EVENT_ID1);
        uint32_t set = 0;
        for (uint32_t row = GetBlockIdx(); row < rows_; row += GetBlockNum()) {
            const event_t event = set == 0 ? EVENT_ID0 : EVENT_ID1;
            LocalTensor<half> token = buffer_.Get<half>()[set * Step()];
            const uint64_t from = order_.GetValue(row);
            WaitFlag<HardEvent::MTE3_MTE2>(event);
            DataCopyPad(token, x_[from * n_], copy, {false, 0, 0, half(0)});
            SetFlag<HardEvent::MTE2_MTE3>(event);
            WaitFlag<HardEvent::MTE2_MTE3>(event);
            DataCopyPad(y_[static_cast<uint64_t>(row) * n_], token, copy);
            SetFlag<HardEvent::MTE3_MTE2>(event);
            set = 1 - set;
        }
        WaitFlag<HardEvent::MTE3_MTE2>(EVENT_ID0);
        WaitFlag<HardEvent::MTE3_MTE2>(EVENT_ID1);
    }

private:
    // Tokens start at blocks of 32 bytes.
    __aicore__ inline uint32_t Step() const { return (n_ + 15) / 16 * 16; }

    TBuf<TPosition::VECCALC> buffer_;
    GlobalTensor<half> x_, y_;
    GlobalTensor<int32_t> order_;
    uint32_t rows_, n_;
};

extern "C" __global__ __aicore__ void moe_token_permute(GM_ADDR x, GM_ADDR order, GM_ADDR y, GM_ADDR workspace,
                                                        GM_ADDR tiling) {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
    REGISTER_TILING_DEFAULT(MoeTokenPermuteTilingData);
    GET_TILING_DATA(tilingData, tiling);
    TPipe pipe;
    MoeTokenPermute op(&pipe, tilingData.rows, tilingData.n);
    op.Init(x, order, y);
    op.Process();
}
