#ifndef PICK_ROW_KERNEL_H
#define PICK_ROW_KERNEL_H

#include "kernel_operator.h"
#include "pick_row_tiling.h"

// Each core copies a stretch of the row through UB: one tensor in, the same out.
template <typename TypeX, typename TypeRow, typename TypeY>
class PickRowKernel {
public:
    __aicore__ inline void Init(GM_ADDR x, GM_ADDR /* row */, GM_ADDR y, const PickRowTilingData& tilingData) {
        tiling_ = &tilingData;
        xGm_.SetGlobalBuffer(reinterpret_cast<__gm__ TypeX*>(x));
        yGm_.SetGlobalBuffer(reinterpret_cast<__gm__ TypeY*>(y));
        pipe_.InitBuffer(queue_, 2, tilingData.tileElements * sizeof(TypeX));
    }

    __aicore__ inline void Process() {
        const int64_t begin = tiling_->elementsPerBlock * AscendC::GetBlockIdx();
        const int64_t blockEnd = begin + tiling_->elementsPerBlock;
        const int64_t end = blockEnd < tiling_->totalElements ? blockEnd : tiling_->totalElements;
        for (int64_t offset = begin; offset < end; offset += tiling_->tileElements) {
            const int64_t left = end - offset;
            ProcessTile(offset, left < tiling_->tileElements ? static_cast<uint32_t>(left) : tiling_->tileElements);
        }
    }

private:
    __aicore__ inline void ProcessTile(int64_t offset, uint32_t elementCount) {
        const AscendC::DataCopyExtParams copy{1, static_cast<uint32_t>(elementCount * sizeof(TypeX)), 0, 0, 0};
        AscendC::LocalTensor<TypeX> row = queue_.AllocTensor<TypeX>();
        if (tiling_->pickedRow < 0) {
            AscendC::Duplicate(row, static_cast<TypeX>(0), elementCount);
            const event_t ready = static_cast<event_t>(GetTPipePtr()->FetchEventID(AscendC::HardEvent::V_MTE3));
            AscendC::SetFlag<AscendC::HardEvent::V_MTE3>(ready);
            AscendC::WaitFlag<AscendC::HardEvent::V_MTE3>(ready);
        } else {
            const int64_t start = tiling_->pickedRow * tiling_->totalElements + offset;
            AscendC::DataCopyPad(row, xGm_[start], copy, AscendC::DataCopyPadExtParams<TypeX>());
        }
        queue_.EnQue(row);
        AscendC::LocalTensor<TypeX> copied = queue_.DeQue<TypeX>();
        AscendC::DataCopyPad(yGm_[offset], copied, copy);
        queue_.FreeTensor(copied);
    }

    const PickRowTilingData* tiling_;
    AscendC::TPipe pipe_;
    AscendC::TQueBind<AscendC::TPosition::VECIN, AscendC::TPosition::VECOUT, 1> queue_;
    AscendC::GlobalTensor<TypeX> xGm_;
    AscendC::GlobalTensor<TypeY> yGm_;
};

#endif  // PICK_ROW_KERNEL_H
