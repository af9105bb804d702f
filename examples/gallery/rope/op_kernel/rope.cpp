// y = x * cos + rotated(x) * sin for each head of a token, rotated((a, b)) = (-b, a): a repeat a head.
#include "kernel_operator.h"

using namespace AscendC;

class Rope {
public:
    __aicore__ inline Rope(TPipe* pipe, uint32_t heads, uint32_t dim) : heads_(heads), dim_(dim) {
        pipe->InitBuffer(x_, 2, heads * dim * sizeof(float));
        pipe->InitBuffer(y_, 2, heads * dim * sizeof(float));
        pipe->InitBuffer(angles_, 2, 2 * dim * sizeof(float));
        pipe->InitBuffer(crossed_, heads * dim * sizeof(float));
    }

    __aicore__ inline void Init(GM_ADDR x, GM_ADDR cos, GM_ADDR sin, GM_ADDR y) {
        xGlobal_.SetGlobalBuffer((__gm__ float*)x);
        cosGlobal_.SetGlobalBuffer((__gm__ float*)cos);
        sinGlobal_.SetGlobalBuffer((__gm__ float*)sin);
        yGlobal_.SetGlobalBuffer((__gm__ float*)y);
    }

    __aicore__ inline void Token(uint64_t token) {
        const uint32_t count = heads_ * dim_;
        LocalTensor<float> x = x_.AllocTensor<float>();
        DataCopy(x, xGlobal_[token * count], count);
        x_.EnQue(x);
        LocalTensor<float> angles = angles_.AllocTensor<float>();
        DataCopy(angles, cosGlobal_[token * dim_], dim_);
        DataCopy(angles[dim_], sinGlobal_[token * dim_], dim_);
        angles_.EnQue(angles);
        Rotate();
        LocalTensor<float> y = y_.DeQue<float>();
        DataCopy(yGlobal_[token * count], y, count);
        y_.FreeTensor(y);
    }

private:
    __aicore__ inline void Rotate() {
        LocalTensor<float> x = x_.DeQue<float>();
        LocalTensor<float> angles = angles_.DeQue<float>();
        LocalTensor<float> y = y_.AllocTensor<float>();
        LocalTensor<float> crossed = crossed_.Get<float>();
        const uint32_t half = dim_ / 2;
        const uint8_t head = static_cast<uint8_t>(dim_ / 8);  // blocks from one head to the next
        const uint8_t heads = static_cast<uint8_t>(heads_);
        // Every head of a token turns by the same angles: their repeat stride is 0.
        const BinaryRepeatParams byAngle{1, 1, 1, head, head, 0};
        const BinaryRepeatParams byHead{1, 1, 1, head, head, head};
        LocalTensor<float> sin = angles[dim_];
        Mul(crossed, x[half], sin, half, heads, byAngle);
        Mul(crossed[half], x, sin[half], half, heads, byAngle);
        Mul(y, x, angles, half, heads, byAngle);
        Mul(y[half], x[half], angles[half], half, heads, byAngle);
        Sub(y, y, crossed, half, heads, byHead);
        Add(y[half], y[half], crossed[half], half, heads, byHead);
        y_.EnQue(y);
        x_.FreeTensor(x);
        angles_.FreeTensor(angles);
    }

    TQue<TPosition::VECIN, 2> x_, angles_;
    TQue<TPosition::VECOUT, 2> y_;
    TBuf<TPosition::VECCALC> crossed_;
    GlobalTensor<float> xGlobal_, cosGlobal_, sinGlobal_, yGlobal_;
    uint32_t heads_, dim_;
};

extern "C" __global__ __aicore__ void rope(GM_ADDR x, GM_ADDR cos, GM_ADDR sin, GM_ADDR y, GM_ADDR workspace,
                                           GM_ADDR tiling) {
#if __NPU_ARCH__ == 2002
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AICORE);
#else
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
#endif
    GET_TILING_DATA(tilingData, tiling);
    TPipe pipe;
    Rope op(&pipe, tilingData.heads, tilingData.dim);
    op.Init(x, cos, sin, y);
    const uint32_t begin = GetBlockIdx() * tilingData.perCore;
    for (uint32_t token = begin; token < begin + tilingData.perCore && token < tilingData.tokens; ++token) {
        op.Token(token);
    }
}
