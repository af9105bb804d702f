// Welford's mean and variance of rows that come in blocks.
// Documentation: SIMD-API/高阶API/归一化操作
#ifndef ASCENDC_ADV_NORMALIZATION_KERNEL_OPERATOR_WELFORD_INTF_H
#define ASCENDC_ADV_NORMALIZATION_KERNEL_OPERATOR_WELFORD_INTF_H

#ifndef ASCENDC_SIM_PUBLIC_HEADER
#define ASCENDC_SIM_PUBLIC_HEADER
#endif
#include "../../kernel_tensor.h"
#include "../../sim/adv_norm.h"

namespace AscendC {

struct WelfordUpdateConfig {
    constexpr WelfordUpdateConfig(const bool isInplaceIn) : isInplace(isInplaceIn) {}
    bool isInplace = false;
};
struct WelfordUpdateParam {
    uint32_t rnLength;
    uint32_t abLength;
    uint32_t abComputeLength;
    float nRec;
};
struct WelfordFinalizeConfig {
    constexpr WelfordFinalizeConfig(const bool isCorrectionIn) : isCorrection(isCorrectionIn) {}
    bool isCorrection = false;
};
struct WelfordFinalizePara {
    uint32_t rnLength;
    uint32_t abLength;
    uint32_t headCount;
    uint32_t headCountLength;
    uint32_t tailCount;
    uint32_t tailCountLength;
    float abRec;
    float rRec;
};
constexpr WelfordUpdateConfig WFUPDATE_DEFAULT_CFG = {false};
constexpr WelfordFinalizeConfig WFFINALIZE_DEFAULT_CFG = {false};

}  // namespace AscendC

namespace sim {

// What the forms of a function have in common: those without sharedTmpBuffer have null for `room`.
template <typename T, typename U, bool isReuseSource>
void WelfordUpdate(bool inplace, const AscendC::LocalTensor<U>& meanOut, const AscendC::LocalTensor<U>& varianceOut,
                   const AscendC::LocalTensor<U>& meanIn, const AscendC::LocalTensor<U>& varianceIn,
                   const AscendC::LocalTensor<T>& src, const Ub* room, const AscendC::WelfordUpdateParam& para,
                   Site site) {
    static_assert(kOneOf<T, half, float> && std::is_same<U, float>::value,
                  "WelfordUpdate: inputX is not half or float, or means and variances are not float"
                  " (高阶API/归一化操作/WelfordUpdate)");
    static_assert(!isReuseSource || !kOnM200,
                  "WelfordUpdate: isReuseSource is false on this product (高阶API/归一化操作/WelfordUpdate)");
    WelfordStep(
        {"WelfordUpdate", "高阶API/归一化操作/WelfordUpdate", site},
        {kDtype<T>, inplace, isReuseSource, para.rnLength, para.abLength, para.abComputeLength, ScalarValue(para.nRec),
         meanOut.Place(), varianceOut.Place(), meanIn.Place(), varianceIn.Place(), src.Place(), room});
}

inline void WelfordFinalize(const AscendC::LocalTensor<float>& meanOut, const AscendC::LocalTensor<float>& varianceOut,
                            const AscendC::LocalTensor<float>& meanIn, const AscendC::LocalTensor<float>& varianceIn,
                            const Ub* counts, const Ub* room, const AscendC::WelfordFinalizePara& para, Site site) {
    WelfordEnd({"WelfordFinalize", "高阶API/归一化操作/WelfordFinalize", site},
               {para.rnLength, para.abLength, para.headCount, para.headCountLength, para.tailCount,
                para.tailCountLength, ScalarValue(para.abRec), ScalarValue(para.rRec), meanOut.Place(),
                varianceOut.Place(), meanIn.Place(), varianceIn.Place(), counts, room});
}

}  // namespace sim

namespace AscendC {

template <typename T, typename U, bool isReuseSource = false, const WelfordUpdateConfig& config = WFUPDATE_DEFAULT_CFG>
void WelfordUpdate(const LocalTensor<U>& outputMean, const LocalTensor<U>& outputVariance,
                   const LocalTensor<U>& inputMean, const LocalTensor<U>& inputVariance, const LocalTensor<T>& inputX,
                   const LocalTensor<uint8_t>& sharedTmpBuffer, const WelfordUpdateParam& para,
                   sim::Site site = sim::Site::Here()) {
    sim::WelfordUpdate<T, U, isReuseSource>(config.isInplace, outputMean, outputVariance, inputMean, inputVariance,
                                            inputX, &sharedTmpBuffer.Place(), para, site);
}

template <typename T, typename U, bool isReuseSource = false, const WelfordUpdateConfig& config = WFUPDATE_DEFAULT_CFG>
void WelfordUpdate(const LocalTensor<U>& outputMean, const LocalTensor<U>& outputVariance,
                   const LocalTensor<U>& inputMean, const LocalTensor<U>& inputVariance, const LocalTensor<T>& inputX,
                   const WelfordUpdateParam& para, sim::Site site = sim::Site::Here()) {
    sim::WelfordUpdate<T, U, isReuseSource>(config.isInplace, outputMean, outputVariance, inputMean, inputVariance,
                                            inputX, nullptr, para, site);
}

template <bool isReuseSource = false>
void WelfordFinalize(const LocalTensor<float>& outputMean, const LocalTensor<float>& outputVariance,
                     const LocalTensor<float>& inputMean, const LocalTensor<float>& inputVariance,
                     const LocalTensor<uint8_t>& sharedTmpBuffer, WelfordFinalizePara& para,
                     sim::Site site = sim::Site::Here()) {
    sim::WelfordFinalize(outputMean, outputVariance, inputMean, inputVariance, nullptr, &sharedTmpBuffer.Place(), para,
                         site);
}

template <bool isReuseSource = false>
void WelfordFinalize(const LocalTensor<float>& outputMean, const LocalTensor<float>& outputVariance,
                     const LocalTensor<float>& inputMean, const LocalTensor<float>& inputVariance,
                     WelfordFinalizePara& para, sim::Site site = sim::Site::Here()) {
    sim::WelfordFinalize(outputMean, outputVariance, inputMean, inputVariance, nullptr, nullptr, para, site);
}

template <bool isReuseSource = false>
void WelfordFinalize(const LocalTensor<float>& outputMean, const LocalTensor<float>& outputVariance,
                     const LocalTensor<float>& inputMean, const LocalTensor<float>& inputVariance,
                     const LocalTensor<int32_t>& counts, const LocalTensor<uint8_t>& sharedTmpBuffer,
                     WelfordFinalizePara& para, sim::Site site = sim::Site::Here()) {
    sim::WelfordFinalize(outputMean, outputVariance, inputMean, inputVariance, &counts.Place(),
                         &sharedTmpBuffer.Place(), para, site);
}

template <bool isReuseSource = false>
void WelfordFinalize(const LocalTensor<float>& outputMean, const LocalTensor<float>& outputVariance,
                     const LocalTensor<float>& inputMean, const LocalTensor<float>& inputVariance,
                     const LocalTensor<int32_t>& counts, WelfordFinalizePara& para,
                     sim::Site site = sim::Site::Here()) {
    sim::WelfordFinalize(outputMean, outputVariance, inputMean, inputVariance, &counts.Place(), nullptr, para, site);
}

}  // namespace AscendC

#endif
