// y = (x - mean) * rstd * gamma + beta for each row; mean and rstd = 1 / sqrt(variance + epsilon) are results as well.
#include "kernel_operator.h"

using namespace AscendC;

constexpr uint32_t kGroup = 8;  // rows whose statistics are stored together

class LayerNormRows {
public:
    __aicore__ inline LayerNormRows(TPipe* pipe, uint32_t cols, float epsilon) : cols_(cols), epsilon_(epsilon) {
        const uint32_t bytes = (cols * sizeof(float) + 31) / 32 * 32;
        pipe->InitBuffer(x_, 1, bytes);
        pipe->InitBuffer(weights_, 2, bytes);
        pipe->InitBuffer(y_, 1, bytes);
        pipe->InitBuffer(statistics_, 1, 2 * kGroup * sizeof(float));
        pipe->InitBuffer(square_, bytes);
        pipe->InitBuffer(sum_, 32);
    }

    __aicore__ inline void Begin(GM_ADDR gamma, GM_ADDR beta) {
        for (GM_ADDR from : {gamma, beta}) {
            GlobalTensor<float> global;
            global.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(from), cols_);
            LocalTensor<float> local = weights_.AllocTensor<float>();
            DataCopyPad(local, global, Bytes(cols_), {false, 0, 0, 0});
            weights_.EnQue(local);
        }
        gamma_ = weights_.DeQue<float>();
        beta_ = weights_.DeQue<float>();
    }

    __aicore__ inline void End() {
        weights_.FreeTensor(gamma_);
        weights_.FreeTensor(beta_);
    }

    __aicore__ inline void Rows(GM_ADDR x, GM_ADDR y, GM_ADDR mean, GM_ADDR rstd, uint32_t begin, uint32_t end) {
        GlobalTensor<float> source, result, means, rstds;
        source.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(x));
        result.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(y));
        means.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(mean));
        rstds.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(rstd));
        for (uint32_t group = begin; group < end; group += kGroup) {
            const uint32_t rows = end - group < kGroup ? end - group : kGroup;
            LocalTensor<float> statistics = statistics_.AllocTensor<float>();
            for (uint32_t i = 0; i < rows; ++i) {
                const uint64_t offset = static_cast<uint64_t>(group + i) * cols_;
                LocalTensor<float> local = x_.AllocTensor<float>();
                DataCopyPad(local, source[offset], Bytes(cols_), {false, 0, 0, 0});
                x_.EnQue(local);
                Row(statistics, i);
                local = y_.DeQue<float>();
                DataCopyPad(result[offset], local, Bytes(cols_));
                y_.FreeTensor(local);
            }
            // The statistics were written by the scalar unit.
            SetFlag<HardEvent::S_MTE3>(EVENT_ID0);
            WaitFlag<HardEvent::S_MTE3>(EVENT_ID0);
            statistics_.EnQue(statistics);
            statistics = statistics_.DeQue<float>();
            DataCopyPad(means[group], statistics, Bytes(rows));
            DataCopyPad(rstds[group], statistics[kGroup], Bytes(rows));
            statistics_.FreeTensor(statistics);
        }
    }

private:
    __aicore__ inline DataCopyExtParams Bytes(uint32_t count) {
        return {1, static_cast<uint32_t>(count * sizeof(float)), 0, 0, 0};
    }

    __aicore__ inline void Row(const LocalTensor<float>& statistics, uint32_t i) {
        LocalTensor<float> x = x_.DeQue<float>();
        LocalTensor<float> y = y_.AllocTensor<float>();
        LocalTensor<float> square = square_.Get<float>();
        LocalTensor<float> sum = sum_.Get<float>();
        const float perElement = 1.0f / static_cast<float>(static_cast<int32_t>(cols_));
        // ReduceSum leaves its source as it is, and y is free to be its work space until it is computed.
        ReduceSum(sum, x, y, cols_);
        const float mean = sum.GetValue(0) * perElement;
        Adds(x, x, -mean, cols_);
        Mul(square, x, x, cols_);
        ReduceSum(sum, square, y, cols_);
        const float rstd = 1.0f / sqrt(sum.GetValue(0) * perElement + epsilon_);
        Muls(y, x, rstd, cols_);
        Mul(y, y, gamma_, cols_);
        Add(y, y, beta_, cols_);
        statistics.SetValue(i, mean);
        statistics.SetValue(kGroup + i, rstd);
        y_.EnQue(y);
        x_.FreeTensor(x);
    }

    TQue<TPosition::VECIN, 1> x_;
    TQue<TPosition::VECIN, 2> weights_;
    TQue<TPosition::VECOUT, 1> y_, statistics_;
    TBuf<TPosition::VECCALC> square_, sum_;
    LocalTensor<float> gamma_, beta_;
    uint32_t cols_;
    float epsilon_;
};

extern "C" __global__ __aicore__ void layer_norm_rows(GM_ADDR x, GM_ADDR gamma, GM_ADDR beta, GM_ADDR y, GM_ADDR mean,
                                                      GM_ADDR rstd, GM_ADDR workspace, GM_ADDR tiling) {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
    GET_TILING_DATA(tilingData, tiling);
    const uint32_t begin = GetBlockIdx() * tilingData.perCore;
    const uint32_t left = tilingData.rows > begin ? tilingData.rows - begin : 0;
    TPipe pipe;
    LayerNormRows op(&pipe, tilingData.cols, tilingData.epsilon);
    op.Begin(gamma, beta);
    op.Rows(x, y, mean, rstd, begin, begin + (left < tilingData.perCore ? left : tilingData.perCore));
    op.End();
}
