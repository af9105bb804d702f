#ifndef SCALE_EACH_KERNEL_H
#define SCALE_EACH_KERNEL_H

#include "scale_each_bindings.h"

// The cores take tensors in turn.
class ScaleEachKernel : public ScaleEachBindings {
public:
    __aicore__ inline void Init(AscendC::TPipe& pipe) {
        pipe.InitBuffer(inQueue, 2, tiling->tileElements * sizeof(TypeXs));
        pipe.InitBuffer(outQueue, 2, tiling->tileElements * sizeof(TypeYs));
    }

    __aicore__ inline void Process() {
        for (uint32_t i = AscendC::GetBlockIdx(); i < tiling->args.ysCount; i += AscendC::GetBlockNum()) {
            for (int64_t offset = 0; offset < tiling->sizes[i]; offset += tiling->tileElements) {
                const int64_t left = tiling->sizes[i] - offset;
                ProcessTile(XsAt(i)[offset], YsAt(i)[offset],
                            left < tiling->tileElements ? static_cast<uint32_t>(left) : tiling->tileElements);
            }
        }
    }

private:
    __aicore__ inline void ProcessTile(const AscendC::GlobalTensor<TypeXs>& x, const AscendC::GlobalTensor<TypeYs>& y,
                                       uint32_t elementCount) {
        const AscendC::DataCopyExtParams copy{1, static_cast<uint32_t>(elementCount * sizeof(TypeYs)), 0, 0, 0};
        AscendC::LocalTensor<TypeXs> loaded = inQueue.AllocTensor<TypeXs>();
        AscendC::DataCopyPad(loaded, x, copy, AscendC::DataCopyPadExtParams<TypeXs>());
        inQueue.EnQue(loaded);
        loaded = inQueue.DeQue<TypeXs>();
        AscendC::LocalTensor<TypeYs> result = outQueue.AllocTensor<TypeYs>();
        AscendC::Muls(result, loaded, static_cast<TypeYs>(tiling->args.alphaAttr), elementCount);
        inQueue.FreeTensor(loaded);
        outQueue.EnQue(result);
        result = outQueue.DeQue<TypeYs>();
        AscendC::DataCopyPad(y, result, copy);
        outQueue.FreeTensor(result);
    }

    AscendC::TQue<AscendC::TPosition::VECIN, 1> inQueue;
    AscendC::TQue<AscendC::TPosition::VECOUT, 1> outQueue;
};

#endif  // SCALE_EACH_KERNEL_H
