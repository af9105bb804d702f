// Softmax of rows by the library's SoftMax, several rows at once.
#include "kernel_operator.h"

using namespace AscendC;

template <typename T>
class SoftmaxAdv {
public:
    __aicore__ inline SoftmaxAdv(const SoftMaxTiling& softmax) : softmax_(softmax) {}

    __aicore__ inline void Init(TPipe* pipe, uint32_t rows, uint32_t cols, uint32_t padded, uint32_t rowsPerTile,
                                uint32_t room) {
        rows_ = rows;
        cols_ = cols;
        padded_ = padded;
        rowsPerTile_ = rowsPerTile;
        pipe->InitBuffer(in_, 1, rowsPerTile * padded * sizeof(T));
        pipe->InitBuffer(out_, 1, rowsPerTile * padded * sizeof(T));
        // Of each row the sum and the largest element fill a block.
        pipe->InitBuffer(sums_, rowsPerTile * kBlockBytes);
        pipe->InitBuffer(maxima_, rowsPerTile * kBlockBytes);
        pipe->InitBuffer(room_, room);
    }

    __aicore__ inline void Process(GM_ADDR x, GM_ADDR y) {
        x_.SetGlobalBuffer(reinterpret_cast<__gm__ T*>(x), 1ul * rows_ * cols_);
        y_.SetGlobalBuffer(reinterpret_cast<__gm__ T*>(y), 1ul * rows_ * cols_);
        for (uint32_t row = GetBlockIdx() * rowsPerTile_; row < rows_; row += GetBlockNum() * rowsPerTile_) {
            const uint32_t rows = rows_ - row < rowsPerTile_ ? rows_ - row : rowsPerTile_;
            const DataCopyExtParams copy{static_cast<uint16_t>(rows), static_cast<uint32_t>(cols_ * sizeof(T)), 0, 0,
                                         0};
            LocalTensor<T> x = in_.template AllocTensor<T>();
            const uint8_t right = static_cast<uint8_t>(padded_ - cols_);
            DataCopyPad(x, x_[1ul * row * cols_], copy, DataCopyPadExtParams<T>{true, 0, right, 0});
            in_.EnQue(x);
            Compute(rows);
            LocalTensor<T> y = out_.template DeQue<T>();
            DataCopyPad(y_[1ul * row * cols_], y, copy);
            out_.FreeTensor(y);
        }
    }

private:
    static constexpr uint32_t kBlockBytes = 32;

    __aicore__ inline void Compute(uint32_t rows) {
        LocalTensor<T> x = in_.template DeQue<T>();
        LocalTensor<T> y = out_.template AllocTensor<T>();
        LocalTensor<T> sums = sums_.template Get<T>();
        LocalTensor<T> maxima = maxima_.template Get<T>();
        LocalTensor<uint8_t> room = room_.template Get<uint8_t>();
        // The last tile has fewer rows than the tiling, and a row fewer columns than it has room for.
        const SoftMaxShapeInfo shape{rows, padded_, rows, cols_};
        SoftMax<T>(y, sums, maxima, x, room, softmax_, shape);
        in_.FreeTensor(x);
        out_.EnQue(y);
    }

    const SoftMaxTiling& softmax_;
    TQue<TPosition::VECIN, 1> in_;
    TQue<TPosition::VECOUT, 1> out_;
    TBuf<TPosition::VECCALC> sums_, maxima_, room_;
    GlobalTensor<T> x_, y_;
    uint32_t rows_, cols_, padded_, rowsPerTile_;
};

extern "C" __global__ __aicore__ void softmax_adv(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling) {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
    GET_TILING_DATA(t, tiling);
    TPipe pipe;
    SoftmaxAdv<DTYPE_X> op(t.softmax);
    op.Init(&pipe, t.rows, t.cols, t.padded, t.rowsPerTile, t.room);
    op.Process(x, y);
}
