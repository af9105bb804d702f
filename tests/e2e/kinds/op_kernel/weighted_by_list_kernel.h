#ifndef WEIGHTED_BY_LIST_KERNEL_H
#define WEIGHTED_BY_LIST_KERNEL_H

#include "weighted_by_list_bindings.h"

// Each core has a stretch of the result, which is x one time after the other; a tile ends where x does.
class WeightedByListKernel : public WeightedByListBindings {
public:
    __aicore__ inline void Init(AscendC::TPipe& pipe) {
        pipe.InitBuffer(inQueue, 2, tiling->tileElements * sizeof(TypeX));
        pipe.InitBuffer(outQueue, 2, tiling->tileElements * sizeof(TypeY));
    }

    __aicore__ inline void Process() {
        const int64_t begin = tiling->elementsPerBlock * AscendC::GetBlockIdx();
        const int64_t blockEnd = begin + tiling->elementsPerBlock;
        const int64_t end = blockEnd < tiling->args.totalElements ? blockEnd : tiling->args.totalElements;
        const int64_t period = tiling->args.totalElements / tiling->args.copiesAttr;
        for (int64_t offset = begin; offset < end;) {
            const int64_t inCopy = offset % period;
            const int64_t room = end - offset < period - inCopy ? end - offset : period - inCopy;
            const uint32_t count = room < tiling->tileElements ? static_cast<uint32_t>(room) : tiling->tileElements;
            ProcessTile(inCopy, offset, count);
            offset += count;
        }
    }

private:
    __aicore__ inline void ProcessTile(int64_t source, int64_t target, uint32_t elementCount) {
        const AscendC::DataCopyExtParams copy{1, static_cast<uint32_t>(elementCount * sizeof(TypeX)), 0, 0, 0};
        AscendC::LocalTensor<TypeX> loaded = inQueue.AllocTensor<TypeX>();
        AscendC::DataCopyPad(loaded, xGm[source], copy, AscendC::DataCopyPadExtParams<TypeX>());
        inQueue.EnQue(loaded);
        AscendC::LocalTensor<TypeX> x = inQueue.DeQue<TypeX>();
        AscendC::LocalTensor<TypeY> y = outQueue.AllocTensor<TypeY>();
        AscendC::Muls(y, x, tiling->weight, elementCount);
        inQueue.FreeTensor(x);
        outQueue.EnQue(y);
        AscendC::LocalTensor<TypeY> result = outQueue.DeQue<TypeY>();
        AscendC::DataCopyPad(yGm[target], result, copy);
        outQueue.FreeTensor(result);
    }

    AscendC::TQue<AscendC::TPosition::VECIN, 1> inQueue;
    AscendC::TQue<AscendC::TPosition::VECOUT, 1> outQueue;
};

#endif  // WEIGHTED_BY_LIST_KERNEL_H
