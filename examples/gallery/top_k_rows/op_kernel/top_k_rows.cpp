// The k largest of each row and where they stood: rows of up to 2048, sorted whole.
#include "kernel_operator.h"
#include "top_k_rows_tiling.h"

using namespace AscendC;

class TopKRows {
public:
    __aicore__ inline TopKRows(TPipe* pipe, uint32_t rows, uint32_t n, uint32_t k)
        : rows_(rows), n_(n), k_(k), groups_((n + 31) / 32) {
        const uint32_t padded = groups_ * 32;
        pipe->InitBuffer(in_, 1, padded * sizeof(float));
        pipe->InitBuffer(values_, 1, padded * sizeof(float));
        pipe->InitBuffer(indices_, 1, padded * sizeof(int32_t));
        pipe->InitBuffer(order_, padded * sizeof(int32_t));
        pipe->InitBuffer(sorted_, 8 * padded);
        pipe->InitBuffer(merged_, 8 * padded);
    }

    __aicore__ inline void Init(GM_ADDR x, GM_ADDR values, GM_ADDR indices) {
        x_.SetGlobalBuffer((__gm__ float*)x);
        outValues_.SetGlobalBuffer((__gm__ float*)values);
        outIndices_.SetGlobalBuffer((__gm__ int32_t*)indices);
    }

    __aicore__ inline void Process() {
        ArithProgression(order_.Get<int32_t>(), 0, 1, static_cast<int32_t>(groups_ * 32));
        for (uint32_t row = GetBlockIdx(); row < rows_; row += GetBlockNum()) {
            CopyIn(row);
            Compute();
            CopyOut(row);
        }
    }

private:
    __aicore__ inline void CopyIn(uint32_t row) {
        LocalTensor<float> x = in_.AllocTensor<float>();
        // The last group of 32 is sorted too: what the row does not fill must come last.
        Duplicate(x, -__builtin_inff(), groups_ * 32);
        const TEventID filled = GetTPipePtr()->FetchEventID(HardEvent::V_MTE2);
        SetFlag<HardEvent::V_MTE2>(filled);
        WaitFlag<HardEvent::V_MTE2>(filled);
        const uint8_t missing = static_cast<uint8_t>((8 - n_ % 8) % 8);
        DataCopyPad(x, x_[static_cast<uint64_t>(row) * n_], {1, static_cast<uint32_t>(n_ * sizeof(float)), 0, 0, 0},
                    {true, 0, missing, -__builtin_inff()});
        in_.EnQue(x);
    }

    __aicore__ inline void Compute() {
        LocalTensor<float> x = in_.DeQue<float>();
        LocalTensor<float> sorted = sorted_.Get<float>();
        LocalTensor<float> tmp = merged_.Get<float>();
        LocalTensor<float> concat;
        Concat(concat, x, tmp, groups_ * 2);
        Sort<float, true>(sorted, concat, order_.Get<uint32_t>(), tmp, groups_);
        LocalTensor<float> values = values_.AllocTensor<float>();
        LocalTensor<int32_t> indices = indices_.AllocTensor<int32_t>();
        Extract(values, indices.ReinterpretCast<uint32_t>(), sorted, groups_);
        values_.EnQue(values);
        indices_.EnQue(indices);
        in_.FreeTensor(x);
    }

    __aicore__ inline void CopyOut(uint32_t row) {
        LocalTensor<float> values = values_.DeQue<float>();
        LocalTensor<int32_t> indices = indices_.DeQue<int32_t>();
        const DataCopyExtParams copy{1, static_cast<uint32_t>(k_ * sizeof(float)), 0, 0, 0};
        DataCopyPad(outValues_[static_cast<uint64_t>(row) * k_], values, copy);
        DataCopyPad(outIndices_[static_cast<uint64_t>(row) * k_], indices, copy);
        values_.FreeTensor(values);
        indices_.FreeTensor(indices);
    }

    TQue<TPosition::VECIN, 1> in_;
    TQue<TPosition::VECOUT, 1> values_, indices_;
    TBuf<TPosition::VECCALC> order_, sorted_, merged_;
    GlobalTensor<float> x_, outValues_;
    GlobalTensor<int32_t> outIndices_;
    uint32_t rows_, n_, k_, groups_;
};

extern "C" __global__ __aicore__ void top_k_rows(GM_ADDR x, GM_ADDR values, GM_ADDR indices, GM_ADDR workspace,
                                                 GM_ADDR tiling) {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
    REGISTER_TILING_DEFAULT(TopKRowsTilingData);
    GET_TILING_DATA(tilingData, tiling);
    TPipe pipe;
    TopKRows op(&pipe, tilingData.rows, tilingData.n, tilingData.k);
    op.Init(x, values, indices);
    op.Process();
}
