// y[i, j] = x[i, index[i, j]]: a row at a time by byte offsets.
#include "kernel_operator.h"

using namespace AscendC;

class GatherElements {
public:
    __aicore__ inline GatherElements(TPipe* pipe, uint32_t rows, uint32_t n, uint32_t m) : rows_(rows), n_(n), m_(m) {
        pipe->InitBuffer(x_, 1, (n + 7) / 8 * 32);
        pipe->InitBuffer(index_, 1, (m + 7) / 8 * 32);
        pipe->InitBuffer(y_, 1, (m + 7) / 8 * 32);
    }

    __aicore__ inline void Init(GM_ADDR x, GM_ADDR index, GM_ADDR y) {
        xGlobal_.SetGlobalBuffer((__gm__ float*)x);
        indexGlobal_.SetGlobalBuffer((__gm__ int32_t*)index);
        yGlobal_.SetGlobalBuffer((__gm__ float*)y);
    }

    __aicore__ inline void Process() {
        for (uint32_t row = GetBlockIdx(); row < rows_; row += GetBlockNum()) {
            LocalTensor<float> x = x_.AllocTensor<float>();
            LocalTensor<int32_t> index = index_.AllocTensor<int32_t>();
            DataCopyPad(x, xGlobal_[static_cast<uint64_t>(row) * n_], {1, n_ * 4, 0, 0, 0}, {false, 0, 0, 0.0f});
            DataCopyPad(index, indexGlobal_[static_cast<uint64_t>(row) * m_], {1, m_ * 4, 0, 0, 0}, {false, 0, 0, 0});
            x_.EnQue(x);
            index_.EnQue(index);
            Compute();
            LocalTensor<float> y = y_.DeQue<float>();
            DataCopyPad(yGlobal_[static_cast<uint64_t>(row) * m_], y, {1, m_ * 4, 0, 0, 0});
            y_.FreeTensor(y);
        }
    }

private:
    __aicore__ inline void Compute() {
        LocalTensor<float> x = x_.DeQue<float>();
        LocalTensor<int32_t> index = index_.DeQue<int32_t>();
        LocalTensor<float> y = y_.AllocTensor<float>();
        Muls(index, index, static_cast<int32_t>(sizeof(float)), m_);
        Gather(y, x, index.ReinterpretCast<uint32_t>(), 0, m_);
        y_.EnQue(y);
        x_.FreeTensor(x);
        index_.FreeTensor(index);
    }

    TQue<TPosition::VECIN, 1> x_, index_;
    TQue<TPosition::VECOUT, 1> y_;
    GlobalTensor<float> xGlobal_, yGlobal_;
    GlobalTensor<int32_t> indexGlobal_;
    uint32_t rows_, n_, m_;
};

extern "C" __global__ __aicore__ void gather_elements(GM_ADDR x, GM_ADDR index, GM_ADDR y, GM_ADDR workspace,
                                                      GM_ADDR tiling) {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
    GET_TILING_DATA(tilingData, tiling);
    TPipe pipe;
    GatherElements op(&pipe, tilingData.rows, tilingData.n, tilingData.m);
    op.Init(x, index, y);
    op.Process();
}
