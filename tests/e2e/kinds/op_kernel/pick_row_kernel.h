#ifndef PICK_ROW_KERNEL_H
#define PICK_ROW_KERNEL_H

#include "pick_row_bindings.h"

// Each core copies a stretch of the row through UB: one tensor in, the same out.
class PickRowKernel : public PickRowBindings {
public:
    __aicore__ inline void Init(AscendC::TPipe& pipe) {
        pipe.InitBuffer(rowQueue, 2, tiling->tileElements * sizeof(TypeX));
    }

    __aicore__ inline void Process() {
        const int64_t begin = tiling->elementsPerBlock * AscendC::GetBlockIdx();
        const int64_t blockEnd = begin + tiling->elementsPerBlock;
        const int64_t end = blockEnd < tiling->args.totalElements ? blockEnd : tiling->args.totalElements;
        for (int64_t offset = begin; offset < end; offset += tiling->tileElements) {
            const int64_t left = end - offset;
            ProcessTile(offset, left < tiling->tileElements ? static_cast<uint32_t>(left) : tiling->tileElements);
        }
    }

private:
    __aicore__ inline void ProcessTile(int64_t offset, uint32_t elementCount) {
        const AscendC::DataCopyExtParams copy{1, static_cast<uint32_t>(elementCount * sizeof(TypeX)), 0, 0, 0};
        AscendC::LocalTensor<TypeX> row = rowQueue.AllocTensor<TypeX>();
        if (tiling->pickedRow < 0) {
            AscendC::Duplicate(row, static_cast<TypeX>(0), elementCount);
            const event_t ready = static_cast<event_t>(GetTPipePtr()->FetchEventID(AscendC::HardEvent::V_MTE3));
            AscendC::SetFlag<AscendC::HardEvent::V_MTE3>(ready);
            AscendC::WaitFlag<AscendC::HardEvent::V_MTE3>(ready);
        } else {
            const int64_t start = tiling->pickedRow * tiling->args.totalElements + offset;
            AscendC::DataCopyPad(row, xGm[start], copy, AscendC::DataCopyPadExtParams<TypeX>());
        }
        rowQueue.EnQue(row);
        AscendC::LocalTensor<TypeX> copied = rowQueue.DeQue<TypeX>();
        AscendC::DataCopyPad(yGm[offset], copied, copy);
        rowQueue.FreeTensor(copied);
    }

    AscendC::TQueBind<AscendC::TPosition::VECIN, AscendC::TPosition::VECOUT, 1> rowQueue;
};

#endif  // PICK_ROW_KERNEL_H
