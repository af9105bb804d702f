// Rows of up to 128 in descending order: groups of 32 sorted, then merged four at a time.
#include "kernel_operator.h"

using namespace AscendC;

constexpr uint32_t kMost = 128;
constexpr uint32_t kGroup = 32;

class SortRows {
public:
    __aicore__ inline SortRows(TPipe* pipe, uint32_t rows, uint32_t n) : rows_(rows), n_(n) {
        pipe->InitBuffer(in_, 1, kMost * sizeof(half));
        pipe->InitBuffer(values_, 1, kMost * sizeof(half));
        pipe->InitBuffer(indices_, 1, kMost * sizeof(int32_t));
        pipe->InitBuffer(order_, kMost * sizeof(uint32_t));
        pipe->InitBuffer(work_, 2 * 8 * kMost);
    }

    __aicore__ inline void Init(GM_ADDR x, GM_ADDR values, GM_ADDR indices) {
        x_.SetGlobalBuffer((__gm__ half*)x);
        outValues_.SetGlobalBuffer((__gm__ half*)values);
        outIndices_.SetGlobalBuffer((__gm__ uint32_t*)indices);
    }

    __aicore__ inline void Process() {
        LocalTensor<int32_t> order = order_.Get<int32_t>();
        CreateVecIndex(order, 0, kMost);
        for (uint32_t row = GetBlockIdx(); row < rows_; row += GetBlockNum()) {
            CopyIn(row);
            Compute();
            CopyOut(row);
        }
    }

private:
    __aicore__ inline void CopyIn(uint32_t row) {
        LocalTensor<half> x = in_.AllocTensor<half>();
        Duplicate(x, static_cast<half>(-65504.0f), kMost);
        event_t filled = static_cast<event_t>(GetTPipePtr()->FetchEventID(HardEvent::V_MTE2));
        SetFlag<HardEvent::V_MTE2>(filled);
        WaitFlag<HardEvent::V_MTE2>(filled);
        const uint8_t missing = static_cast<uint8_t>((16 - n_ % 16) % 16);
        DataCopyPad(x, x_[row * n_], {1, static_cast<uint32_t>(n_ * sizeof(half)), 0, 0, 0},
                    {true, 0, missing, static_cast<half>(-65504.0f)});
        in_.EnQue(x);
    }

    __aicore__ inline void Compute() {
        LocalTensor<half> x = in_.DeQue<half>();
        LocalTensor<half> sorted = work_.Get<half>();
        LocalTensor<half> merged = sorted[GetSortLen<half>(kMost)];
        Sort32(sorted, x, order_.Get<uint32_t>(), kMost / kGroup);
        // A pair of score and index has eight bytes, whatever the score's type.
        const uint32_t each = GetSortOffset<half>(kGroup);
        MrgSortSrcList<half> lists(sorted, sorted[each], sorted[2 * each], sorted[3 * each]);
        const uint16_t lengths[4] = {kGroup, kGroup, kGroup, kGroup};
        MrgSort(merged, lists, MrgSort4Info(lengths, false, 0b1111, 1));
        LocalTensor<half> values = values_.AllocTensor<half>();
        LocalTensor<uint32_t> indices = indices_.AllocTensor<uint32_t>();
        Extract(values, indices, merged, kMost / kGroup);
        values_.EnQue(values);
        indices_.EnQue(indices);
        in_.FreeTensor(x);
    }

    __aicore__ inline void CopyOut(uint32_t row) {
        LocalTensor<half> values = values_.DeQue<half>();
        LocalTensor<uint32_t> indices = indices_.DeQue<uint32_t>();
        DataCopyPad(outValues_[row * n_], values, {1, static_cast<uint32_t>(n_ * sizeof(half)), 0, 0, 0});
        DataCopyPad(outIndices_[row * n_], indices, {1, static_cast<uint32_t>(n_ * sizeof(uint32_t)), 0, 0, 0});
        values_.FreeTensor(values);
        indices_.FreeTensor(indices);
    }

    TQue<QuePosition::VECIN, 1> in_;
    TQue<QuePosition::VECOUT, 1> values_, indices_;
    TBuf<QuePosition::VECCALC> order_, work_;
    GlobalTensor<half> x_, outValues_;
    GlobalTensor<uint32_t> outIndices_;
    uint32_t rows_, n_;
};

extern "C" __global__ __aicore__ void sort_rows(GM_ADDR x, GM_ADDR values, GM_ADDR indices, GM_ADDR workspace,
                                                GM_ADDR tiling) {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
    GET_TILING_DATA(tilingData, tiling);
    TPipe pipe;
    SortRows op(&pipe, tilingData.rows, tilingData.n);
    op.Init(x, values, indices);
    op.Process();
}
