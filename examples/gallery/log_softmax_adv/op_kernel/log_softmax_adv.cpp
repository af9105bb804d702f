// The logarithm of softmax by the library's LogSoftMax, several rows at once.
#include "kernel_operator.h"
#include "log_softmax_adv_tiling.h"

using namespace AscendC;

constexpr float kLogOfTen = 2.302585093f;

class LogSoftmaxAdv {
public:
    __aicore__ inline LogSoftmaxAdv(TPipe* pipe, const LogSoftmaxAdvTilingData& tiling) : tiling_(tiling) {
        pipe->InitBuffer(in_, 1, tiling.rowsPerTile * tiling.padded * sizeof(float));
        pipe->InitBuffer(out_, 1, tiling.rowsPerTile * tiling.padded * sizeof(float));
        pipe->InitBuffer(statistics_, 2 * tiling.rowsPerTile * kBlock * sizeof(float));
        pipe->InitBuffer(room_, tiling.room);
    }

    __aicore__ inline void Process(GM_ADDR x, GM_ADDR y) {
        x_.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(x), 1ul * tiling_.rows * tiling_.cols);
        y_.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(y), 1ul * tiling_.rows * tiling_.cols);
        const uint32_t step = tiling_.rowsPerTile;
        for (uint32_t row = GetBlockIdx() * step; row < tiling_.rows; row += GetBlockNum() * step) {
            Tile(1ul * row * tiling_.cols, tiling_.rows - row < step ? tiling_.rows - row : step);
        }
    }

private:
    static constexpr uint32_t kBlock = 8;  // floats of 32 bytes, as many as there are of each statistic of a row

    __aicore__ inline void Tile(uint64_t offset, uint32_t rows) {
        const uint32_t bytes = tiling_.cols * sizeof(float);
        const DataCopyExtParams copy{static_cast<uint16_t>(rows), bytes, 0, 0, 0};
        const uint8_t right = static_cast<uint8_t>(tiling_.padded - tiling_.cols);
        LocalTensor<float> x = in_.AllocTensor<float>();
        DataCopyPad(x, x_[offset], copy, DataCopyPadExtParams<float>{true, 0, right, 0.0f});
        in_.EnQue(x);
        x = in_.DeQue<float>();
        LocalTensor<float> y = out_.AllocTensor<float>();
        LocalTensor<float> sums = statistics_.Get<float>();
        LocalTensor<float> maxima = sums[tiling_.rowsPerTile * kBlock];
        LocalTensor<uint8_t> room = room_.Get<uint8_t>();
        LogSoftMax<float>(y, sums, maxima, x, room, tiling_.softmax, {rows, tiling_.padded, rows, tiling_.cols});
        // The library's logarithm is to the base of 10.
        Muls(y, y, kLogOfTen, rows * tiling_.padded);
        in_.FreeTensor(x);
        out_.EnQue(y);
        y = out_.DeQue<float>();
        DataCopyPad(y_[offset], y, copy);
        out_.FreeTensor(y);
    }

    const LogSoftmaxAdvTilingData& tiling_;
    TQue<TPosition::VECIN, 1> in_;
    TQue<TPosition::VECOUT, 1> out_;
    TBuf<TPosition::VECCALC> statistics_, room_;
    GlobalTensor<float> x_, y_;
};

extern "C" __global__ __aicore__ void log_softmax_adv(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling) {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
    REGISTER_TILING_DEFAULT(LogSoftmaxAdvTilingData);
    GET_TILING_DATA(tilingData, tiling);
    TPipe pipe;
    LogSoftmaxAdv op(&pipe, tilingData);
    op.Process(x, y);
}
