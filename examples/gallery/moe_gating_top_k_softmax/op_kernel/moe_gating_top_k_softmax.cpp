// The gate of a mixture of experts: softmax over the experts of each token, then its k largest.
#include "kernel_operator.h"
#include "moe_gating_top_k_softmax_tiling.h"

using namespace AscendC;

class MoeGatingTopKSoftmax {
public:
    __aicore__ inline MoeGatingTopKSoftmax(TPipe* pipe, uint32_t rows, uint32_t n, uint32_t k)
        : rows_(rows), n_(n), k_(k), groups_((n + 31) / 32) {
        const uint32_t bytes = groups_ * 32 * sizeof(float);
        pipe->InitBuffer(in_, 1, bytes);
        pipe->InitBuffer(out_, 2, bytes);
        pipe->InitBuffer(order_, bytes);
        pipe->InitBuffer(work_, 2 * bytes);
        pipe->InitBuffer(sorted_, 2 * bytes);
        pipe->InitBuffer(scalar_, 32);
    }

    __aicore__ inline void Init(GM_ADDR x, GM_ADDR y, GM_ADDR experts) {
        x_.SetGlobalBuffer((__gm__ float*)x);
        y_.SetGlobalBuffer((__gm__ float*)y);
        experts_.SetGlobalBuffer((__gm__ float*)experts);
    }

    __aicore__ inline void Process() {
        ArithProgression<int32_t>(order_.Get<int32_t>(), 0, 1, groups_ * 32);
        for (uint32_t row = GetBlockIdx(); row < rows_; row += GetBlockNum()) {
            LocalTensor<float> x = in_.AllocTensor<float>();
            DataCopyPad(x, x_[row * n_], {1, static_cast<uint32_t>(n_ * sizeof(float)), 0, 0, 0}, {});
            in_.EnQue(x);
            Compute();
            CopyOut(y_, row);
            CopyOut(experts_, row);
        }
    }

private:
    __aicore__ inline void Compute() {
        LocalTensor<float> x = in_.DeQue<float>();
        LocalTensor<float> work = work_.Get<float>();
        LocalTensor<float> scalar = scalar_.Get<float>();
        ReduceMax(scalar, x, work, n_);
        Adds(x, x, -scalar.GetValue(0), n_);
        Exp(x, x, n_);
        ReduceSum(scalar, x, work, n_);
        // Probabilities are not negative: -1 behind them comes last.
        Duplicate(work, -1.0f, groups_ * 32);
        Muls(work, x, 1.0f / scalar.GetValue(0), n_);
        in_.FreeTensor(x);

        LocalTensor<float> sorted = sorted_.Get<float>();
        LocalTensor<float> y = out_.AllocTensor<float>();
        LocalTensor<float> experts = out_.AllocTensor<float>();
        SortAll(sorted, work);
        Extract(y, experts.ReinterpretCast<uint32_t>(), sorted, groups_);
        out_.EnQue(y);
        out_.EnQue(experts);
    }

    // Merges the sorted groups two by two until one list is left.
    __aicore__ inline void SortAll(LocalTensor<float>& sorted, const LocalTensor<float>& values) {
        Sort32(sorted, values, order_.Get<uint32_t>(), groups_);
        LocalTensor<float> other = work_.Get<float>();
        for (uint32_t length = 32; length < groups_ * 32; length *= 2) {
            for (uint32_t at = 0; at < groups_ * 32; at += 2 * length) {
                const uint32_t left = groups_ * 32 - at;
                const uint32_t second = left > length ? (left - length < length ? left - length : length) : 0;
                const uint32_t from = GetSortOffset<float>(at);
                if (second == 0) {
                    DataCopy(other[from], sorted[from], GetSortLen<float>(left));
                    continue;
                }
                const uint16_t lengths[4] = {static_cast<uint16_t>(length), static_cast<uint16_t>(second), 0, 0};
                LocalTensor<float> none;
                MrgSortSrcList<float> lists(sorted[from], sorted[from + GetSortOffset<float>(length)], none, none);
                MrgSort(other[from], lists, MrgSort4Info(lengths, false, 0b0011, 1));
            }
            LocalTensor<float> merged = other;
            other = sorted;
            sorted = merged;
        }
    }

    __aicore__ inline void CopyOut(const GlobalTensor<float>& to, uint32_t row) {
        LocalTensor<float> tensor = out_.DeQue<float>();
        DataCopyPad(to[row * k_], tensor, {1, static_cast<uint32_t>(k_ * sizeof(float)), 0, 0, 0});
        out_.FreeTensor(tensor);
    }

    TQue<TPosition::VECIN, 1> in_;
    TQue<TPosition::VECOUT, 2> out_;
    TBuf<TPosition::VECCALC> order_, work_, sorted_, scalar_;
    GlobalTensor<float> x_, y_, experts_;
    uint32_t rows_, n_, k_, groups_;
};

extern "C" __global__ __aicore__ void moe_gating_top_k_softmax(GM_ADDR x, GM_ADDR y, GM_ADDR experts, GM_ADDR workspace,
                                                               GM_ADDR tiling) {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
    REGISTER_TILING_DEFAULT(MoeGatingTopKSoftmaxTilingData);
    GET_TILING_DATA(tilingData, tiling);
    TPipe pipe;
    MoeGatingTopKSoftmax op(&pipe, tilingData.rows, tilingData.n, tilingData.k);
    op.Init(x, y, experts);
    op.Process();
}
