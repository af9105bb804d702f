// A matrix on its side, in squares of 16 by 16.
#include "kernel_operator.h"
#include "transpose_matrix_tiling.h"

using namespace AscendC;

constexpr uint32_t kSide = 16;

class TransposeMatrix {
public:
    __aicore__ inline TransposeMatrix(TPipe* pipe, uint32_t rows, uint32_t columns) : rows_(rows), columns_(columns) {
        pipe->InitBuffer(in_, 2, kSide * kSide * sizeof(half));
        pipe->InitBuffer(out_, 2, kSide * kSide * sizeof(half));
    }

    __aicore__ inline void Init(GM_ADDR x, GM_ADDR y) {
        x_.SetGlobalBuffer((__gm__ half*)x);
        y_.SetGlobalBuffer((__gm__ half*)y);
    }

    __aicore__ inline void Process() {
        for (uint32_t column = GetBlockIdx() * kSide; column < columns_; column += GetBlockNum() * kSide) {
            for (uint32_t row = 0; row < rows_; row += kSide) {
                Square(row, column);
            }
        }
    }

private:
    __aicore__ inline uint32_t Most(uint32_t left) const { return left < kSide ? left : kSide; }

    __aicore__ inline void Square(uint32_t row, uint32_t column) {
        const uint32_t height = Most(rows_ - row);
        const uint32_t width = Most(columns_ - column);
        LocalTensor<half> x = in_.AllocTensor<half>();
        const DataCopyExtParams load{static_cast<uint16_t>(height), static_cast<uint32_t>(width * sizeof(half)),
                                     static_cast<uint32_t>((columns_ - width) * sizeof(half)), 0, 0};
        DataCopyPad(x, x_[static_cast<uint64_t>(row) * columns_ + column], load, {true, 0, 0, half(0)});
        in_.EnQue(x);

        x = in_.DeQue<half>();
        LocalTensor<half> y = out_.AllocTensor<half>();
        uint64_t from[16], to[16];
        for (uint32_t i = 0; i < kSide; ++i) {
            from[i] = (uint64_t)x[i * kSide].GetPhyAddr();
            to[i] = (uint64_t)y[i * kSide].GetPhyAddr();
        }
        // A single repeat starts a stride behind the addresses: the strides are 0.
        TransDataTo5HD<half>(to, from, TransDataTo5HDParams(false, false, 1, 0, 0));
        out_.EnQue(y);
        in_.FreeTensor(x);

        y = out_.DeQue<half>();
        const DataCopyExtParams store{static_cast<uint16_t>(width), static_cast<uint32_t>(height * sizeof(half)), 0,
                                      static_cast<uint32_t>((rows_ - height) * sizeof(half)), 0};
        DataCopyPad(y_[static_cast<uint64_t>(column) * rows_ + row], y, store);
        out_.FreeTensor(y);
    }

    TQue<TPosition::VECIN, 2> in_;
    TQue<TPosition::VECOUT, 2> out_;
    GlobalTensor<half> x_, y_;
    uint32_t rows_, columns_;
};

extern "C" __global__ __aicore__ void transpose_matrix(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling) {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
    REGISTER_TILING_DEFAULT(TransposeMatrixTilingData);
    GET_TILING_DATA(tilingData, tiling);
    TPipe pipe;
    TransposeMatrix op(&pipe, tilingData.rows, tilingData.columns);
    op.Init(x, y);
    op.Process();
}
