// y = x / sqrt(mean(x * x) + epsilon) * gamma for each row: eight rows together, a repeat a row.
#include "kernel_operator.h"

using namespace AscendC;

constexpr uint32_t kGroup = 8;
constexpr uint32_t kLanes = 64;
constexpr uint32_t kBlock = 8;  // floats of a block

class RmsNormRows {
public:
    __aicore__ inline RmsNormRows(TPipe* pipe, uint32_t cols, uint32_t padded, float epsilon)
        : cols_(cols), padded_(padded), stride_(padded / kBlock), epsilon_(epsilon) {
        pipe->InitBuffer(x_, kGroup * padded * sizeof(float));
        pipe->InitBuffer(square_, kGroup * padded * sizeof(float));
        pipe->InitBuffer(gamma_, padded * sizeof(float));
        pipe->InitBuffer(sums_, kLanes * sizeof(float));
        pipe->InitBuffer(spread_, kLanes * sizeof(float));
    }

    __aicore__ inline void LoadGamma(GM_ADDR gamma) {
        GlobalTensor<float> global;
        global.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(gamma), cols_);
        LocalTensor<float> local = gamma_.Get<float>();
        // what lies behind the last column is computed with, but never stored
        Duplicate(local, 0.0f, padded_);
        Order<HardEvent::V_MTE2>();
        DataCopyPad(local, global, {1, static_cast<uint32_t>(cols_ * sizeof(float)), 0, 0, 0}, {false, 0, 0, 0});
        Order<HardEvent::MTE2_V>();
    }

    __aicore__ inline void Group(GM_ADDR from, GM_ADDR to, uint32_t row, uint32_t rows) {
        GlobalTensor<float> x, y;
        const uint64_t offset = static_cast<uint64_t>(row) * cols_;
        x.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(from) + offset, rows * cols_);
        y.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(to) + offset, rows * cols_);
        LocalTensor<float> local = x_.Get<float>();
        const uint32_t bytes = cols_ * sizeof(float);
        const uint32_t gap = stride_ - (cols_ + kBlock - 1) / kBlock;

        Duplicate(local, 0.0f, kGroup * padded_);
        Order<HardEvent::V_MTE2>();
        const uint8_t right = static_cast<uint8_t>((kBlock - cols_ % kBlock) % kBlock);
        DataCopyPad(local, x, {static_cast<uint16_t>(rows), bytes, 0, gap, 0}, {true, 0, right, 0});
        Order<HardEvent::MTE2_V>();
        Compute(local);
        Order<HardEvent::V_MTE3>();
        DataCopyPad(y, local, {static_cast<uint16_t>(rows), bytes, gap, 0, 0});
        Order<HardEvent::MTE3_V>();
    }

private:
    template <HardEvent event>
    __aicore__ inline void Order() {
        SetFlag<event>(EVENT_ID0);
        WaitFlag<event>(EVENT_ID0);
    }

    __aicore__ inline void Compute(const LocalTensor<float>& x) {
        LocalTensor<float> square = square_.Get<float>();
        LocalTensor<float> sums = sums_.Get<float>();
        LocalTensor<float> spread = spread_.Get<float>();
        const uint8_t row = static_cast<uint8_t>(stride_);
        Mul(square, x, x, kGroup * padded_);
        // each row's columns are added up in its first 64 lanes, those in one sum
        for (uint32_t col = kLanes; col < padded_; col += kLanes) {
            Add(square, square, square[col], kLanes, kGroup, {1, 1, 1, row, row, row});
        }
        WholeReduceSum(sums, square, kLanes, kGroup, 1, 1, row);
        Muls(sums, sums, 1.0f / static_cast<float>(static_cast<int32_t>(cols_)), kGroup);
        Adds(sums, sums, epsilon_, kGroup);
        Sqrt(sums, sums, kGroup);
        // a block for each row's divisor, read again and again by a block stride of 0
        Brcb(spread, sums, 1, {1, 8});
        LocalTensor<float> gamma = gamma_.Get<float>();
        for (uint32_t col = 0; col < padded_; col += kLanes) {
            Div(x[col], x[col], spread, kLanes, kGroup, {1, 1, 0, row, row, 1});
            Mul(x[col], x[col], gamma[col], kLanes, kGroup, {1, 1, 1, row, row, 0});
        }
    }

    TBuf<TPosition::VECCALC> x_, square_, gamma_, sums_, spread_;
    uint32_t cols_, padded_, stride_;
    float epsilon_;
};

extern "C" __global__ __aicore__ void rms_norm_rows(GM_ADDR x, GM_ADDR gamma, GM_ADDR y, GM_ADDR workspace,
                                                    GM_ADDR tiling) {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
    GET_TILING_DATA(tilingData, tiling);
    TPipe pipe;
    RmsNormRows op(&pipe, tilingData.cols, tilingData.padded, tilingData.epsilon);
    op.LoadGamma(gamma);
    // Groups of rows are dealt to the cores in turn.
    for (uint32_t row = GetBlockIdx() * kGroup; row < tilingData.rows; row += GetBlockNum() * kGroup) {
        const uint32_t left = tilingData.rows - row;
        op.Group(x, y, row, left < kGroup ? left : kGroup);
    }
}
