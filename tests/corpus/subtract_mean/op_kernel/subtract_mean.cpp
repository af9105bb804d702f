// y = x - the mean of all of x. Each core leaves the sum of its elements in the workspace, all wait for each other, and
// each takes the mean of the sums from its elements. They wait by SyncAll with flags in the workspace, which needs no
// flag of the hardware: the kernel is one of vector cores alone.
#include "kernel_operator.h"
#include "subtract_mean_tiling.h"

using namespace AscendC;

constexpr uint32_t kFlag = 8;  // int32_t or float of 32 bytes, of each core

class SubtractMean {
public:
    __aicore__ inline SubtractMean(TPipe* pipe, const SubtractMeanTilingData& tiling)
        : tiling_(tiling), blocks_(GetBlockNum()) {
        pipe->InitBuffer(in_, 2, tiling.tile * sizeof(float));
        pipe->InitBuffer(out_, 2, tiling.tile * sizeof(float));
        pipe->InitBuffer(room_, tiling.tile * sizeof(float));
        pipe->InitBuffer(flagRoom_, blocks_ * kFlag * sizeof(int32_t));
    }

    __aicore__ inline void Init(GM_ADDR x, GM_ADDR y, GM_ADDR workspace) {
        begin_ = GetBlockIdx() * tiling_.perBlock;
        end_ = begin_ + tiling_.perBlock < tiling_.total ? begin_ + tiling_.perBlock : tiling_.total;
        x_.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(x), tiling_.total);
        y_.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(y), tiling_.total);
        flags_.SetGlobalBuffer(reinterpret_cast<__gm__ int32_t*>(workspace), blocks_ * kFlag);
        sums_.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(workspace) + blocks_ * kFlag, blocks_ * kFlag);
        InitGlobalMemory(flags_, blocks_ * kFlag, 0);  // every core all of them, as SyncAll asks
    }

    __aicore__ inline void Process() {
        Sum();
        LocalTensor<int32_t> room = flagRoom_.Get<int32_t>();
        SyncAll(flags_, room);
        Subtract(Mean());
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

    // The sum stands in the first of eight elements, zeros behind it.
    __aicore__ inline void Sum() {
        LocalTensor<float> sum = out_.AllocTensor<float>();
        Duplicate(sum, 0.0f, kFlag);
        for (uint32_t at = begin_; at < end_; at += tiling_.tile) {
            const uint32_t count = end_ - at < tiling_.tile ? end_ - at : tiling_.tile;
            LocalTensor<float> tile = Load(x_[at], count);
            ReduceSum(tile, tile, room_.Get<float>(), count);
            Add(sum, sum, tile, 1);
            in_.FreeTensor(tile);
        }
        Store(sums_[GetBlockIdx() * kFlag], sum, kFlag);
    }

    __aicore__ inline float Mean() {
        LocalTensor<float> sums = Load(sums_, blocks_ * kFlag);
        ReduceSum(sums, sums, room_.Get<float>(), blocks_ * kFlag);
        const float sum = sums.GetValue(0);
        in_.FreeTensor(sums);
        return sum / static_cast<float>(static_cast<int32_t>(tiling_.total));
    }

    __aicore__ inline void Subtract(float mean) {
        for (uint32_t at = begin_; at < end_; at += tiling_.tile) {
            const uint32_t count = end_ - at < tiling_.tile ? end_ - at : tiling_.tile;
            LocalTensor<float> x = Load(x_[at], count);
            LocalTensor<float> y = out_.AllocTensor<float>();
            Adds(y, x, -mean, count);
            in_.FreeTensor(x);
            Store(y_[at], y, count);
        }
    }

    const SubtractMeanTilingData& tiling_;
    const uint32_t blocks_;
    TQue<TPosition::VECIN, 1> in_;
    TQue<TPosition::VECOUT, 1> out_;
    TBuf<TPosition::VECCALC> room_, flagRoom_;
    GlobalTensor<float> x_, y_, sums_;
    GlobalTensor<int32_t> flags_;
    uint32_t begin_ = 0, end_ = 0;
};

extern "C" __global__ __aicore__ void subtract_mean(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling) {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
    REGISTER_TILING_DEFAULT(SubtractMeanTilingData);
    GET_TILING_DATA(data, tiling);
    TPipe pipe;
    SubtractMean op(&pipe, data);
    op.Init(x, y, GetUserWorkspace(workspace));
    op.Process();
}
