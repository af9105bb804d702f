#ifndef WEIGHTED_SUM_KERNEL_H
#define WEIGHTED_SUM_KERNEL_H

#include "kernel_operator.h"
#include "weighted_sum_tiling_data.h"

// Each core has a stretch of the elements, and goes through it tile by tile.
class WeightedSumKernel {
public:
    __aicore__ inline void Init(GM_ADDR x, GM_ADDR y, GM_ADDR z, const WeightedSumTilingData& tilingData) {
        tiling_ = &tilingData;
        xGm_.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(x));
        yGm_.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(y));
        zGm_.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(z));
        pipe_.InitBuffer(xQueue_, 2, kTile * sizeof(float));
        pipe_.InitBuffer(yQueue_, 2, kTile * sizeof(float));
        pipe_.InitBuffer(zQueue_, 2, kTile * sizeof(float));
    }

    __aicore__ inline void Process() {
        const int64_t begin = tiling_->elementsPerBlock * AscendC::GetBlockIdx();
        const int64_t blockEnd = begin + tiling_->elementsPerBlock;
        const int64_t end = blockEnd < tiling_->totalElements ? blockEnd : tiling_->totalElements;
        for (int64_t offset = begin; offset < end; offset += kTile) {
            const int64_t left = end - offset;
            ProcessTile(offset, left < kTile ? static_cast<uint32_t>(left) : kTile);
        }
    }

private:
    static constexpr uint32_t kTile = 2048;  // elements

    __aicore__ inline void ProcessTile(int64_t offset, uint32_t count) {
        const AscendC::DataCopyExtParams copy{1, static_cast<uint32_t>(count * sizeof(float)), 0, 0, 0};
        const AscendC::DataCopyPadExtParams<float> unpadded;
        AscendC::LocalTensor<float> xLoaded = xQueue_.AllocTensor<float>();
        AscendC::DataCopyPad(xLoaded, xGm_[offset], copy, unpadded);
        xQueue_.EnQue(xLoaded);
        AscendC::LocalTensor<float> yLoaded = yQueue_.AllocTensor<float>();
        AscendC::DataCopyPad(yLoaded, yGm_[offset], copy, unpadded);
        yQueue_.EnQue(yLoaded);
        AscendC::LocalTensor<float> x = xQueue_.DeQue<float>();
        AscendC::LocalTensor<float> y = yQueue_.DeQue<float>();
        AscendC::LocalTensor<float> z = zQueue_.AllocTensor<float>();
        AscendC::Muls(z, y, tiling_->alpha, count);
        AscendC::Add(z, z, x, count);
        xQueue_.FreeTensor(x);
        yQueue_.FreeTensor(y);
        zQueue_.EnQue(z);
        AscendC::LocalTensor<float> result = zQueue_.DeQue<float>();
        AscendC::DataCopyPad(zGm_[offset], result, copy);
        zQueue_.FreeTensor(result);
    }

    const WeightedSumTilingData* tiling_;
    AscendC::TPipe pipe_;
    AscendC::TQue<AscendC::TPosition::VECIN, 1> xQueue_;
    AscendC::TQue<AscendC::TPosition::VECIN, 1> yQueue_;
    AscendC::TQue<AscendC::TPosition::VECOUT, 1> zQueue_;
    AscendC::GlobalTensor<float> xGm_;
    AscendC::GlobalTensor<float> yGm_;
    AscendC::GlobalTensor<float> zGm_;
};

#endif  // WEIGHTED_SUM_KERNEL_H
