// Drops elements by a mask of a byte each, and makes up for it in those that stay, by the library's DropOut.
#include "kernel_operator.h"

using namespace AscendC;

template <typename T>
class DropOutBytes {
public:
    __aicore__ inline DropOutBytes(TPipe* pipe, uint32_t count, uint32_t tile, uint32_t room, float keepProb)
        : count_(count), tile_(tile), keepProb_(keepProb) {
        pipe->InitBuffer(xIn_, 2, tile * sizeof(T));
        pipe->InitBuffer(maskIn_, 2, tile);
        pipe->InitBuffer(yOut_, 2, tile * sizeof(T));
        pipe->InitBuffer(room_, room);
    }

    __aicore__ inline void Process(GM_ADDR x, GM_ADDR mask, GM_ADDR y) {
        x_.SetGlobalBuffer(reinterpret_cast<__gm__ T*>(x), count_);
        mask_.SetGlobalBuffer(reinterpret_cast<__gm__ uint8_t*>(mask), count_);
        y_.SetGlobalBuffer(reinterpret_cast<__gm__ T*>(y), count_);
        for (uint32_t first = GetBlockIdx() * tile_; first < count_; first += GetBlockNum() * tile_) {
            const uint32_t n = count_ - first < tile_ ? count_ - first : tile_;
            CopyIn(first, n);
            LocalTensor<T> x = xIn_.template DeQue<T>();
            LocalTensor<uint8_t> mask = maskIn_.template DeQue<uint8_t>();
            LocalTensor<T> y = yOut_.template AllocTensor<T>();
            DropOutShapeInfo info;
            info.firstAxis = 1;
            info.srcLastAxis = n;
            info.maskLastAxis = n;
            constexpr uint32_t kBytes = 2;  // a byte an element, and nothing between the rows
            DropOut<T, false, kBytes>(y, x, mask, room_.template Get<uint8_t>(), keepProb_, info);
            xIn_.FreeTensor(x);
            maskIn_.FreeTensor(mask);
            yOut_.EnQue(y);
            y = yOut_.template DeQue<T>();
            DataCopyPad(y_[first], y, {1, static_cast<uint32_t>(n * sizeof(T)), 0, 0, 0});
            yOut_.FreeTensor(y);
        }
    }

private:
    __aicore__ inline void CopyIn(uint32_t first, uint32_t n) {
        LocalTensor<T> x = xIn_.template AllocTensor<T>();
        DataCopyPad(x, x_[first], {1, static_cast<uint32_t>(n * sizeof(T)), 0, 0, 0}, {false, 0, 0, 0});
        xIn_.EnQue(x);
        LocalTensor<uint8_t> mask = maskIn_.template AllocTensor<uint8_t>();
        DataCopyPad(mask, mask_[first], {1, n, 0, 0, 0}, {false, 0, 0, 0});
        maskIn_.EnQue(mask);
    }

    TQue<TPosition::VECIN, 2> xIn_, maskIn_;
    TQue<TPosition::VECOUT, 2> yOut_;
    TBuf<TPosition::VECCALC> room_;
    GlobalTensor<T> x_, y_;
    GlobalTensor<uint8_t> mask_;
    uint32_t count_, tile_;
    float keepProb_;
};

extern "C" __global__ __aicore__ void drop_out_bytes(GM_ADDR x, GM_ADDR mask, GM_ADDR y, GM_ADDR workspace,
                                                     GM_ADDR tiling) {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
    GET_TILING_DATA(data, tiling);
    TPipe pipe;
    DropOutBytes<DTYPE_X> op(&pipe, data.count, data.tile, data.room, data.keepProb);
    op.Process(x, mask, y);
}
