// The rows of a list of matrices, one after the other. The kernel reads the sizes of the matrices from the list itself.
#include "kernel_operator.h"
#include "kernel_operator_list_tensor_intf.h"
#include "concat_rows_tiling.h"

using namespace AscendC;

template <typename T>
class ConcatRows {
public:
    __aicore__ inline ConcatRows(GM_ADDR x, GM_ADDR y, uint32_t count) : count_(count) {
        list_.Init(reinterpret_cast<__gm__ void*>(x));
        y_.SetGlobalBuffer(reinterpret_cast<__gm__ T*>(y));
    }

    __aicore__ inline void Process(TPipe* pipe) {
        uint64_t shape[2];
        TensorDesc<T> desc;
        desc.SetShapeAddr(shape);
        uint64_t done = 0;  // rows of the tensors before
        for (uint32_t i = 0; i < count_; ++i) {
            list_.GetDesc(desc, i);
            const uint64_t rows = desc.GetShape(0), width = desc.GetShape(1);
            if (i == 0) {
                pipe->InitBuffer(row_, 2, (width * sizeof(T) + 31) / 32 * 32);
            }
            GlobalTensor<T> x;
            x.SetGlobalBuffer(desc.GetDataPtr(), rows * width);
            // the next row of the result that is this core's
            const uint64_t blocks = GetBlockNum();
            for (uint64_t row = (GetBlockIdx() + blocks - done % blocks) % blocks; row < rows; row += blocks) {
                Move(x[row * width], y_[(done + row) * width], width * sizeof(T));
            }
            done += rows;
        }
    }

private:
    __aicore__ inline void Move(const GlobalTensor<T>& from, const GlobalTensor<T>& to, uint32_t bytes) {
        LocalTensor<T> row = row_.template AllocTensor<T>();
        DataCopyPad(row, from, {1, bytes, 0, 0, 0}, {false, 0, 0, 0});
        row_.EnQue(row);
        row = row_.template DeQue<T>();
        DataCopyPad(to, row, {1, bytes, 0, 0, 0});
        row_.FreeTensor(row);
    }

    uint32_t count_;
    ListTensorDesc list_;
    TQueBind<TPosition::VECIN, TPosition::VECOUT, 1> row_;
    GlobalTensor<T> y_;
};

extern "C" __global__ __aicore__ void concat_rows(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling) {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
    REGISTER_TILING_DEFAULT(ConcatRowsTilingData);
    GET_TILING_DATA(data, tiling);
    TPipe pipe;
    ConcatRows<DTYPE_X> op(x, y, data.count);
    op.Process(&pipe);
}
