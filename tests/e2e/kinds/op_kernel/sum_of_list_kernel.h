#ifndef SUM_OF_LIST_KERNEL_H
#define SUM_OF_LIST_KERNEL_H

#include "kernel_operator.h"
#include "kernel_operator_list_tensor_intf.h"
#include "sum_of_list_tiling.h"

// Each core has a stretch of the result's elements; for each tile the tensors of the list are added one by one.
template <typename TypeXs, typename TypeY>
class SumOfListKernel {
public:
    __aicore__ inline void Init(GM_ADDR xs, GM_ADDR y, const SumOfListTilingData& tilingData) {
        tiling_ = &tilingData;
        yGm_.SetGlobalBuffer(reinterpret_cast<__gm__ TypeY*>(y));
        xsList_.Init(reinterpret_cast<__gm__ void*>(xs));
        pipe_.InitBuffer(termQueue_, 2, tilingData.tileElements * sizeof(TypeXs));
        pipe_.InitBuffer(sumQueue_, 1, tilingData.tileElements * sizeof(TypeY));
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
        const AscendC::DataCopyExtParams copy{1, static_cast<uint32_t>(elementCount * sizeof(TypeY)), 0, 0, 0};
        AscendC::LocalTensor<TypeY> sum = sumQueue_.AllocTensor<TypeY>();
        AscendC::Duplicate(sum, static_cast<TypeY>(0), elementCount);
        for (uint32_t i = 0; i < tiling_->xsCount; i++) {
            AscendC::LocalTensor<TypeXs> loaded = termQueue_.AllocTensor<TypeXs>();
            AscendC::DataCopyPad(loaded, XsAt(i)[offset], copy, AscendC::DataCopyPadExtParams<TypeXs>());
            termQueue_.EnQue(loaded);
            AscendC::LocalTensor<TypeXs> term = termQueue_.DeQue<TypeXs>();
            AscendC::Add(sum, sum, term, elementCount);
            termQueue_.FreeTensor(term);
        }
        sumQueue_.EnQue(sum);
        AscendC::LocalTensor<TypeY> result = sumQueue_.DeQue<TypeY>();
        AscendC::DataCopyPad(yGm_[offset], result, copy);
        sumQueue_.FreeTensor(result);
    }

    // One of tiling_->xsCount tensors.
    __aicore__ inline AscendC::GlobalTensor<TypeXs> XsAt(uint32_t index) {
        AscendC::GlobalTensor<TypeXs> tensor;
        tensor.SetGlobalBuffer(xsList_.GetDataPtr<__gm__ TypeXs>(index));
        return tensor;
    }

    const SumOfListTilingData* tiling_;
    AscendC::TPipe pipe_;
    AscendC::TQue<AscendC::TPosition::VECIN, 1> termQueue_;
    AscendC::TQue<AscendC::TPosition::VECOUT, 1> sumQueue_;
    AscendC::GlobalTensor<TypeY> yGm_;
    AscendC::ListTensorDesc xsList_;
};

#endif  // SUM_OF_LIST_KERNEL_H
