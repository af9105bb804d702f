// Each row in int8, by the scale that makes its largest element 127; the scales are results as well.
#include "kernel_operator.h"

using namespace AscendC;

constexpr float kMost = 127.0f;

template <typename T>
class DynamicQuant {
public:
    __aicore__ inline DynamicQuant(TPipe* pipe, uint32_t cols) : cols_(cols) {
        const uint32_t padded = (cols + 31) / 32 * 32;
        pipe->InitBuffer(in_, 2, padded * sizeof(T));
        pipe->InitBuffer(out_, 2, padded);
        pipe->InitBuffer(wide_, padded * sizeof(float));
        pipe->InitBuffer(work_, padded * sizeof(float));
        pipe->InitBuffer(largest_, 32);
    }

    __aicore__ inline void Init(GM_ADDR x, GM_ADDR y, GM_ADDR scale, uint32_t rows) {
        const uint64_t total = static_cast<uint64_t>(rows) * cols_;
        x_.SetGlobalBuffer(reinterpret_cast<__gm__ T*>(x), total);
        y_.SetGlobalBuffer(reinterpret_cast<__gm__ int8_t*>(y), total);
        scale_.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(scale), rows);
    }

    __aicore__ inline void Process(uint32_t begin, uint32_t end) {
        // int32_t becomes half as it is.
        SetDeqScale(static_cast<half>(1.0f));
        for (uint32_t row = begin; row < end; ++row) {
            const uint64_t offset = static_cast<uint64_t>(row) * cols_;
            LocalTensor<T> x = in_.template AllocTensor<T>();
            DataCopyPad(x, x_[offset], {1, static_cast<uint32_t>(cols_ * sizeof(T)), 0, 0, 0}, {false, 0, 0, 0});
            in_.EnQue(x);
            scale_.SetValue(row, Row());
            LocalTensor<int8_t> y = out_.DeQue<int8_t>();
            DataCopyPad(y_[offset], y, {1, cols_, 0, 0, 0});
            out_.FreeTensor(y);
        }
        if (begin < end) {
            DataCacheCleanAndInvalid<float, CacheLine::ENTIRE_DATA_CACHE, DcciDst::CACHELINE_OUT>(scale_);
        }
    }

private:
    __aicore__ inline float Row() {
        LocalTensor<T> x = in_.template DeQue<T>();
        LocalTensor<int8_t> y = out_.AllocTensor<int8_t>();
        LocalTensor<float> wide = wide_.Get<float>();
        LocalTensor<float> work = work_.Get<float>();
        LocalTensor<float> largest = largest_.Get<float>();
        if constexpr (IsSameType<T, float>::value) {
            Adds(wide, x, 0.0f, cols_);
        } else {
            Cast(wide, x, RoundMode::CAST_NONE, cols_);
        }
        in_.FreeTensor(x);
        Abs(work, wide, cols_);
        ReduceMax(largest, work, work, cols_);
        const float most = largest.GetValue(0);
        const float inverse = most > 0.0f ? kMost / most : 0.0f;
        Muls(wide, wide, inverse, cols_);
        // To int8_t there is a way from half only, and half has every whole number up to 2048.
        LocalTensor<int32_t> whole = work.ReinterpretCast<int32_t>();
        LocalTensor<half> narrow = wide.ReinterpretCast<half>();
        Cast(whole, wide, RoundMode::CAST_RINT, cols_);
        Cast(narrow, whole, RoundMode::CAST_NONE, cols_);
        Cast(y, narrow, RoundMode::CAST_TRUNC, cols_);
        out_.EnQue(y);
        return most / kMost;
    }

    TQue<TPosition::VECIN, 2> in_;
    TQue<TPosition::VECOUT, 2> out_;
    TBuf<TPosition::VECCALC> wide_, work_, largest_;
    GlobalTensor<T> x_;
    GlobalTensor<int8_t> y_;
    GlobalTensor<float> scale_;
    uint32_t cols_;
};

extern "C" __global__ __aicore__ void dynamic_quant(GM_ADDR x, GM_ADDR y, GM_ADDR scale, GM_ADDR workspace,
                                                    GM_ADDR tiling) {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
    GET_TILING_DATA(tilingData, tiling);
    const uint32_t begin = GetBlockIdx() * tilingData.perCore;
    const uint32_t end = begin + tilingData.perCore;
    TPipe pipe;
    DynamicQuant<DTYPE_X> op(&pipe, tilingData.cols);
    op.Init(x, y, scale, tilingData.rows);
    op.Process(begin, end < tilingData.rows ? end : tilingData.rows);
}
