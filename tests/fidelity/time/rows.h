// Kernels over rows as a developer writes them, for the comparison with measured times: in float, several short rows or
// one long row at a time, one buffer in and one out, as in examples/gallery/rms_norm_rows.
#include "kernel_operator.h"

using namespace AscendC;

constexpr uint32_t kLanes = 64;
constexpr uint32_t kBlock = 8;     // floats of a block
constexpr uint32_t kShort = 1984;  // whose stride in blocks still fits into the 8 bits of a repeat stride

struct RowsTiling {
    uint32_t rows;
    uint32_t cols;
};

template <typename T, bool isSoftmax>
class Rows {
public:
    __aicore__ inline Rows(TPipe* pipe, RowsTiling tiling)
        : rows_(tiling.rows), cols_(tiling.cols), pitch_((tiling.cols + kLanes - 1) / kLanes * kLanes) {
        together_ = cols_ > kShort ? 1 : kShort * 2 / pitch_ < kLanes ? kShort * 2 / pitch_ : kLanes;
        together_ = together_ < kBlock ? together_ : together_ / kBlock * kBlock;
        const uint32_t tile = together_ * pitch_;
        pipe->InitBuffer(in_, 1, tile * sizeof(T));
        pipe->InitBuffer(out_, 1, tile * sizeof(T));
        // conversions need a buffer of their own; float uses that of the output
        pipe->InitBuffer(wide_, IsSameType<T, float>::value ? kBlock * sizeof(float) : tile * sizeof(float));
        pipe->InitBuffer(partial_, (together_ * kLanes > pitch_ / kBlock ? together_ * kLanes : pitch_ / kBlock) * 4);
        pipe->InitBuffer(gamma_, isSoftmax ? 32 : pitch_ * sizeof(float));
        pipe->InitBuffer(sums_, kLanes * sizeof(float));
        pipe->InitBuffer(spread_, kLanes * kBlock * sizeof(float));
    }

    __aicore__ inline void Process(GM_ADDR x, GM_ADDR gamma, GM_ADDR y) {
        const uint64_t total = static_cast<uint64_t>(rows_) * cols_;
        x_.SetGlobalBuffer(reinterpret_cast<__gm__ T*>(x), total);
        y_.SetGlobalBuffer(reinterpret_cast<__gm__ T*>(y), total);
        const uint32_t bytes = cols_ * sizeof(T);
        const uint32_t gap = (pitch_ * sizeof(T) - (bytes + 31) / 32 * 32) / 32;
        const DataCopyPadExtParams<T> plain{false, 0, 0, 0};
        if constexpr (!isSoftmax) {
            GlobalTensor<T> from;
            from.SetGlobalBuffer(reinterpret_cast<__gm__ T*>(gamma), cols_);
            LocalTensor<T> narrow = in_.template AllocTensor<T>();
            DataCopyPad(narrow, from, {1, bytes, 0, 0, 0}, plain);
            in_.EnQue(narrow);
            narrow = in_.template DeQue<T>();
            Widen(gamma_.template Get<float>(), narrow, cols_);
            in_.FreeTensor(narrow);
        }
        const uint64_t step = static_cast<uint64_t>(GetBlockNum()) * together_;
        for (uint64_t row = static_cast<uint64_t>(GetBlockIdx()) * together_; row < rows_; row += step) {
            const uint32_t count = rows_ - row < together_ ? static_cast<uint32_t>(rows_ - row) : together_;
            LocalTensor<T> from = in_.template AllocTensor<T>();
            if (cols_ != pitch_) {
                Duplicate(from, static_cast<T>(0.0f), together_ * pitch_);
                SetFlag<HardEvent::V_MTE2>(EVENT_ID0);
                WaitFlag<HardEvent::V_MTE2>(EVENT_ID0);
            }
            DataCopyPad(from, x_[row * cols_], {static_cast<uint16_t>(count), bytes, 0, gap, 0}, plain);
            in_.EnQue(from);
            from = in_.template DeQue<T>();
            LocalTensor<T> to = out_.template AllocTensor<T>();
            Compute(from, to, count);
            in_.FreeTensor(from);
            out_.EnQue(to);
            to = out_.template DeQue<T>();
            DataCopyPad(y_[row * cols_], to, {static_cast<uint16_t>(count), bytes, gap, 0, 0});
            out_.FreeTensor(to);
        }
    }

private:
    __aicore__ inline void Widen(const LocalTensor<float>& wide, const LocalTensor<T>& narrow, uint32_t count) {
        if constexpr (IsSameType<T, float>::value) {
            Adds(wide, narrow, 0.0f, count);
        } else {
            Cast(wide, narrow, RoundMode::CAST_NONE, count);
        }
    }

    __aicore__ inline void Compute(const LocalTensor<T>& x, const LocalTensor<T>& y, uint32_t rows) {
        LocalTensor<float> wide;
        if constexpr (IsSameType<T, float>::value) {
            wide = y;
        } else {
            wide = wide_.template Get<float>();
        }
        const uint32_t all = rows * pitch_;
        Widen(wide, x, all);
        if constexpr (isSoftmax) {
            Each(wide, Reduced<true>(wide, rows), rows,
                 [](const auto& to, const auto& with, auto lanes, auto n, auto p) { Sub(to, to, with, lanes, n, p); });
            Exp(wide, wide, all);
            Each(wide, Inverse(Reduced<false>(wide, rows), rows), rows,
                 [](const auto& to, const auto& with, auto lanes, auto n, auto p) { Mul(to, to, with, lanes, n, p); });
        } else {
            Mul(wide, wide, wide, all);
            LocalTensor<float> sums = Reduced<false>(wide, rows);
            Muls(sums, sums, 1.0f / static_cast<float>(static_cast<int32_t>(cols_)), rows);
            Adds(sums, sums, 1e-6f, rows);
            Sqrt(sums, sums, rows);
            Widen(wide, x, all);
            Each(wide, Inverse(sums, rows), rows,
                 [](const auto& to, const auto& with, auto lanes, auto n, auto p) { Mul(to, to, with, lanes, n, p); });
            LocalTensor<float> gamma = gamma_.template Get<float>();
            const uint8_t pitch = static_cast<uint8_t>(pitch_ / kBlock);
            if (rows == 1) {
                Mul(wide, wide, gamma, cols_);
            } else {
                for (uint32_t col = 0; col < cols_; col += kLanes) {
                    Mul(wide[col], wide[col], gamma[col], Lanes(col), static_cast<uint8_t>(rows),
                        {1, 1, 1, pitch, pitch, 0});
                }
            }
        }
        if constexpr (!IsSameType<T, float>::value) {
            Cast(y, wide, RoundMode::CAST_RINT, all);
        }
    }

    __aicore__ inline uint64_t Lanes(uint32_t col) const { return cols_ - col < kLanes ? cols_ - col : kLanes; }

    // The largest element, or the sum, of each row.
    template <bool isMax>
    __aicore__ inline LocalTensor<float> Reduced(const LocalTensor<float>& wide, uint32_t rows) {
        LocalTensor<float> sums = sums_.template Get<float>();
        LocalTensor<float> partial = partial_.template Get<float>();
        if (rows == 1) {
            if constexpr (isMax) {
                ReduceMax(sums, wide, partial, cols_);
            } else {
                ReduceSum(sums, wide, partial, cols_);
            }
            return sums;
        }
        const uint8_t pitch = static_cast<uint8_t>(pitch_ / kBlock);
        const uint8_t count = static_cast<uint8_t>(rows);
        if constexpr (isMax) {
            Duplicate(partial, -3.0e38f, rows * kLanes);
        } else {
            Duplicate(partial, 0.0f, rows * kLanes);
        }
        for (uint32_t col = 0; col < cols_; col += kLanes) {
            if constexpr (isMax) {
                Max(partial, partial, wide[col], Lanes(col), count, {1, 1, 1, kBlock, kBlock, pitch});
            } else {
                Add(partial, partial, wide[col], Lanes(col), count, {1, 1, 1, kBlock, kBlock, pitch});
            }
        }
        if constexpr (isMax) {
            WholeReduceMax(sums, partial, kLanes, rows, 1, 1, kBlock, ReduceOrder::ORDER_ONLY_VALUE);
        } else {
            WholeReduceSum(sums, partial, kLanes, rows, 1, 1, kBlock);
        }
        return sums;
    }

    __aicore__ inline LocalTensor<float> Inverse(const LocalTensor<float>& sums, uint32_t rows) {
        LocalTensor<float> ones = partial_.template Get<float>();
        Duplicate(ones, 1.0f, rows);
        Div(sums, ones, sums, rows);
        return sums;
    }

    // Combines each row with its number.
    template <typename Function>
    __aicore__ inline void Each(const LocalTensor<float>& wide, const LocalTensor<float>& sums, uint32_t rows,
                                Function function) {
        LocalTensor<float> spread = spread_.template Get<float>();
        Brcb(spread, sums, static_cast<uint8_t>((rows + kBlock - 1) / kBlock), {1, kBlock});
        if (rows == 1) {
            const uint32_t whole = cols_ / kLanes;
            for (uint32_t done = 0; done < whole; done += 255) {
                const uint8_t times = static_cast<uint8_t>(whole - done < 255 ? whole - done : 255);
                function(wide[done * kLanes], spread, static_cast<uint64_t>(kLanes), times,
                         BinaryRepeatParams{1, 1, 0, 8, 8, 0});
            }
            if (cols_ % kLanes != 0) {
                function(wide[whole * kLanes], spread, static_cast<uint64_t>(cols_ % kLanes), static_cast<uint8_t>(1),
                         BinaryRepeatParams{1, 1, 0, 8, 8, 0});
            }
            return;
        }
        const uint8_t pitch = static_cast<uint8_t>(pitch_ / kBlock);
        for (uint32_t col = 0; col < cols_; col += kLanes) {
            function(wide[col], spread, Lanes(col), static_cast<uint8_t>(rows),
                     BinaryRepeatParams{1, 1, 0, pitch, pitch, 1});
        }
    }

    TQue<TPosition::VECIN, 1> in_;
    TQue<TPosition::VECOUT, 1> out_;
    TBuf<TPosition::VECCALC> wide_, partial_, gamma_, sums_, spread_;
    GlobalTensor<T> x_, y_;
    uint32_t rows_, cols_, pitch_, together_;
};
