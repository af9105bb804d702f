// start, start + step, ... as many as x has elements.
#include "kernel_operator.h"

using namespace AscendC;

class ArangeLike {
public:
    __aicore__ inline ArangeLike(TPipe* pipe, uint32_t count, uint32_t perCore, float start, float step)
        : count_(count), perCore_(perCore), start_(start), step_(step) {
        pipe->InitBuffer(out_, 1, perCore * sizeof(float));
    }

    __aicore__ inline void Init(GM_ADDR x, GM_ADDR y) { y_.SetGlobalBuffer((__gm__ float*)y); }

    __aicore__ inline void Process() {
        for (uint32_t begin = GetBlockIdx() * perCore_; begin < count_; begin += GetBlockNum() * perCore_) {
            const uint32_t count = count_ - begin < perCore_ ? count_ - begin : perCore_;
            LocalTensor<float> y = out_.AllocTensor<float>();
            ArithProgression(y, start_ + step_ * static_cast<float>(static_cast<int32_t>(begin)), step_,
                             static_cast<int32_t>(count));
            out_.EnQue(y);
            y = out_.DeQue<float>();
            DataCopyPad(y_[begin], y, {1, static_cast<uint32_t>(count * sizeof(float)), 0, 0, 0});
            out_.FreeTensor(y);
        }
    }

private:
    TQue<TPosition::VECOUT, 1> out_;
    GlobalTensor<float> y_;
    uint32_t count_, perCore_;
    float start_, step_;
};

extern "C" __global__ __aicore__ void arange_like(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling) {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
    GET_TILING_DATA(tilingData, tiling);
    TPipe pipe;
    ArangeLike op(&pipe, tilingData.count, tilingData.perCore, tilingData.start, tilingData.step);
    op.Init(x, y);
    op.Process();
}
