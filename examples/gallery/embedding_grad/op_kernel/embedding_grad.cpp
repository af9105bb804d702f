// y[index[i]] += grad[i] for all rows i of grad, but those whose index is the padding's. Rows go from global memory to
// global memory through the unified buffer, never to the vector unit; two buffers take turns.
#include "kernel_operator.h"
#include "embedding_grad_tiling.h"

using namespace AscendC;

constexpr uint32_t kChunk = 64;  // indices that are read at once

class EmbeddingGrad {
public:
    __aicore__ inline EmbeddingGrad(TPipe* pipe, const EmbeddingGradTilingData& tiling)
        : tiling_(tiling), stride_((tiling.width + 7) / 8 * 8) {
        pipe->InitBuffer(rows_, 2 * stride_ * sizeof(float));
        pipe->InitBuffer(indices_, kChunk * sizeof(int32_t));
    }

    __aicore__ inline void Init(GM_ADDR grad, GM_ADDR index, GM_ADDR y) {
        grad_.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(grad));
        index_.SetGlobalBuffer(reinterpret_cast<__gm__ int32_t*>(index), tiling_.rows);
        y_.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(y));
    }

    __aicore__ inline void Process() {
        SetFlag<HardEvent::MTE3_MTE2>(EVENT_ID0);  // both buffers are free
        SetFlag<HardEvent::MTE3_MTE2>(EVENT_ID1);
        SetAtomicAdd<float>();
        for (uint32_t first = GetBlockIdx() * kChunk; first < tiling_.rows; first += GetBlockNum() * kChunk) {
            AddRows(first, tiling_.rows - first < kChunk ? tiling_.rows - first : kChunk);
        }
        SetAtomicNone();
        WaitFlag<HardEvent::MTE3_MTE2>(EVENT_ID0);
        WaitFlag<HardEvent::MTE3_MTE2>(EVENT_ID1);
    }

private:
    __aicore__ inline void AddRows(uint32_t first, uint32_t count) {
        LocalTensor<int32_t> indices = indices_.Get<int32_t>();
        DataCopyPad(indices, index_[first], {1, static_cast<uint32_t>(count * sizeof(int32_t)), 0, 0, 0},
                    {false, 0, 0, 0});
        SetFlag<HardEvent::MTE2_S>(EVENT_ID0);
        WaitFlag<HardEvent::MTE2_S>(EVENT_ID0);
        for (uint32_t i = 0; i < count; ++i) {
            const int32_t row = indices.GetValue(i);
            if (row != tiling_.padding && row >= 0 && row < tiling_.weights) {
                AddRow(first + i, row);
            }
        }
        SetFlag<HardEvent::S_MTE2>(EVENT_ID0);  // the next indices go to the same place
        WaitFlag<HardEvent::S_MTE2>(EVENT_ID0);
    }

    __aicore__ inline void AddRow(uint32_t from, int32_t to) {
        const event_t event = turn_ == 0 ? EVENT_ID0 : EVENT_ID1;
        LocalTensor<float> row = rows_.Get<float>()[turn_ * stride_];
        const DataCopyExtParams copy{1, static_cast<uint32_t>(tiling_.width * sizeof(float)), 0, 0, 0};
        WaitFlag<HardEvent::MTE3_MTE2>(event);
        DataCopyPad(row, grad_[static_cast<uint64_t>(from) * tiling_.width], copy, {false, 0, 0, 0.0f});
        SetFlag<HardEvent::MTE2_MTE3>(event);
        WaitFlag<HardEvent::MTE2_MTE3>(event);
        DataCopyPad(y_[static_cast<uint64_t>(to) * tiling_.width], row, copy);
        SetFlag<HardEvent::MTE3_MTE2>(event);
        turn_ = 1 - turn_;
    }

    const EmbeddingGradTilingData& tiling_;
    uint32_t stride_, turn_ = 0;
    TBuf<TPosition::VECCALC> rows_, indices_;
    GlobalTensor<float> grad_, y_;
    GlobalTensor<int32_t> index_;
};

extern "C" __global__ __aicore__ void embedding_grad(GM_ADDR grad, GM_ADDR index, GM_ADDR y, GM_ADDR workspace,
                                                     GM_ADDR tiling) {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
    REGISTER_TILING_DEFAULT(EmbeddingGradTilingData);
    GET_TILING_DATA(data, tiling);
    TPipe pipe;
    EmbeddingGrad op(&pipe, data);
    op.Init(grad, index, y);
    op.Process();
}
