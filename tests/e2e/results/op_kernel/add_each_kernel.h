#ifndef ADD_EACH_KERNEL_H
#define ADD_EACH_KERNEL_H

#include "add_each_bindings.h"

// The cores take tensors in turn. The sums go to the memory of xs.
class AddEachKernel : public AddEachBindings {
public:
    __aicore__ inline void Init(AscendC::TPipe& pipe) {
        pipe.InitBuffer(xQueue, 1, tiling->tileElements * sizeof(TypeXs));
        pipe.InitBuffer(termQueue, 1, tiling->tileElements * sizeof(TypeXs));
        pipe.InitBuffer(sumQueue, 1, tiling->tileElements * sizeof(TypeXs));
    }

    __aicore__ inline void Process() {
        for (uint32_t i = AscendC::GetBlockIdx(); i < tiling->args.sumsCount; i += AscendC::GetBlockNum()) {
            for (int64_t offset = 0; offset < tiling->sizes[i]; offset += tiling->tileElements) {
                const int64_t left = tiling->sizes[i] - offset;
                ProcessTile(i, offset,
                            left < tiling->tileElements ? static_cast<uint32_t>(left) : tiling->tileElements);
            }
        }
    }

private:
    __aicore__ inline void ProcessTile(uint32_t i, int64_t offset, uint32_t elementCount) {
        const AscendC::DataCopyExtParams copy{1, static_cast<uint32_t>(elementCount * sizeof(TypeXs)), 0, 0, 0};
        AscendC::LocalTensor<TypeXs> x = xQueue.AllocTensor<TypeXs>();
        AscendC::LocalTensor<TypeXs> term = termQueue.AllocTensor<TypeXs>();
        AscendC::DataCopyPad(x, XsAt(i)[offset], copy, AscendC::DataCopyPadExtParams<TypeXs>());
        AscendC::DataCopyPad(term, TermAt(i)[offset], copy, AscendC::DataCopyPadExtParams<TypeXs>());
        xQueue.EnQue(x);
        termQueue.EnQue(term);
        x = xQueue.DeQue<TypeXs>();
        term = termQueue.DeQue<TypeXs>();
        AscendC::LocalTensor<TypeXs> sum = sumQueue.AllocTensor<TypeXs>();
        AscendC::Add(sum, x, term, elementCount);
        xQueue.FreeTensor(x);
        termQueue.FreeTensor(term);
        sumQueue.EnQue(sum);
        sum = sumQueue.DeQue<TypeXs>();
        AscendC::DataCopyPad(SumsAt(i)[offset], sum, copy);
        sumQueue.FreeTensor(sum);
    }

    AscendC::TQue<AscendC::TPosition::VECIN, 1> xQueue;
    AscendC::TQue<AscendC::TPosition::VECIN, 1> termQueue;
    AscendC::TQue<AscendC::TPosition::VECOUT, 1> sumQueue;
};

#endif  // ADD_EACH_KERNEL_H
