// Rows of a table by their numbers, two queues deep: the table is float or float16.
#include "kernel_operator.h"
#include "index_select_rows_tiling.h"

using namespace AscendC;

class IndexSelectRows {
public:
    __aicore__ inline IndexSelectRows(TPipe* pipe, uint32_t rows, uint32_t n) : rows_(rows), n_(n) {
        pipe->InitBuffer(rowQueue_, 2, (n * sizeof(DTYPE_X) + 31) / 32 * 32);
    }

    __aicore__ inline void Init(GM_ADDR x, GM_ADDR index, GM_ADDR y) {
        x_.SetGlobalBuffer((__gm__ DTYPE_X*)x);
        index_.SetGlobalBuffer((__gm__ int32_t*)index, rows_);
        y_.SetGlobalBuffer((__gm__ DTYPE_X*)y);
    }

    __aicore__ inline void Process() {
        // Each core has consecutive rows of y.
        const uint32_t each = (rows_ + GetBlockNum() - 1) / GetBlockNum();
        const uint32_t begin = GetBlockIdx() * each;
        const uint32_t end = begin + each < rows_ ? begin + each : rows_;
        for (uint32_t row = begin; row < end; ++row) {
            CopyIn(index_.GetValue(row));
            CopyOut(row);
        }
    }

private:
    __aicore__ inline void CopyIn(uint64_t row) {
        LocalTensor<DTYPE_X> tensor = rowQueue_.AllocTensor<DTYPE_X>();
        DataCopyPad(tensor, x_[row * n_], {1, static_cast<uint32_t>(n_ * sizeof(DTYPE_X)), 0, 0, 0}, {});
        rowQueue_.EnQue(tensor);
    }

    __aicore__ inline void CopyOut(uint64_t row) {
        LocalTensor<DTYPE_X> tensor = rowQueue_.DeQue<DTYPE_X>();
        DataCopyPad(y_[row * n_], tensor, {1, static_cast<uint32_t>(n_ * sizeof(DTYPE_X)), 0, 0, 0});
        rowQueue_.FreeTensor(tensor);
    }

    // What comes in goes out as it is.
    TQueBind<TPosition::VECIN, TPosition::VECOUT, 2> rowQueue_;
    GlobalTensor<DTYPE_X> x_, y_;
    GlobalTensor<int32_t> index_;
    uint32_t rows_, n_;
};

extern "C" __global__ __aicore__ void index_select_rows(GM_ADDR x, GM_ADDR index, GM_ADDR y, GM_ADDR workspace,
                                                        GM_ADDR tiling) {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
    REGISTER_TILING_DEFAULT(IndexSelectRowsTilingData);
    GET_TILING_DATA(tilingData, tiling);
    TPipe pipe;
    IndexSelectRows op(&pipe, tilingData.rows, tilingData.n);
    op.Init(x, index, y);
    op.Process();
}
