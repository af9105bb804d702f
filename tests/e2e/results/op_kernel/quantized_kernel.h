#ifndef QUANTIZED_KERNEL_H
#define QUANTIZED_KERNEL_H

#include "quantized_bindings.h"

// Each core has a stretch of the elements. Two elements of int4 share a byte.
class QuantizedKernel : public QuantizedBindings {
public:
    __aicore__ inline void Init(AscendC::TPipe& pipe) {
        pipe.InitBuffer(inQueue, 2, tiling->tileElements * sizeof(TypeX));
        pipe.InitBuffer(outQueue, 2, tiling->tileElements * sizeof(TypeY));
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
    static constexpr uint32_t kBytesOfTwo = AscendC::IsSameType<TypeY, AscendC::int4b_t>::value ? 1 : 2;

    __aicore__ inline void ProcessTile(int64_t offset, uint32_t elementCount) {
        const AscendC::DataCopyExtParams in{1, static_cast<uint32_t>(elementCount * sizeof(TypeX)), 0, 0, 0};
        const AscendC::DataCopyExtParams out{1, elementCount * kBytesOfTwo / 2, 0, 0, 0};
        AscendC::LocalTensor<TypeX> loaded = inQueue.AllocTensor<TypeX>();
        AscendC::DataCopyPad(loaded, xGm[offset], in, AscendC::DataCopyPadExtParams<TypeX>());
        inQueue.EnQue(loaded);
        loaded = inQueue.DeQue<TypeX>();
        AscendC::LocalTensor<TypeY> result = outQueue.AllocTensor<TypeY>();
        AscendC::Cast(result, loaded, AscendC::RoundMode::CAST_RINT, elementCount);
        inQueue.FreeTensor(loaded);
        outQueue.EnQue(result);
        result = outQueue.DeQue<TypeY>();
        AscendC::DataCopyPad(yGm[offset], result, out);
        outQueue.FreeTensor(result);
    }

    AscendC::TQue<AscendC::TPosition::VECIN, 1> inQueue;
    AscendC::TQue<AscendC::TPosition::VECOUT, 1> outQueue;
};

#endif  // QUANTIZED_KERNEL_H
