// The place of the largest element of each row, of the first where there are several: 64 lanes at a time, then the rest
// by the scalar unit.
#include <cfloat>
#include "kernel_operator.h"
#include "argmax_rows_tiling.h"

using namespace AscendC;

constexpr uint32_t kLanes = 64;
constexpr uint32_t kPerBlock = 8;

class ArgmaxRows {
public:
    __aicore__ inline ArgmaxRows(TPipe* pipe, uint32_t cols) : cols_(cols), repeats_((cols + kLanes - 1) / kLanes) {
        pipe->InitBuffer(row_, repeats_ * kLanes * sizeof(float));
        pipe->InitBuffer(pairs_, repeats_ * 2 * sizeof(float));
        pipe->InitBuffer(indices_, kPerBlock * sizeof(int32_t));
    }

    __aicore__ inline void Process(GM_ADDR x, GM_ADDR index, uint32_t begin, uint32_t end) {
        x_.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(x));
        index_.SetGlobalBuffer(reinterpret_cast<__gm__ int32_t*>(index));
        LocalTensor<int32_t> indices = indices_.Get<int32_t>();
        for (uint32_t first = begin; first < end; first += kPerBlock) {
            const uint32_t rows = end - first < kPerBlock ? end - first : kPerBlock;
            for (uint32_t i = 0; i < rows; ++i) {
                indices.SetValue(i, Row(static_cast<uint64_t>(first + i) * cols_));
            }
            Order<HardEvent::S_MTE3>();
            DataCopyPad(index_[first], indices, {1, static_cast<uint32_t>(rows * sizeof(int32_t)), 0, 0, 0});
            Order<HardEvent::MTE3_S>();
        }
    }

private:
    template <HardEvent event>
    __aicore__ inline void Order() {
        SetFlag<event>(EVENT_ID0);
        WaitFlag<event>(EVENT_ID0);
    }

    __aicore__ inline int32_t Row(uint64_t offset) {
        LocalTensor<float> row = row_.Get<float>();
        LocalTensor<float> pairs = pairs_.Get<float>();
        // What lies behind the last column is less than any element.
        Duplicate(row, -FLT_MAX, repeats_ * kLanes);
        Order<HardEvent::V_MTE2>();
        const uint8_t right = static_cast<uint8_t>((kPerBlock - cols_ % kPerBlock) % kPerBlock);
        DataCopyPad(row, x_[offset], {1, static_cast<uint32_t>(cols_ * sizeof(float)), 0, 0, 0},
                    {true, 0, right, -FLT_MAX});
        Order<HardEvent::MTE2_V>();
        WholeReduceMax(pairs, row, kLanes, repeats_, 1, 1, 8, ReduceOrder::ORDER_VALUE_INDEX);
        Order<HardEvent::V_S>();

        // A repeat leaves its largest element and, as the bits of an integer, the lane it was in.
        LocalTensor<uint32_t> bits = pairs.ReinterpretCast<uint32_t>();
        float best = pairs.GetValue(0);
        uint32_t place = bits.GetValue(1);
        for (uint32_t repeat = 1; repeat < repeats_; ++repeat) {
            const float value = pairs.GetValue(2 * repeat);
            if (value > best) {
                best = value;
                place = repeat * kLanes + bits.GetValue(2 * repeat + 1);
            }
        }
        Order<HardEvent::S_V>();
        return static_cast<int32_t>(place);
    }

    TBuf<TPosition::VECCALC> row_, pairs_, indices_;
    GlobalTensor<float> x_;
    GlobalTensor<int32_t> index_;
    uint32_t cols_;
    uint32_t repeats_;
};

extern "C" __global__ __aicore__ void argmax_rows(GM_ADDR x, GM_ADDR index, GM_ADDR workspace, GM_ADDR tiling) {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
    REGISTER_TILING_DEFAULT(ArgmaxRowsTilingData);
    GET_TILING_DATA(tilingData, tiling);
    const uint32_t begin = GetBlockIdx() * tilingData.perCore;
    const uint32_t end = begin + tilingData.perCore;
    TPipe pipe;
    ArgmaxRows op(&pipe, tilingData.cols);
    op.Process(x, index, begin, end < tilingData.rows ? end : tilingData.rows);
}
