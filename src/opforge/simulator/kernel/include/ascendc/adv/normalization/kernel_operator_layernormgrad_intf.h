// The gradients of a layer normalisation.
// Documentation: SIMD-API/高阶API/归一化操作
#ifndef ASCENDC_ADV_NORMALIZATION_KERNEL_OPERATOR_LAYERNORMGRAD_INTF_H
#define ASCENDC_ADV_NORMALIZATION_KERNEL_OPERATOR_LAYERNORMGRAD_INTF_H

#ifndef ASCENDC_SIM_PUBLIC_HEADER
#define ASCENDC_SIM_PUBLIC_HEADER
#endif
#include "../../kernel_tensor.h"
#include "../../sim/adv_norm.h"
#include "../../../kernel_tiling/kernel_tiling.h"

namespace AscendC {

struct LayerNormGradShapeInfo {
    DataFormat dataFormat = DataFormat::ND;
};

}  // namespace AscendC

namespace sim {

// What the forms of a function have in common: those without sharedTmpBuffer have null for `room`.
template <typename T, bool isReuseSource>
void LayerNormGrad(const AscendC::LocalTensor<T>& pdX, const AscendC::LocalTensor<T>& resForGamma,
                   const AscendC::LocalTensor<T>& dy, const AscendC::LocalTensor<T>& x,
                   const AscendC::LocalTensor<T>& variance, const AscendC::LocalTensor<T>& mean,
                   const AscendC::LocalTensor<T>& gamma, const Ub* room, double epsilon,
                   const LayerNormGradTiling& tiling, const AscendC::LayerNormGradShapeInfo& shape, Site site) {
    ASCENDC_SIM_ADV_DTYPE(LayerNormGrad, "归一化操作/LayerNormGrad", A2<half, float>, M200<half, float>);
    static_assert(!isReuseSource || std::is_same<T, float>::value,
                  "LayerNormGrad: isReuseSource is for float (高阶API/归一化操作/LayerNormGrad)");
    NormGrad({"LayerNormGrad", "高阶API/归一化操作/LayerNormGrad", site},
             {kDtype<T>, isReuseSource, shape.dataFormat == AscendC::DataFormat::ND, tiling.bLength * tiling.sLength,
              tiling.originalHLength, tiling.hLength, pdX.Place(), resForGamma.Place(), dy.Place(), x.Place(),
              variance.Place(), mean.Place(), gamma.Place(), epsilon, room});
}

template <typename T, bool isReuseSource>
void LayerNormGradBeta(const AscendC::LocalTensor<T>& pdGamma, const AscendC::LocalTensor<T>& pdBeta,
                       const AscendC::LocalTensor<T>& resForGamma, const AscendC::LocalTensor<T>& dy, const Ub* room,
                       const LayerNormGradBetaTiling& tiling, Site site) {
    ASCENDC_SIM_ADV_DTYPE(LayerNormGradBeta, "归一化操作/LayerNormGradBeta", A2<half, float>, M200<half, float>);
    static_assert(!isReuseSource || std::is_same<T, float>::value,
                  "LayerNormGradBeta: isReuseSource is for float (高阶API/归一化操作/LayerNormGradBeta)");
    NormGradBeta({"LayerNormGradBeta", "高阶API/归一化操作/LayerNormGradBeta", site},
                 {kDtype<T>, isReuseSource, tiling.bLength * tiling.sLength, tiling.originalHLength, tiling.hLength,
                  pdGamma.Place(), pdBeta.Place(), resForGamma.Place(), dy.Place(), room});
}

}  // namespace sim

namespace AscendC {

template <typename T, bool isReuseSource = false>
void LayerNormGrad(const LocalTensor<T>& outputPdX, const LocalTensor<T>& resForGamma, const LocalTensor<T>& inputDy,
                   const LocalTensor<T>& inputX, const LocalTensor<T>& inputVariance, const LocalTensor<T>& inputMean,
                   const LocalTensor<T>& inputGamma, LocalTensor<uint8_t>& sharedTmpBuffer, T epsilon,
                   LayerNormGradTiling& tiling, const LayerNormGradShapeInfo& shapeInfo = {},
                   sim::Site site = sim::Site::Here()) {
    sim::LayerNormGrad<T, isReuseSource>(outputPdX, resForGamma, inputDy, inputX, inputVariance, inputMean, inputGamma,
                                         &sharedTmpBuffer.Place(), sim::ScalarValue(epsilon), tiling, shapeInfo, site);
}

template <typename T, bool isReuseSource = false>
void LayerNormGrad(const LocalTensor<T>& outputPdX, const LocalTensor<T>& resForGamma, const LocalTensor<T>& inputDy,
                   const LocalTensor<T>& inputX, const LocalTensor<T>& inputVariance, const LocalTensor<T>& inputMean,
                   const LocalTensor<T>& inputGamma, T epsilon, LayerNormGradTiling& tiling,
                   const LayerNormGradShapeInfo& shapeInfo = {}, sim::Site site = sim::Site::Here()) {
    sim::LayerNormGrad<T, isReuseSource>(outputPdX, resForGamma, inputDy, inputX, inputVariance, inputMean, inputGamma,
                                         nullptr, sim::ScalarValue(epsilon), tiling, shapeInfo, site);
}

template <typename T, bool isReuseSource = false>
void LayerNormGradBeta(const LocalTensor<T>& outputPdGamma, const LocalTensor<T>& outputPdBeta,
                       const LocalTensor<T>& resForGamma, const LocalTensor<T>& inputDy,
                       const LocalTensor<uint8_t>& sharedTmpBuffer, const LayerNormGradBetaTiling& tiling,
                       sim::Site site = sim::Site::Here()) {
    sim::LayerNormGradBeta<T, isReuseSource>(outputPdGamma, outputPdBeta, resForGamma, inputDy,
                                             &sharedTmpBuffer.Place(), tiling, site);
}

template <typename T, bool isReuseSource = false>
void LayerNormGradBeta(const LocalTensor<T>& outputPdGamma, const LocalTensor<T>& outputPdBeta,
                       const LocalTensor<T>& resForGamma, const LocalTensor<T>& inputDy,
                       LayerNormGradBetaTiling& tiling, sim::Site site = sim::Site::Here()) {
    sim::LayerNormGradBeta<T, isReuseSource>(outputPdGamma, outputPdBeta, resForGamma, inputDy, nullptr, tiling, site);
}

}  // namespace AscendC

#endif
