// y = (x - mean) / sqrt(variance + epsilon) * gamma + beta with the statistics of each group of channels. A group may
// be larger than the unified buffer: it is read three times, tile by tile.
#include "kernel_operator.h"
#include "group_norm_tiling.h"

using namespace AscendC;

class KernelGroupNorm {
public:
    __aicore__ inline KernelGroupNorm(TPipe* pipe, const GroupNormTilingData& tiling) : tiling_(tiling) {
        pipe->InitBuffer(in_, 2, tiling.tile * sizeof(float));
        pipe->InitBuffer(out_, 2, tiling.tile * sizeof(float));
        pipe->InitBuffer(work_, tiling.tile * sizeof(float));
        pipe->InitBuffer(sum_, 32);
    }

    __aicore__ inline void Init(GM_ADDR x, GM_ADDR gamma, GM_ADDR beta, GM_ADDR y) {
        x_.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(x));
        gamma_.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(gamma));
        beta_.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(beta));
        y_.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(y));
    }

    __aicore__ inline void Group(uint32_t group) {
        const uint32_t size = tiling_.channels * tiling_.length;
        const uint64_t begin = static_cast<uint64_t>(group) * size;
        const float mean = Sum(begin, size, 0.0f, false) / static_cast<float>(static_cast<int32_t>(size));
        const float variance = Sum(begin, size, mean, true) / static_cast<float>(static_cast<int32_t>(size));
        const float rstd = 1.0f / sqrt(variance + tiling_.epsilon);
        for (uint32_t i = 0; i < tiling_.channels; ++i) {
            const uint32_t channel = group % tiling_.groupsPerSample * tiling_.channels + i;
            const float factor = rstd * gamma_.GetValue(channel);
            Scale(begin + static_cast<uint64_t>(i) * tiling_.length, factor, beta_.GetValue(channel) - mean * factor);
        }
    }

private:
    __aicore__ inline uint32_t CopyIn(uint64_t from, uint32_t left) {
        const uint32_t count = left < tiling_.tile ? left : tiling_.tile;
        LocalTensor<float> x = in_.AllocTensor<float>();
        DataCopyPad(x, x_[from], {1, static_cast<uint32_t>(count * sizeof(float)), 0, 0, 0}, {false, 0, 0, 0});
        in_.EnQue(x);
        return count;
    }

    // Of the elements less the mean, or of their squares.
    __aicore__ inline float Sum(uint64_t begin, uint32_t size, float mean, bool squares) {
        LocalTensor<float> work = work_.Get<float>();
        LocalTensor<float> sum = sum_.Get<float>();
        float total = 0.0f;
        for (uint32_t done = 0; done < size; done += tiling_.tile) {
            const uint32_t count = CopyIn(begin + done, size - done);
            LocalTensor<float> x = in_.DeQue<float>();
            if (squares) {
                Adds(x, x, -mean, count);
                Mul(x, x, x, count);
            }
            ReduceSum(sum, x, work, count);
            in_.FreeTensor(x);
            total += sum.GetValue(0);
        }
        return total;
    }

    // A channel: x * factor + summand.
    __aicore__ inline void Scale(uint64_t begin, float factor, float summand) {
        for (uint32_t done = 0; done < tiling_.length; done += tiling_.tile) {
            const uint32_t count = CopyIn(begin + done, tiling_.length - done);
            LocalTensor<float> x = in_.DeQue<float>();
            LocalTensor<float> y = out_.AllocTensor<float>();
            Muls(y, x, factor, count);
            in_.FreeTensor(x);
            Adds(y, y, summand, count);
            out_.EnQue(y);
            y = out_.DeQue<float>();
            DataCopyPad(y_[begin + done], y, {1, static_cast<uint32_t>(count * sizeof(float)), 0, 0, 0});
            out_.FreeTensor(y);
        }
    }

    const GroupNormTilingData& tiling_;
    TQue<TPosition::VECIN, 2> in_;
    TQue<TPosition::VECOUT, 2> out_;
    TBuf<TPosition::VECCALC> work_, sum_;
    GlobalTensor<float> x_, gamma_, beta_, y_;
};

extern "C" __global__ __aicore__ void group_norm(GM_ADDR x, GM_ADDR gamma, GM_ADDR beta, GM_ADDR y, GM_ADDR workspace,
                                                 GM_ADDR tiling) {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
    REGISTER_TILING_DEFAULT(GroupNormTilingData);
    GET_TILING_DATA(tilingData, tiling);
    TPipe pipe;
    KernelGroupNorm op(&pipe, tilingData);
    op.Init(x, gamma, beta, y);
    for (uint32_t group = GetBlockIdx(); group < tilingData.groups; group += GetBlockNum()) {
        op.Group(group);
    }
}
