// y = silu(a) * b, where a is the first half of a row of x and b the second: strided copies bring several rows at once.
#include "kernel_operator.h"

using namespace AscendC;

template <typename T>
class SwigluFused {
public:
    __aicore__ inline SwigluFused(TPipe* pipe, uint32_t rows, uint32_t cols, uint32_t rowsPerTile)
        : rows_(rows), cols_(cols), rowsPerTile_(rowsPerTile), padded_((cols + kBlock - 1) / kBlock * kBlock) {
        const uint32_t tile = rowsPerTile * padded_;
        pipe->InitBuffer(in_, 2, 2 * tile * sizeof(T));
        pipe->InitBuffer(out_, 2, tile * sizeof(T));
        pipe->InitBuffer(a_, tile * sizeof(float));
        pipe->InitBuffer(b_, tile * sizeof(float));
    }

    __aicore__ inline void Process(GM_ADDR x, GM_ADDR y) {
        x_.SetGlobalBuffer(reinterpret_cast<__gm__ T*>(x), 2ul * rows_ * cols_);
        y_.SetGlobalBuffer(reinterpret_cast<__gm__ T*>(y), 1ul * rows_ * cols_);
        for (uint32_t row = GetBlockIdx() * rowsPerTile_; row < rows_; row += GetBlockNum() * rowsPerTile_) {
            const uint32_t rows = rows_ - row < rowsPerTile_ ? rows_ - row : rowsPerTile_;
            CopyIn(row, rows);
            Compute(rows * padded_);
            CopyOut(row, rows);
        }
    }

private:
    static constexpr uint32_t kBlock = 32 / sizeof(T);

    __aicore__ inline void CopyIn(uint32_t row, uint32_t rows) {
        LocalTensor<T> both = in_.template AllocTensor<T>();
        const uint32_t bytes = cols_ * sizeof(T);
        // From global memory every second half row; here they follow each other, each from a block of its own.
        const DataCopyExtParams halves{static_cast<uint16_t>(rows), bytes, bytes, 0, 0};
        const DataCopyPadExtParams<T> zeros{true, 0, static_cast<uint8_t>(padded_ - cols_), 0};
        const uint64_t offset = 2ul * row * cols_;
        DataCopyPad(both, x_[offset], halves, zeros);
        DataCopyPad(both[rowsPerTile_ * padded_], x_[offset + cols_], halves, zeros);
        in_.EnQue(both);
    }

    __aicore__ inline void Compute(uint32_t count) {
        LocalTensor<T> both = in_.template DeQue<T>();
        LocalTensor<T> y = out_.template AllocTensor<T>();
        LocalTensor<float> a = a_.template Get<float>();
        LocalTensor<float> b = b_.template Get<float>();
        LocalTensor<T> second = both[rowsPerTile_ * padded_];
        if constexpr (IsSameType<T, float>::value) {
            Silu(a, both, b, count);
            Mul(y, a, second, count);
        } else {
            Cast(a, both, RoundMode::CAST_NONE, count);
            Silu(a, a, b, count);
            Cast(b, second, RoundMode::CAST_NONE, count);
            Mul(a, a, b, count);
            Cast(y, a, RoundMode::CAST_RINT, count);
        }
        out_.EnQue(y);
        in_.FreeTensor(both);
    }

    // x / (1 + exp(-x))
    __aicore__ inline void Silu(const LocalTensor<float>& y, const LocalTensor<float>& x,
                                const LocalTensor<float>& work, uint32_t count) {
        Muls(work, x, -1.0f, count);
        Exp(work, work, count);
        Adds(work, work, 1.0f, count);
        Div(y, x, work, count);
    }

    __aicore__ inline void CopyOut(uint32_t row, uint32_t rows) {
        LocalTensor<T> y = out_.template DeQue<T>();
        const uint32_t bytes = cols_ * sizeof(T);
        DataCopyPad(y_[1ul * row * cols_], y, {static_cast<uint16_t>(rows), bytes, 0, 0, 0});
        out_.FreeTensor(y);
    }

    TQue<TPosition::VECIN, 2> in_;
    TQue<TPosition::VECOUT, 2> out_;
    TBuf<TPosition::VECCALC> a_, b_;
    GlobalTensor<T> x_, y_;
    uint32_t rows_, cols_, rowsPerTile_, padded_;
};

extern "C" __global__ __aicore__ void swiglu_fused(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling) {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
    GET_TILING_DATA(tilingData, tiling);
    TPipe pipe;
    SwigluFused<DTYPE_X> op(&pipe, tilingData.rows, tilingData.cols, tilingData.rowsPerTile);
    op.Process(x, y);
}
