// What is on and below a diagonal of each matrix, zeros above: only what stays is read.
#include "kernel_operator.h"
#include "tril_tiling.h"

using namespace AscendC;

template <typename T>
class Tril {
public:
    __aicore__ inline Tril(TPipe* pipe, const TrilTilingData& tiling) : tiling_(tiling) {
        const uint32_t bytes = AlignUp(tiling.cols) * sizeof(T);
        pipe->InitBuffer(in_, 2, bytes);
        pipe->InitBuffer(out_, 2, bytes);
    }

    __aicore__ inline void Process(GM_ADDR x, GM_ADDR y) {
        const uint64_t total = static_cast<uint64_t>(tiling_.lines) * tiling_.cols;
        x_.SetGlobalBuffer(reinterpret_cast<__gm__ T*>(x), total);
        y_.SetGlobalBuffer(reinterpret_cast<__gm__ T*>(y), total);
        for (uint32_t line = GetBlockIdx(); line < tiling_.lines; line += GetBlockNum()) {
            const uint64_t offset = static_cast<uint64_t>(line) * tiling_.cols;
            Compute(offset, Kept(line % tiling_.rows));
            LocalTensor<T> y = out_.template DeQue<T>();
            DataCopyPad(y_[offset], y, {1, static_cast<uint32_t>(tiling_.cols * sizeof(T)), 0, 0, 0});
            out_.FreeTensor(y);
        }
    }

private:
    static constexpr uint32_t kBlock = 32 / sizeof(T);

    __aicore__ inline uint32_t AlignUp(uint32_t count) { return (count + kBlock - 1) / kBlock * kBlock; }

    // How many elements of a row are not above the diagonal.
    __aicore__ inline uint32_t Kept(uint32_t row) {
        const int64_t kept = static_cast<int64_t>(row) + tiling_.diagonal + 1;
        return kept < 0 ? 0 : (kept < tiling_.cols ? static_cast<uint32_t>(kept) : tiling_.cols);
    }

    __aicore__ inline void Compute(uint64_t offset, uint32_t kept) {
        LocalTensor<T> y = out_.template AllocTensor<T>();
        Duplicate(y, static_cast<T>(0), tiling_.cols);
        if (kept > 0) {
            LocalTensor<T> x = in_.template AllocTensor<T>();
            const uint8_t zeros = static_cast<uint8_t>(AlignUp(kept) - kept);
            DataCopyPad(x, x_[offset], {1, static_cast<uint32_t>(kept * sizeof(T)), 0, 0, 0}, {true, 0, zeros, 0});
            in_.EnQue(x);
            x = in_.template DeQue<T>();
            // The last block ends with the zeros that it was filled up with.
            DataCopy(y, x, AlignUp(kept));
            in_.FreeTensor(x);
        }
        out_.EnQue(y);
    }

    const TrilTilingData& tiling_;
    TQue<TPosition::VECIN, 2> in_;
    TQue<TPosition::VECOUT, 2> out_;
    GlobalTensor<T> x_, y_;
};

extern "C" __global__ __aicore__ void tril(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling) {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
    REGISTER_TILING_DEFAULT(TrilTilingData);
    GET_TILING_DATA(tilingData, tiling);
    TPipe pipe;
    Tril<DTYPE_X> op(&pipe, tilingData);
    op.Process(x, y);
}
