#ifndef MIX_INTO_KERNEL_H
#define MIX_INTO_KERNEL_H

#include "kernel_operator.h"
#include "kernel_operator_list_tensor_intf.h"
#include "mix_into_tiling.h"

// r, where x was: x times the sum of the gains, plus the list's tensors, plus the offset. s: r times a number of the
// host's.
template <typename TypeX, typename TypeParts, typename TypeGains, typename TypeOffset, typename TypeCurve,
          typename TypeFlags, typename TypeR, typename TypeS>
class MixIntoKernel {
public:
    __aicore__ inline void Init(GM_ADDR x, GM_ADDR parts, GM_ADDR gains, GM_ADDR offset, GM_ADDR /* curve */,
                                GM_ADDR /* flags */, GM_ADDR x_ref, GM_ADDR s, const MixIntoTilingData& tilingData) {
        tiling_ = &tilingData;
        xGm_.SetGlobalBuffer(reinterpret_cast<__gm__ TypeX*>(x));
        rGm_.SetGlobalBuffer(reinterpret_cast<__gm__ TypeR*>(x_ref));
        sGm_.SetGlobalBuffer(reinterpret_cast<__gm__ TypeS*>(s));
        partsList_.Init(reinterpret_cast<__gm__ void*>(parts));
        AscendC::GlobalTensor<TypeGains> gainsGm;
        gainsGm.SetGlobalBuffer(reinterpret_cast<__gm__ TypeGains*>(gains));
        for (uint32_t i = 0; i < tilingData.gainsCount; i++) {
            gain_ += gainsGm.GetValue(i);
        }
        if (tilingData.hasOffset != 0) {
            AscendC::GlobalTensor<TypeOffset> offsetGm;
            offsetGm.SetGlobalBuffer(reinterpret_cast<__gm__ TypeOffset*>(offset));
            offset_ = offsetGm.GetValue(0);
        }
        pipe_.InitBuffer(termQueue_, 2, tilingData.tileElements * sizeof(TypeX));
        pipe_.InitBuffer(sumQueue_, 1, tilingData.tileElements * sizeof(TypeR));
        pipe_.InitBuffer(scaledQueue_, 1, tilingData.tileElements * sizeof(TypeS));
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
        AscendC::LocalTensor<TypeR> sum = sumQueue_.AllocTensor<TypeR>();
        AscendC::LocalTensor<TypeX> first = Load(xGm_[offset], elementCount);
        AscendC::Muls(sum, first, gain_, elementCount);
        termQueue_.FreeTensor(first);
        for (uint32_t i = 0; i < tiling_->partsCount; i++) {
            AscendC::GlobalTensor<TypeParts> part;
            part.SetGlobalBuffer(partsList_.GetDataPtr<__gm__ TypeParts>(i));
            AscendC::LocalTensor<TypeX> term = Load(part[offset], elementCount);
            AscendC::Add(sum, sum, term, elementCount);
            termQueue_.FreeTensor(term);
        }
        AscendC::Adds(sum, sum, offset_, elementCount);
        AscendC::LocalTensor<TypeS> scaled = scaledQueue_.AllocTensor<TypeS>();
        AscendC::Muls(scaled, sum, tiling_->weight, elementCount);
        sumQueue_.EnQue(sum);
        scaledQueue_.EnQue(scaled);
        Store(rGm_[offset], sumQueue_, elementCount);
        Store(sGm_[offset], scaledQueue_, elementCount);
    }

    __aicore__ inline AscendC::LocalTensor<TypeX> Load(const AscendC::GlobalTensor<TypeX>& from,
                                                       uint32_t elementCount) {
        const AscendC::DataCopyExtParams copy{1, static_cast<uint32_t>(elementCount * sizeof(TypeX)), 0, 0, 0};
        AscendC::LocalTensor<TypeX> loaded = termQueue_.AllocTensor<TypeX>();
        AscendC::DataCopyPad(loaded, from, copy, AscendC::DataCopyPadExtParams<TypeX>());
        termQueue_.EnQue(loaded);
        return termQueue_.DeQue<TypeX>();
    }

    template <typename Queue>
    __aicore__ inline void Store(const AscendC::GlobalTensor<TypeS>& to, Queue& queue, uint32_t elementCount) {
        const AscendC::DataCopyExtParams copy{1, static_cast<uint32_t>(elementCount * sizeof(TypeS)), 0, 0, 0};
        AscendC::LocalTensor<TypeS> result = queue.template DeQue<TypeS>();
        AscendC::DataCopyPad(to, result, copy);
        queue.FreeTensor(result);
    }

    const MixIntoTilingData* tiling_;
    float gain_ = 0;
    float offset_ = 0;
    AscendC::TPipe pipe_;
    AscendC::TQue<AscendC::TPosition::VECIN, 1> termQueue_;
    AscendC::TQue<AscendC::TPosition::VECOUT, 1> sumQueue_;
    AscendC::TQue<AscendC::TPosition::VECOUT, 1> scaledQueue_;
    AscendC::GlobalTensor<TypeX> xGm_;
    AscendC::GlobalTensor<TypeR> rGm_;
    AscendC::GlobalTensor<TypeS> sGm_;
    AscendC::ListTensorDesc partsList_;
};

#endif  // MIX_INTO_KERNEL_H
