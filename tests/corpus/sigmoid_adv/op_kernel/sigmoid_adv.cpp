// y = sigmoid(x) by the library's function, which computes in room that op_host has asked the library for.
#include "kernel_operator.h"

using namespace AscendC;

template <typename T>
class SigmoidAdv {
public:
    __aicore__ inline SigmoidAdv() {}

    __aicore__ inline void Init(GM_ADDR x, GM_ADDR y, uint32_t total, uint32_t tile, uint32_t room, TPipe* pipe) {
        total_ = total;
        tile_ = tile;
        x_.SetGlobalBuffer(reinterpret_cast<__gm__ T*>(x), total);
        y_.SetGlobalBuffer(reinterpret_cast<__gm__ T*>(y), total);
        pipe->InitBuffer(xs_, 2, tile * sizeof(T));
        pipe->InitBuffer(ys_, 2, tile * sizeof(T));
        pipe->InitBuffer(room_, room);
    }

    __aicore__ inline void Process() {
        for (uint32_t offset = GetBlockIdx() * tile_; offset < total_; offset += GetBlockNum() * tile_) {
            const uint32_t count = total_ - offset < tile_ ? total_ - offset : tile_;
            CopyIn(offset, count);
            Compute(count);
            CopyOut(offset, count);
        }
    }

private:
    __aicore__ inline void CopyIn(uint32_t offset, uint32_t count) {
        LocalTensor<T> x = xs_.template AllocTensor<T>();
        DataCopyExtParams copy{1, static_cast<uint32_t>(count * sizeof(T)), 0, 0, 0};
        DataCopyPadExtParams<T> noPadding{false, 0, 0, 0};
        DataCopyPad(x, x_[offset], copy, noPadding);
        xs_.EnQue(x);
    }

    __aicore__ inline void Compute(uint32_t count) {
        LocalTensor<T> x = xs_.template DeQue<T>();
        LocalTensor<T> y = ys_.template AllocTensor<T>();
        LocalTensor<uint8_t> room = room_.template Get<uint8_t>();
        Sigmoid(y, x, room, count);
        ys_.EnQue(y);
        xs_.FreeTensor(x);
    }

    __aicore__ inline void CopyOut(uint32_t offset, uint32_t count) {
        LocalTensor<T> y = ys_.template DeQue<T>();
        DataCopyExtParams copy{1, static_cast<uint32_t>(count * sizeof(T)), 0, 0, 0};
        DataCopyPad(y_[offset], y, copy);
        ys_.FreeTensor(y);
    }

    TQue<QuePosition::VECIN, 2> xs_;
    TQue<QuePosition::VECOUT, 2> ys_;
    TBuf<QuePosition::VECCALC> room_;
    GlobalTensor<T> x_;
    GlobalTensor<T> y_;
    uint32_t total_ = 0;
    uint32_t tile_ = 0;
};

extern "C" __global__ __aicore__ void sigmoid_adv(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling) {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
    GET_TILING_DATA(tilingData, tiling);
    TPipe pipe;
    SigmoidAdv<DTYPE_X> op;
    op.Init(x, y, tilingData.total, tilingData.tile, tilingData.room, &pipe);
    op.Process();
}
