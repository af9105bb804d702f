#ifndef SPLIT_EVEN_KERNEL_H
#define SPLIT_EVEN_KERNEL_H

#include "split_even_bindings.h"

// The cores take parts in turn; each copies its part, and writes twice of it to its place in the other result.
class SplitEvenKernel : public SplitEvenBindings {
public:
    __aicore__ inline void Init(AscendC::TPipe& pipe) {
        pipe.InitBuffer(inQueue, 1, tiling->tileElements * sizeof(TypeX));
        pipe.InitBuffer(outQueue, 1, tiling->tileElements * sizeof(TypeX));
    }

    __aicore__ inline void Process() {
        const int64_t size = tiling->args.totalElements / tiling->args.partsAttr;
        for (int64_t part = AscendC::GetBlockIdx(); part < tiling->args.ysCount; part += AscendC::GetBlockNum()) {
            for (int64_t offset = 0; offset < size; offset += tiling->tileElements) {
                const int64_t left = size - offset;
                ProcessTile(part, size, offset,
                            left < tiling->tileElements ? static_cast<uint32_t>(left) : tiling->tileElements);
            }
        }
    }

private:
    __aicore__ inline void ProcessTile(int64_t part, int64_t size, int64_t offset, uint32_t elementCount) {
        const AscendC::DataCopyExtParams copy{1, static_cast<uint32_t>(elementCount * sizeof(TypeX)), 0, 0, 0};
        AscendC::LocalTensor<TypeX> loaded = inQueue.AllocTensor<TypeX>();
        AscendC::DataCopyPad(loaded, xGm[part * size + offset], copy, AscendC::DataCopyPadExtParams<TypeX>());
        inQueue.EnQue(loaded);
        loaded = inQueue.DeQue<TypeX>();
        Write(loaded, YsAt(static_cast<uint32_t>(part))[offset], 1.0f, elementCount);
        Write(loaded, doubledGm[part * size + offset], 2.0f, elementCount);
        inQueue.FreeTensor(loaded);
    }

    __aicore__ inline void Write(const AscendC::LocalTensor<TypeX>& loaded, const AscendC::GlobalTensor<TypeX>& target,
                                 float factor, uint32_t elementCount) {
        const AscendC::DataCopyExtParams copy{1, static_cast<uint32_t>(elementCount * sizeof(TypeX)), 0, 0, 0};
        AscendC::LocalTensor<TypeX> result = outQueue.AllocTensor<TypeX>();
        AscendC::Muls(result, loaded, factor, elementCount);
        outQueue.EnQue(result);
        result = outQueue.DeQue<TypeX>();
        AscendC::DataCopyPad(target, result, copy);
        outQueue.FreeTensor(result);
    }

    AscendC::TQue<AscendC::TPosition::VECIN, 1> inQueue;
    AscendC::TQue<AscendC::TPosition::VECOUT, 1> outQueue;
};

#endif  // SPLIT_EVEN_KERNEL_H
