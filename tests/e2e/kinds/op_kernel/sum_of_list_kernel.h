#ifndef SUM_OF_LIST_KERNEL_H
#define SUM_OF_LIST_KERNEL_H

#include "sum_of_list_bindings.h"

// Each core has a stretch of the result's elements; for each tile the tensors of the list are added one by one.
class SumOfListKernel : public SumOfListBindings {
public:
    __aicore__ inline void Init(AscendC::TPipe& pipe) {
        pipe.InitBuffer(termQueue, 2, tiling->tileElements * sizeof(TypeXs));
        pipe.InitBuffer(sumQueue, 1, tiling->tileElements * sizeof(TypeY));
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
        const AscendC::DataCopyExtParams copy{1, static_cast<uint32_t>(elementCount * sizeof(TypeY)), 0, 0, 0};
        AscendC::LocalTensor<TypeY> sum = sumQueue.AllocTensor<TypeY>();
        AscendC::Duplicate(sum, static_cast<TypeY>(0), elementCount);
        for (uint32_t i = 0; i < tiling->args.xsCount; i++) {
            AscendC::LocalTensor<TypeXs> loaded = termQueue.AllocTensor<TypeXs>();
            AscendC::DataCopyPad(loaded, XsAt(i)[offset], copy, AscendC::DataCopyPadExtParams<TypeXs>());
            termQueue.EnQue(loaded);
            AscendC::LocalTensor<TypeXs> term = termQueue.DeQue<TypeXs>();
            AscendC::Add(sum, sum, term, elementCount);
            termQueue.FreeTensor(term);
        }
        sumQueue.EnQue(sum);
        AscendC::LocalTensor<TypeY> result = sumQueue.DeQue<TypeY>();
        AscendC::DataCopyPad(yGm[offset], result, copy);
        sumQueue.FreeTensor(result);
    }

    AscendC::TQue<AscendC::TPosition::VECIN, 1> termQueue;
    AscendC::TQue<AscendC::TPosition::VECOUT, 1> sumQueue;
};

#endif  // SUM_OF_LIST_KERNEL_H
