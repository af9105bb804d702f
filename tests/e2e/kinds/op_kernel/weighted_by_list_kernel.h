#ifndef WEIGHTED_BY_LIST_KERNEL_H
#define WEIGHTED_BY_LIST_KERNEL_H

#include "kernel_operator.h"
#include "weighted_by_list_tiling.h"

// Each core has a stretch of the result, which is x one time after the other; a tile ends where x does.
template <typename TypeX, typename TypeY>
class WeightedByListKernel {
public:
    __aicore__ inline void Init(GM_ADDR x, GM_ADDR y, const WeightedByListTilingData& tilingData) {
        tiling_ = &tilingData;
        xGm_.SetGlobalBuffer(reinterpret_cast<__gm__ TypeX*>(x));
        yGm_.SetGlobalBuffer(reinterpret_cast<__gm__ TypeY*>(y));
        pipe_.InitBuffer(inQueue_, 2, tilingData.tileElements * sizeof(TypeX));
        pipe_.InitBuffer(outQueue_, 2, tilingData.tileElements * sizeof(TypeY));
    }

    __aicore__ inline void Process() {
        const int64_t begin = tiling_->elementsPerBlock * AscendC::GetBlockIdx();
        const int64_t blockEnd = begin + tiling_->elementsPerBlock;
        const int64_t end = blockEnd < tiling_->totalElements ? blockEnd : tiling_->totalElements;
        const int64_t period = tiling_->totalElements / tiling_->copiesAttr;
        for (int64_t offset = begin; offset < end;) {
            const int64_t inCopy = offset % period;
            const int64_t room = end - offset < period - inCopy ? end - offset : period - inCopy;
            const uint32_t count = room < tiling_->tileElements ? static_cast<uint32_t>(room) : tiling_->tileElements;
            ProcessTile(inCopy, offset, count);
            offset += count;
        }
    }

private:
    __aicore__ inline void ProcessTile(int64_t source, int64_t target, uint32_t elementCount) {
        const AscendC::DataCopyExtParams copy{1, static_cast<uint32_t>(elementCount * sizeof(TypeX)), 0, 0, 0};
        AscendC::LocalTensor<TypeX> loaded = inQueue_.AllocTensor<TypeX>();
        AscendC::DataCopyPad(loaded, xGm_[source], copy, AscendC::DataCopyPadExtParams<TypeX>());
        inQueue_.EnQue(loaded);
        AscendC::LocalTensor<TypeX> x = inQueue_.DeQue<TypeX>();
        AscendC::LocalTensor<TypeY> y = outQueue_.AllocTensor<TypeY>();
        AscendC::Muls(y, x, tiling_->weight, elementCount);
        inQueue_.FreeTensor(x);
        outQueue_.EnQue(y);
        AscendC::LocalTensor<TypeY> result = outQueue_.DeQue<TypeY>();
        AscendC::DataCopyPad(yGm_[target], result, copy);
        outQueue_.FreeTensor(result);
    }

    const WeightedByListTilingData* tiling_;
    AscendC::TPipe pipe_;
    AscendC::TQue<AscendC::TPosition::VECIN, 1> inQueue_;
    AscendC::TQue<AscendC::TPosition::VECOUT, 1> outQueue_;
    AscendC::GlobalTensor<TypeX> xGm_;
    AscendC::GlobalTensor<TypeY> yGm_;
};

#endif  // WEIGHTED_BY_LIST_KERNEL_H
