// y[i] = x[0] + ... + x[i] for the rows of a matrix: a core has a stripe of columns, a tile of it some rows.
#include "kernel_operator.h"
#include "cumsum_rows_tiling.h"

using namespace AscendC;

class CumsumRows {
public:
    __aicore__ inline CumsumRows(TPipe* pipe, const CumsumRowsTilingData& tiling) : tiling_(tiling) {
        const uint32_t bytes = tiling.rowsPerTile * tiling.stripe * sizeof(float);
        pipe->InitBuffer(in_, 2, bytes);
        pipe->InitBuffer(out_, 2, bytes);
        pipe->InitBuffer(above_, tiling.stripe * sizeof(float));
    }

    __aicore__ inline void Init(GM_ADDR x, GM_ADDR y) {
        x_.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(x));
        y_.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(y));
    }

    __aicore__ inline void Stripe(uint32_t col) {
        const uint32_t cols = tiling_.cols - col < tiling_.stripe ? tiling_.cols - col : tiling_.stripe;
        const uint32_t padded = (cols + kBlock - 1) / kBlock * kBlock;
        LocalTensor<float> above = above_.Get<float>();
        Duplicate(above, 0.0f, padded);
        for (uint32_t row = 0; row < tiling_.rows; row += tiling_.rowsPerTile) {
            const uint32_t left = tiling_.rows - row;
            const uint16_t rows = static_cast<uint16_t>(left < tiling_.rowsPerTile ? left : tiling_.rowsPerTile);
            const uint64_t offset = static_cast<uint64_t>(row) * tiling_.cols + col;
            const uint32_t bytes = cols * sizeof(float);
            // Strides of global memory are bytes between the end of a piece and the next one's begin.
            const uint32_t gap = (tiling_.cols - cols) * sizeof(float);
            LocalTensor<float> x = in_.AllocTensor<float>();
            const uint8_t right = static_cast<uint8_t>(padded - cols);
            DataCopyPad(x, x_[offset], {rows, bytes, gap, 0, 0}, {true, 0, right, 0.0f});
            in_.EnQue(x);
            Sums(above, rows, padded);
            LocalTensor<float> y = out_.DeQue<float>();
            DataCopyPad(y_[offset], y, {rows, bytes, 0, gap, 0});
            out_.FreeTensor(y);
        }
    }

private:
    static constexpr uint32_t kBlock = 8;  // floats of 32 bytes

    // Each row is the sum of those above it in the tile, plus what is above the tile. Sums of the tile first: no element
    // is rounded once for each row of the matrix. The last row is above the next tile.
    __aicore__ inline void Sums(const LocalTensor<float>& above, uint32_t rows, uint32_t padded) {
        LocalTensor<float> x = in_.DeQue<float>();
        LocalTensor<float> y = out_.AllocTensor<float>();
        for (uint32_t row = 1; row < rows; ++row) {
            Add(x[row * padded], x[row * padded], x[(row - 1) * padded], padded);
        }
        const uint8_t next = static_cast<uint8_t>(padded / kBlock);
        Add(y, x, above, padded, static_cast<uint8_t>(rows), {1, 1, 1, next, next, 0});
        DataCopy(above, y[(rows - 1) * padded], padded);
        in_.FreeTensor(x);
        out_.EnQue(y);
    }

    const CumsumRowsTilingData& tiling_;
    TQue<TPosition::VECIN, 2> in_;
    TQue<TPosition::VECOUT, 2> out_;
    TBuf<TPosition::VECCALC> above_;
    GlobalTensor<float> x_, y_;
};

extern "C" __global__ __aicore__ void cumsum_rows(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling) {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
    REGISTER_TILING_DEFAULT(CumsumRowsTilingData);
    GET_TILING_DATA(tilingData, tiling);
    TPipe pipe;
    CumsumRows op(&pipe, tilingData);
    op.Init(x, y);
    const uint32_t step = GetBlockNum() * tilingData.stripe;
    for (uint32_t col = GetBlockIdx() * tilingData.stripe; col < tilingData.cols; col += step) {
        op.Stripe(col);
    }
}
