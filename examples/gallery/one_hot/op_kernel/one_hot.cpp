// Rows of zeros with a one where the index says.
#include "kernel_operator.h"

using namespace AscendC;

class OneHot {
public:
    __aicore__ inline OneHot(TPipe* pipe, uint32_t rows, uint32_t depth) : rows_(rows), depth_(depth) {
        pipe->InitBuffer(out_, 2, (depth + 7) / 8 * 32);
    }

    __aicore__ inline void Init(GM_ADDR index, GM_ADDR y) {
        index_.SetGlobalBuffer((__gm__ int32_t*)index);
        y_.SetGlobalBuffer((__gm__ float*)y);
    }

    __aicore__ inline void Process() {
        for (uint32_t row = GetBlockIdx(); row < rows_; row += GetBlockNum()) {
            LocalTensor<float> y = out_.AllocTensor<float>();
            Duplicate(y, 0.0f, depth_);
            const int32_t hot = index_.GetValue(row);
            if (hot >= 0 && hot < static_cast<int32_t>(depth_)) {
                y.SetValue(hot, 1.0f);
            }
            out_.EnQue(y);
            y = out_.DeQue<float>();
            DataCopyPad(y_[static_cast<uint64_t>(row) * depth_], y, {1, depth_ * 4, 0, 0, 0});
            out_.FreeTensor(y);
        }
    }

private:
    TQue<TPosition::VECOUT, 2> out_;
    GlobalTensor<int32_t> index_;
    GlobalTensor<float> y_;
    uint32_t rows_, depth_;
};

extern "C" __global__ __aicore__ void one_hot(GM_ADDR index, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling) {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
    GET_TILING_DATA(tilingData, tiling);
    TPipe pipe;
    OneHot op(&pipe, tilingData.rows, tilingData.depth);
    op.Init(index, y);
    op.Process();
}
