// Rows of x added to the rows of y that the index names, by all cores at once: atomic transfers.
#include "kernel_operator.h"
#include "scatter_add_tiling.h"

using namespace AscendC;

class ScatterAdd {
public:
    __aicore__ inline ScatterAdd(TPipe* pipe, uint32_t rows, uint32_t n, uint32_t size)
        : rows_(rows), n_(n), size_(size), copy_{1, static_cast<uint32_t>(n * sizeof(float)), 0, 0, 0} {
        pipe->InitBuffer(zeros_, 1, (n + 7) / 8 * 32);
        pipe->InitBuffer(row_, 2, (n + 7) / 8 * 32);
    }

    __aicore__ inline void Init(GM_ADDR x, GM_ADDR index, GM_ADDR y) {
        x_.SetGlobalBuffer((__gm__ float*)x);
        index_.SetGlobalBuffer((__gm__ int32_t*)index);
        y_.SetGlobalBuffer((__gm__ float*)y);
    }

    __aicore__ inline void Process() {
        Clear();
        SyncAll();  // nobody adds to a row that another core has not cleared yet
        SetAtomicAdd<float>();
        for (uint32_t row = GetBlockIdx(); row < rows_; row += GetBlockNum()) {
            LocalTensor<float> tensor = row_.AllocTensor<float>();
            DataCopyPad(tensor, x_[static_cast<uint64_t>(row) * n_], copy_, {false, 0, 0, 0.0f});
            row_.EnQue(tensor);
            tensor = row_.DeQue<float>();
            DataCopyPad(y_[static_cast<uint64_t>(index_.GetValue(row)) * n_], tensor, copy_);
            row_.FreeTensor(tensor);
        }
        SetAtomicNone();
    }

private:
    __aicore__ inline void Clear() {
        LocalTensor<float> zeros = zeros_.AllocTensor<float>();
        Duplicate(zeros, 0.0f, n_);
        zeros_.EnQue(zeros);
        zeros = zeros_.DeQue<float>();
        for (uint32_t row = GetBlockIdx(); row < size_; row += GetBlockNum()) {
            DataCopyPad(y_[static_cast<uint64_t>(row) * n_], zeros, copy_);
        }
        zeros_.FreeTensor(zeros);
    }

    TQue<TPosition::VECOUT, 1> zeros_;
    TQueBind<TPosition::VECIN, TPosition::VECOUT, 2> row_;
    GlobalTensor<float> x_, y_;
    GlobalTensor<int32_t> index_;
    uint32_t rows_, n_, size_;
    DataCopyExtParams copy_;
};

extern "C" __global__ __aicore__ void scatter_add(GM_ADDR x, GM_ADDR index, GM_ADDR y, GM_ADDR workspace,
                                                  GM_ADDR tiling) {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIV_1_0);
    REGISTER_TILING_DEFAULT(ScatterAddTilingData);
    GET_TILING_DATA(tilingData, tiling);
    TPipe pipe;
    ScatterAdd op(&pipe, tilingData.rows, tilingData.n, tilingData.size);
    op.Init(x, index, y);
    op.Process();
}
