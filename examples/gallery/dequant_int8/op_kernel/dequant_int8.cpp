// y = x * scale: what a matrix product of int8 has added up in int32, by a scale for each column, in bfloat16.
#include "kernel_operator.h"

using namespace AscendC;

class DequantInt8 {
public:
    __aicore__ inline DequantInt8(TPipe* pipe, uint32_t rows, uint32_t cols, uint32_t padded, uint32_t rowsPerTile,
                                  uint32_t room)
        : rows_(rows), cols_(cols), padded_(padded), rowsPerTile_(rowsPerTile) {
        pipe->InitBuffer(in_, 2, rowsPerTile * padded * sizeof(int32_t));
        pipe->InitBuffer(out_, 2, rowsPerTile * padded * sizeof(bfloat16_t));
        pipe->InitBuffer(scales_, 1, padded * sizeof(float));
        pipe->InitBuffer(room_, room);
    }

    __aicore__ inline void Process(GM_ADDR x, GM_ADDR scale, GM_ADDR y) {
        x_.SetGlobalBuffer(reinterpret_cast<__gm__ int32_t*>(x), 1ul * rows_ * cols_);
        y_.SetGlobalBuffer(reinterpret_cast<__gm__ bfloat16_t*>(y), 1ul * rows_ * cols_);
        GlobalTensor<float> global;
        global.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(scale), cols_);
        LocalTensor<float> scales = scales_.AllocTensor<float>();
        DataCopyPad(scales, global, {1, static_cast<uint32_t>(cols_ * sizeof(float)), 0, 0, 0}, {false, 0, 0, 0});
        scales_.EnQue(scales);
        scales = scales_.DeQue<float>();
        for (uint32_t row = GetBlockIdx() * rowsPerTile_; row < rows_; row += GetBlockNum() * rowsPerTile_) {
            Tile(scales, row, rows_ - row < rowsPerTile_ ? rows_ - row : rowsPerTile_);
        }
        scales_.FreeTensor(scales);
    }

private:
    __aicore__ inline void Tile(const LocalTensor<float>& scales, uint32_t row, uint32_t rows) {
        const uint16_t count = static_cast<uint16_t>(rows);
        LocalTensor<int32_t> x = in_.AllocTensor<int32_t>();
        const uint32_t bytes = cols_ * sizeof(int32_t);
        // A row of x may end a block of 32 bytes before the place of the next one.
        const uint32_t gap = padded_ * sizeof(int32_t) / 32 - (bytes + 31) / 32;
        DataCopyPad(x, x_[1ul * row * cols_], {count, bytes, 0, gap, 0}, {false, 0, 0, 0});
        in_.EnQue(x);
        x = in_.DeQue<int32_t>();
        LocalTensor<bfloat16_t> y = out_.AllocTensor<bfloat16_t>();
        AscendDequant(y, x, scales, room_.Get<uint8_t>(), DequantParams{rows, padded_, cols_});
        in_.FreeTensor(x);
        out_.EnQue(y);
        y = out_.DeQue<bfloat16_t>();
        DataCopyPad(y_[1ul * row * cols_], y, {count, static_cast<uint32_t>(cols_ * sizeof(bfloat16_t)), 0, 0, 0});
        out_.FreeTensor(y);
    }

    TQue<TPosition::VECIN, 2> in_;
    TQue<TPosition::VECIN, 1> scales_;
    TQue<TPosition::VECOUT, 2> out_;
    TBuf<TPosition::VECCALC> room_;
    GlobalTensor<int32_t> x_;
    GlobalTensor<bfloat16_t> y_;
    uint32_t rows_, cols_, padded_, rowsPerTile_;
};

extern "C" __global__ __aicore__ void dequant_int8(GM_ADDR x, GM_ADDR scale, GM_ADDR y, GM_ADDR workspace,
                                                   GM_ADDR tiling) {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
    GET_TILING_DATA(t, tiling);
    TPipe pipe;
    DequantInt8 op(&pipe, t.rows, t.cols, t.padded, t.rowsPerTile, t.room);
    op.Process(x, scale, y);
}
