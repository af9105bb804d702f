// y = x / max(|x|, eps), |x| the length of all of x as one vector. First pass: each core's sum of squares into the
// workspace. Second: its elements times the inverse of the root of all sums. Between them a flag of all vector cores,
// which waits for less than SyncAll: only for the transfers to global memory.
#include "kernel_operator.h"
#include "length_norm_two_pass_tiling.h"

using namespace AscendC;

constexpr uint16_t kSummed = 4;

class LengthNormTwoPass {
public:
    __aicore__ inline LengthNormTwoPass(TPipe* pipe, const LengthNormTwoPassTilingData& tiling) : tiling_(tiling) {
        pipe->InitBuffer(in_, 2, tiling.tile * sizeof(float));
        pipe->InitBuffer(out_, 2, tiling.tile * sizeof(float));
        pipe->InitBuffer(room_, tiling.tile * sizeof(float));
    }

    __aicore__ inline void Init(GM_ADDR x, GM_ADDR y, GM_ADDR workspace) {
        begin_ = GetBlockIdx() * tiling_.perBlock;
        end_ = begin_ + tiling_.perBlock < tiling_.total ? begin_ + tiling_.perBlock : tiling_.total;
        x_.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(x));
        y_.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(y));
        sums_.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(workspace), GetBlockNum());
    }

    __aicore__ inline void Process() {
        Square();
        CrossCoreSetFlag<0, PIPE_MTE3>(kSummed);
        CrossCoreWaitFlag(kSummed);
        Scale(Factor());
    }

private:
    __aicore__ inline LocalTensor<float> Load(const GlobalTensor<float>& from, uint32_t count) {
        LocalTensor<float> tile = in_.AllocTensor<float>();
        DataCopyPad(tile, from, {1, static_cast<uint32_t>(count * sizeof(float)), 0, 0, 0}, {false, 0, 0, 0.0f});
        in_.EnQue(tile);
        return in_.DeQue<float>();
    }

    __aicore__ inline void Store(const GlobalTensor<float>& to, LocalTensor<float> tile, uint32_t count) {
        out_.EnQue(tile);
        tile = out_.DeQue<float>();
        DataCopyPad(to, tile, {1, static_cast<uint32_t>(count * sizeof(float)), 0, 0, 0});
        out_.FreeTensor(tile);
    }

    __aicore__ inline void Square() {
        LocalTensor<float> sum = out_.AllocTensor<float>();
        Duplicate(sum, 0.0f, 8);
        for (uint32_t at = begin_; at < end_; at += tiling_.tile) {
            const uint32_t count = end_ - at < tiling_.tile ? end_ - at : tiling_.tile;
            LocalTensor<float> tile = Load(x_[at], count);
            Mul(tile, tile, tile, count);
            ReduceSum(tile, tile, room_.Get<float>(), count);
            Add(sum, sum, tile, 1);
            in_.FreeTensor(tile);
        }
        Store(sums_[GetBlockIdx()], sum, 1);
    }

    __aicore__ inline float Factor() {
        LocalTensor<float> sums = Load(sums_, GetBlockNum());
        ReduceSum(sums, sums, room_.Get<float>(), GetBlockNum());
        Sqrt(sums, sums, 1);
        Maxs(sums, sums, tiling_.eps, 1);
        const float length = sums.GetValue(0);
        in_.FreeTensor(sums);
        return 1.0f / length;
    }

    __aicore__ inline void Scale(float factor) {
        for (uint32_t at = begin_; at < end_; at += tiling_.tile) {
            const uint32_t count = end_ - at < tiling_.tile ? end_ - at : tiling_.tile;
            LocalTensor<float> x = Load(x_[at], count);
            LocalTensor<float> y = out_.AllocTensor<float>();
            Muls(y, x, factor, count);
            in_.FreeTensor(x);
            Store(y_[at], y, count);
        }
    }

    const LengthNormTwoPassTilingData& tiling_;
    TQue<TPosition::VECIN, 1> in_;
    TQue<TPosition::VECOUT, 1> out_;
    TBuf<TPosition::VECCALC> room_;
    GlobalTensor<float> x_, y_, sums_;
    uint32_t begin_ = 0, end_ = 0;
};

extern "C" __global__ __aicore__ void length_norm_two_pass(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling) {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIV_1_0);
    REGISTER_TILING_DEFAULT(LengthNormTwoPassTilingData);
    GET_TILING_DATA(data, tiling);
    TPipe pipe;
    LengthNormTwoPass op(&pipe, data);
    op.Init(x, y, GetUserWorkspace(workspace));
    op.Process();
}
