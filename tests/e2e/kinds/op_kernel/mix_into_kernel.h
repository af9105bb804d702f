#ifndef MIX_INTO_KERNEL_H
#define MIX_INTO_KERNEL_H

#include "mix_into_bindings.h"

// r, where x was: x times the sum of the gains, plus the list's tensors, plus the offset. s: r times a number of the
// host's.
class MixIntoKernel : public MixIntoBindings {
public:
    __aicore__ inline void Init(AscendC::TPipe& pipe) {
        for (uint32_t i = 0; i < tiling->gainsCount; i++) {
            gain_ += gainsGm.GetValue(i);
        }
        if (tiling->args.hasOffset != 0) {
            offset_ = offsetGm.GetValue(0);
        }
        pipe.InitBuffer(termQueue, 2, tiling->tileElements * sizeof(TypeX));
        pipe.InitBuffer(sumQueue, 1, tiling->tileElements * sizeof(TypeR));
        pipe.InitBuffer(scaledQueue, 1, tiling->tileElements * sizeof(TypeS));
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
        AscendC::LocalTensor<TypeR> sum = sumQueue.AllocTensor<TypeR>();
        AscendC::LocalTensor<TypeX> first = Load(xGm[offset], elementCount);
        AscendC::Muls(sum, first, gain_, elementCount);
        termQueue.FreeTensor(first);
        for (uint32_t i = 0; i < tiling->args.partsCount; i++) {
            AscendC::LocalTensor<TypeX> term = Load(PartsAt(i)[offset], elementCount);
            AscendC::Add(sum, sum, term, elementCount);
            termQueue.FreeTensor(term);
        }
        AscendC::Adds(sum, sum, offset_, elementCount);
        AscendC::LocalTensor<TypeS> scaled = scaledQueue.AllocTensor<TypeS>();
        AscendC::Muls(scaled, sum, tiling->weight, elementCount);
        sumQueue.EnQue(sum);
        scaledQueue.EnQue(scaled);
        Store(rGm[offset], sumQueue, elementCount);
        Store(sGm[offset], scaledQueue, elementCount);
    }

    __aicore__ inline AscendC::LocalTensor<TypeX> Load(const AscendC::GlobalTensor<TypeX>& from,
                                                       uint32_t elementCount) {
        const AscendC::DataCopyExtParams copy{1, static_cast<uint32_t>(elementCount * sizeof(TypeX)), 0, 0, 0};
        AscendC::LocalTensor<TypeX> loaded = termQueue.AllocTensor<TypeX>();
        AscendC::DataCopyPad(loaded, from, copy, AscendC::DataCopyPadExtParams<TypeX>());
        termQueue.EnQue(loaded);
        return termQueue.DeQue<TypeX>();
    }

    template <typename Queue>
    __aicore__ inline void Store(const AscendC::GlobalTensor<TypeS>& to, Queue& queue, uint32_t elementCount) {
        const AscendC::DataCopyExtParams copy{1, static_cast<uint32_t>(elementCount * sizeof(TypeS)), 0, 0, 0};
        AscendC::LocalTensor<TypeS> result = queue.template DeQue<TypeS>();
        AscendC::DataCopyPad(to, result, copy);
        queue.FreeTensor(result);
    }

    float gain_ = 0;
    float offset_ = 0;
    AscendC::TQue<AscendC::TPosition::VECIN, 1> termQueue;
    AscendC::TQue<AscendC::TPosition::VECOUT, 1> sumQueue;
    AscendC::TQue<AscendC::TPosition::VECOUT, 1> scaledQueue;
};

#endif  // MIX_INTO_KERNEL_H
