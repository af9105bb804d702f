// Softmax of rows that come in blocks, each row moved by the means of its parts.
// Documentation: SIMD-API/高阶API/激活函数/SoftMax接口/SoftmaxFlashV3
#ifndef ASCENDC_ADV_ACTIVATION_SOFTMAXFLASHV3_H
#define ASCENDC_ADV_ACTIVATION_SOFTMAXFLASHV3_H

#ifndef ASCENDC_SIM_PUBLIC_HEADER
#define ASCENDC_SIM_PUBLIC_HEADER
#endif
#include "kernel_operator_softmax_intf.h"

namespace AscendC {

struct SoftMaxParams {
    uint32_t srcM = 0;
    uint32_t srcK = 0;
    uint32_t oriSrcM = 0;
    uint32_t oriSrcK = 0;
    uint32_t loopCnt = 1;
    uint32_t splitMeanCnt = 8;
    float alpha = 0.9375f;
};

}  // namespace AscendC

namespace sim {

// The operands and the rules of both forms; without sharedTmpBuffer `room` is null.
template <typename T, typename U, bool isUpdate, bool isReserved>
void SoftmaxFlashV3(const AscendC::LocalTensor<T>& dst, const AscendC::LocalTensor<U>& mean,
                    const AscendC::LocalTensor<U>& sum, const AscendC::LocalTensor<U>& max,
                    const AscendC::LocalTensor<T>& src, const AscendC::LocalTensor<T>& expMax,
                    const AscendC::LocalTensor<U>& inMean, const AscendC::LocalTensor<U>& inSum,
                    const AscendC::LocalTensor<U>& inMax, const Ub* room, const AscendC::SoftMaxParams& params,
                    Site site) {
    ASCENDC_SIM_ADV_DTYPE(SoftmaxFlashV3, "激活函数/SoftMax接口/SoftmaxFlashV3", A2<half>, M200<>);
    static_assert(std::is_same<U, float>::value,
                  "SoftmaxFlashV3: means, sums and maxima are not float"
                  " (高阶API/激活函数/SoftMax接口/SoftmaxFlashV3)");
    static_assert(!isReserved,
                  "SoftmaxFlashV3: isReuseSource, isBasicBlock and isDataFormatNZ are reserved: false"
                  " (高阶API/激活函数/SoftMax接口/SoftmaxFlashV3)");
    SoftmaxMeans({"SoftmaxFlashV3", "高阶API/激活函数/SoftMax接口/SoftmaxFlashV3", site},
                 {isUpdate, params.srcM, params.srcK, params.oriSrcM, params.oriSrcK, params.loopCnt,
                  params.splitMeanCnt, static_cast<double>(params.alpha), dst.Place(), mean.Place(), sum.Place(),
                  max.Place(), src.Place(), expMax.Place(), inMean.Place(), inSum.Place(), inMax.Place(), room});
}

}  // namespace sim

namespace AscendC {

template <typename T, typename U, bool isUpdate = false, bool isReuseSource = false, bool isBasicBlock = false,
          bool isDataFormatNZ = false, const SoftmaxConfig& config = SOFTMAX_DEFAULT_CFG>
void SoftmaxFlashV3(const LocalTensor<T>& dstTensor, const LocalTensor<U>& meanTensor,
                    const LocalTensor<U>& expSumTensor, const LocalTensor<U>& maxTensor,
                    const LocalTensor<T>& srcTensor, const LocalTensor<T>& expMaxTensor,
                    const LocalTensor<U>& inMeanTensor, const LocalTensor<U>& inExpSumTensor,
                    const LocalTensor<U>& inMaxTensor, const LocalTensor<uint8_t>& sharedTmpBuffer,
                    const SoftMaxTiling&, const SoftMaxParams& params, sim::Site site = sim::Site::Here()) {
    sim::SoftmaxFlashV3<T, U, isUpdate, isReuseSource || isBasicBlock || isDataFormatNZ>(
        dstTensor, meanTensor, expSumTensor, maxTensor, srcTensor, expMaxTensor, inMeanTensor, inExpSumTensor,
        inMaxTensor, &sharedTmpBuffer.Place(), params, site);
}

template <typename T, typename U, bool isUpdate = false, bool isReuseSource = false, bool isBasicBlock = false,
          bool isDataFormatNZ = false, const SoftmaxConfig& config = SOFTMAX_DEFAULT_CFG>
void SoftmaxFlashV3(const LocalTensor<T>& dstTensor, const LocalTensor<U>& meanTensor,
                    const LocalTensor<U>& expSumTensor, const LocalTensor<U>& maxTensor,
                    const LocalTensor<T>& srcTensor, const LocalTensor<T>& expMaxTensor,
                    const LocalTensor<U>& inMeanTensor, const LocalTensor<U>& inExpSumTensor,
                    const LocalTensor<U>& inMaxTensor, const SoftMaxTiling&, const SoftMaxParams& params,
                    sim::Site site = sim::Site::Here()) {
    sim::SoftmaxFlashV3<T, U, isUpdate, isReuseSource || isBasicBlock || isDataFormatNZ>(
        dstTensor, meanTensor, expSumTensor, maxTensor, srcTensor, expMaxTensor, inMeanTensor, inExpSumTensor,
        inMaxTensor, nullptr, params, site);
}

}  // namespace AscendC

#endif
