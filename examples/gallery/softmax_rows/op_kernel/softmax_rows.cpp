// y = exp(x - max) / sum(exp(x - max)) for each row, by basic functions and in float.
#include "kernel_operator.h"

using namespace AscendC;

constexpr uint32_t kBlockBytes = 32;

template <typename T>
class SoftmaxRows {
public:
    __aicore__ inline SoftmaxRows(TPipe* pipe, uint32_t rows, uint32_t cols) : pipe_(pipe), rows_(rows), cols_(cols) {
        const uint32_t aligned = (cols + kBlockBytes - 1) / kBlockBytes * kBlockBytes;
        pipe->InitBuffer(in_, 2, aligned * sizeof(T));
        pipe->InitBuffer(out_, 2, aligned * sizeof(T));
        pipe->InitBuffer(wide_, aligned * sizeof(float));
        pipe->InitBuffer(work_, aligned * sizeof(float));
        pipe->InitBuffer(one_, kBlockBytes);
    }

    __aicore__ inline void Process(GM_ADDR x, GM_ADDR y) {
        const uint64_t total = static_cast<uint64_t>(rows_) * cols_;
        x_.SetGlobalBuffer(reinterpret_cast<__gm__ T*>(x), total);
        y_.SetGlobalBuffer(reinterpret_cast<__gm__ T*>(y), total);
        const DataCopyExtParams copy{1, static_cast<uint32_t>(cols_ * sizeof(T)), 0, 0, 0};
        for (uint64_t row = GetBlockIdx(); row < rows_; row += GetBlockNum()) {
            LocalTensor<T> x = in_.template AllocTensor<T>();
            DataCopyPad(x, x_[row * cols_], copy, DataCopyPadExtParams<T>{false, 0, 0, 0});
            in_.EnQue(x);
            Row();
            LocalTensor<T> y = out_.template DeQue<T>();
            DataCopyPad(y_[row * cols_], y, copy);
            out_.FreeTensor(y);
        }
    }

private:
    __aicore__ inline void Row() {
        LocalTensor<T> x = in_.template DeQue<T>();
        LocalTensor<T> y = out_.template AllocTensor<T>();
        LocalTensor<float> wide = wide_.template Get<float>();
        LocalTensor<float> work = work_.template Get<float>();
        LocalTensor<float> one = one_.template Get<float>();
        if constexpr (IsSameType<T, float>::value) {
            Adds(wide, x, 0.0f, cols_);
        } else {
            Cast(wide, x, RoundMode::CAST_NONE, cols_);
        }
        in_.FreeTensor(x);
        ReduceMax(one, wide, work, cols_);
        Adds(wide, wide, -First(one), cols_);
        Exp(wide, wide, cols_);
        ReduceSum(one, wide, work, cols_);
        Muls(wide, wide, 1.0f / First(one), cols_);
        if constexpr (IsSameType<T, float>::value) {
            Adds(y, wide, 0.0f, cols_);
        } else {
            Cast(y, wide, RoundMode::CAST_RINT, cols_);
        }
        out_.EnQue(y);
    }

    // The scalar unit reads what the vector unit has reduced to.
    __aicore__ inline float First(const LocalTensor<float>& one) {
        const event_t event = static_cast<event_t>(pipe_->FetchEventID(HardEvent::V_S));
        SetFlag<HardEvent::V_S>(event);
        WaitFlag<HardEvent::V_S>(event);
        return one.GetValue(0);
    }

    TPipe* pipe_;
    TQue<TPosition::VECIN, 2> in_;
    TQue<TPosition::VECOUT, 2> out_;
    TBuf<TPosition::VECCALC> wide_, work_, one_;
    GlobalTensor<T> x_, y_;
    uint32_t rows_, cols_;
};

extern "C" __global__ __aicore__ void softmax_rows(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling) {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
    GET_TILING_DATA(tilingData, tiling);
    TPipe pipe;
    SoftmaxRows<DTYPE_X> op(&pipe, tilingData.rows, tilingData.cols);
    op.Process(x, y);
}
