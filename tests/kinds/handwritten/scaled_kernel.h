#ifndef SCALED_KERNEL_H
#define SCALED_KERNEL_H

#include "scaled_bindings.h"

// y = alpha * x
class ScaledKernel : public ScaledBindings {
public:
    __aicore__ inline void Init(AscendC::TPipe& pipe) {
        pipe.InitBuffer(inQueueX, kBuffers, tiling->tileElements * sizeof(TypeX));
        pipe.InitBuffer(outQueueY, kBuffers, tiling->tileElements * sizeof(TypeY));
    }

    __aicore__ inline void Process() {
        const int64_t begin = tiling->elementsPerBlock * AscendC::GetBlockIdx();
        const int64_t blockEnd = begin + tiling->elementsPerBlock;
        const int64_t end = blockEnd < tiling->args.totalElements ? blockEnd : tiling->args.totalElements;
        for (int64_t offset = begin; offset < end; offset += tiling->tileElements) {
            const int64_t left = end - offset;
            const uint32_t elementCount =
                left < tiling->tileElements ? static_cast<uint32_t>(left) : tiling->tileElements;
            CopyIn(offset, elementCount);
            Compute(elementCount);
            CopyOut(offset, elementCount);
        }
    }

private:
    static constexpr uint32_t kBuffers = 2;

    __aicore__ inline void CopyIn(int64_t offset, uint32_t elementCount) {
        AscendC::LocalTensor<TypeX> xLocal = inQueueX.AllocTensor<TypeX>();
        const AscendC::DataCopyExtParams copy{1, elementCount * static_cast<uint32_t>(sizeof(TypeX)), 0, 0, 0};
        AscendC::DataCopyPad(xLocal, xGm[offset], copy, AscendC::DataCopyPadExtParams<TypeX>());
        inQueueX.EnQue(xLocal);
    }

    __aicore__ inline void Compute(uint32_t elementCount) {
        AscendC::LocalTensor<TypeX> xLocal = inQueueX.DeQue<TypeX>();
        AscendC::LocalTensor<TypeY> yLocal = outQueueY.AllocTensor<TypeY>();
        AscendC::Muls(yLocal, xLocal, tiling->args.alphaAttr * tiling->factor, elementCount);
        outQueueY.EnQue(yLocal);
        inQueueX.FreeTensor(xLocal);
    }

    __aicore__ inline void CopyOut(int64_t offset, uint32_t elementCount) {
        AscendC::LocalTensor<TypeY> yLocal = outQueueY.DeQue<TypeY>();
        const AscendC::DataCopyExtParams copy{1, elementCount * static_cast<uint32_t>(sizeof(TypeY)), 0, 0, 0};
        AscendC::DataCopyPad(yGm[offset], yLocal, copy);
        outQueueY.FreeTensor(yLocal);
    }

    AscendC::TQue<AscendC::TPosition::VECIN, 1> inQueueX;
    AscendC::TQue<AscendC::TPosition::VECOUT, 1> outQueueY;
};

#endif  // SCALED_KERNEL_H
