// Normalisation of rows, of groups of channels, and of columns.
// Documentation: SIMD-API/高阶API/归一化操作
#ifndef ASCENDC_ADV_NORMALIZATION_KERNEL_OPERATOR_NORM_INTF_H
#define ASCENDC_ADV_NORMALIZATION_KERNEL_OPERATOR_NORM_INTF_H

#ifndef ASCENDC_SIM_PUBLIC_HEADER
#define ASCENDC_SIM_PUBLIC_HEADER
#endif
#include "../../kernel_tensor.h"
#include "../../sim/adv_norm.h"
#include "../../../kernel_tiling/kernel_tiling.h"
#include "../../../kernel_tiling/reduce_pattern.h"

namespace AscendC {

struct LayerNormConfig {
    bool isNoBeta = false;
    bool isNoGamma = false;
    bool isOnlyOutput = false;
    bool isOutputRstd = true;
};
struct LayerNormPara {
    uint32_t aLength;
    uint32_t rLength;
    uint32_t rLengthWithPadding;
};
struct NormalizeConfig {
    ReducePattern reducePattern = ReducePattern::AR;
    int32_t aLength = -1;
    bool isNoBeta = false;
    bool isNoGamma = false;
    bool isOnlyOutput = false;
};
struct NormalizePara {
    uint32_t aLength;
    uint32_t rLength;
    uint32_t rLengthWithPadding;
};
constexpr LayerNormConfig LNCFG_NORM = {false, false, false, true};
constexpr NormalizeConfig NLCFG_NORM = {ReducePattern::AR, -1, false, false, false};
constexpr NormalizeConfig NLCFG_NOBETA = {ReducePattern::AR, -1, true, false, false};
constexpr NormalizeConfig NLCFG_NOGAMMA = {ReducePattern::AR, -1, false, true, false};
constexpr NormalizeConfig NLCFG_NOOPT = {ReducePattern::AR, -1, true, true, false};

}  // namespace AscendC

namespace sim {

// Of gamma and beta U, of inputX and output T: no less precise.
template <typename U, typename T>
inline constexpr bool kNormTypes = (kOneOf<T, half, float> && std::is_same<T, U>::value) ||
                                   (std::is_same<T, half>::value && std::is_same<U, float>::value);

// What the forms of a function have in common: those without sharedTmpBuffer have null for `room`.
template <typename T>
NormOperands NormOf(NormOp op, Dtype scale, Dtype stat, const AscendC::LocalTensor<T>& dst,
                    const AscendC::LocalTensor<T>& src, double epsilon, const Ub* room) {
    NormOperands x{};
    x.op = op;
    x.type = kDtype<T>;
    x.scaleType = scale;
    x.statType = stat;
    x.dst = dst.Place();
    x.src = src.Place();
    x.epsilon = epsilon;
    x.room = room;
    return x;
}

// Rows as the tilings of shape [B, S, H] have them.
template <typename Tiling>
void SetRows(NormOperands& x, const Tiling& tiling) {
    x.rows = tiling.bLength * tiling.sLength;
    x.used = tiling.originalHLength;
    x.stride = tiling.hLength;
}

template <typename T>
void RmsNorm(NormOperands x, bool basic, const AscendC::LocalTensor<T>& gamma, const RmsNormTiling& tiling, Site site) {
    ASCENDC_SIM_ADV_DTYPE(RmsNorm, "归一化操作/RmsNorm", A2<half, float>, M200<half, float>);
    SetRows(x, tiling);
    x.basic = basic;
    x.gamma = &gamma.Place();
    Norm({"RmsNorm", "高阶API/归一化操作/RmsNorm", site}, x);
}

template <typename T, bool isReuseSource>
void LayerNorm(NormOperands x, const AscendC::LocalTensor<T>& mean, const AscendC::LocalTensor<T>& variance,
               const AscendC::LocalTensor<T>& gamma, const AscendC::LocalTensor<T>& beta, const LayerNormTiling& tiling,
               Site site) {
    ASCENDC_SIM_ADV_DTYPE(LayerNorm, "归一化操作/LayerNorm", A2<half, float>, M200<half, float>);
    static_assert(!isReuseSource || std::is_same<T, float>::value,
                  "LayerNorm: isReuseSource is for float (高阶API/归一化操作/LayerNorm)");
    SetRows(x, tiling);
    x.reuse = isReuseSource;
    x.gamma = &gamma.Place();
    x.beta = &beta.Place();
    x.mean = &mean.Place();
    x.variance = &variance.Place();
    Norm({"LayerNorm", "高阶API/归一化操作/LayerNorm", site}, x);
}

template <typename U, typename T, const AscendC::LayerNormConfig& config>
void LayerNormRstd(NormOperands x, const AscendC::LocalTensor<float>& mean, const AscendC::LocalTensor<float>& rstd,
                   const AscendC::LocalTensor<U>& gamma, const AscendC::LocalTensor<U>& beta,
                   const AscendC::LayerNormPara& para, const LayerNormSeparateTiling& tiling, Site site) {
    static_assert(kNormTypes<U, T>,
                  "LayerNorm: inputX is not half or float, or gamma and beta are less precise"
                  " (高阶API/归一化操作/LayerNorm)");
    static_assert(!config.isOnlyOutput && config.isOutputRstd,
                  "LayerNorm: config.isOnlyOutput is not false, or config.isOutputRstd not true"
                  " (高阶API/归一化操作/LayerNorm)");
    x.rows = para.aLength;
    x.used = para.rLength;
    x.stride = para.rLengthWithPadding;
    x.tilingRows = tiling.aLength;
    x.tilingUsed = tiling.rLength;
    x.gamma = config.isNoGamma ? nullptr : &gamma.Place();
    x.beta = config.isNoBeta ? nullptr : &beta.Place();
    x.mean = &mean.Place();
    x.rstd = &rstd.Place();
    Norm({"LayerNorm", "高阶API/归一化操作/LayerNorm", site}, x);
}

template <typename U, typename T, const AscendC::NormalizeConfig& config>
void Normalize(NormOperands x, const AscendC::LocalTensor<float>& rstd, const AscendC::LocalTensor<float>& mean,
               const AscendC::LocalTensor<float>& variance, const AscendC::LocalTensor<U>& gamma,
               const AscendC::LocalTensor<U>& beta, const AscendC::NormalizePara& para, Site site) {
    static_assert(kNormTypes<U, T>,
                  "Normalize: inputX is not half or float, or gamma and beta are less precise"
                  " (高阶API/归一化操作/Normalize)");
    static_assert(config.reducePattern == AscendC::ReducePattern::AR && !config.isOnlyOutput,
                  "Normalize: config.reducePattern is not AR, or config.isOnlyOutput not false"
                  " (高阶API/归一化操作/Normalize)");
    x.rows = para.aLength;
    x.used = para.rLength;
    x.stride = para.rLengthWithPadding;
    x.tilingRows = config.aLength == -1 ? para.aLength : static_cast<uint32_t>(config.aLength);
    x.gamma = config.isNoGamma ? nullptr : &gamma.Place();
    x.beta = config.isNoBeta ? nullptr : &beta.Place();
    x.mean = &mean.Place();
    x.variance = &variance.Place();
    x.rstd = &rstd.Place();
    Norm({"Normalize", "高阶API/归一化操作/Normalize", site}, x);
}

// What the page calls rstdLocal receives the variance: so do its example and asc-devkit's.
template <typename T, bool isReuseSrc>
void DeepNorm(NormOperands x, bool basic, const AscendC::LocalTensor<T>& mean, const AscendC::LocalTensor<T>& variance,
              const AscendC::LocalTensor<T>& residual, const AscendC::LocalTensor<T>& beta,
              const AscendC::LocalTensor<T>& gamma, double alpha, const DeepNormTiling& tiling, Site site) {
    ASCENDC_SIM_ADV_DTYPE(DeepNorm, "归一化操作/DeepNorm", A2<half, float>, M200<half, float>);
    static_assert(!isReuseSrc || std::is_same<T, float>::value,
                  "DeepNorm: isReuseSrc is for float (高阶API/归一化操作/DeepNorm)");
    SetRows(x, tiling);
    x.basic = basic;
    x.reuse = isReuseSrc;
    x.residual = &residual.Place();
    x.alpha = alpha;
    x.gamma = &gamma.Place();
    x.beta = &beta.Place();
    x.mean = &mean.Place();
    x.variance = &variance.Place();
    Norm({"DeepNorm", "高阶API/归一化操作/DeepNorm", site}, x);
}

template <typename T, bool isReuseSource>
void GroupNorm(NormOperands x, const AscendC::LocalTensor<T>& mean, const AscendC::LocalTensor<T>& variance,
               const AscendC::LocalTensor<T>& gamma, const AscendC::LocalTensor<T>& beta, const GroupNormTiling& tiling,
               Site site) {
    ASCENDC_SIM_ADV_DTYPE(GroupNorm, "归一化操作/GroupNorm", A2<half, float>, M200<>);
    static_assert(!isReuseSource || std::is_same<T, float>::value,
                  "GroupNorm: isReuseSource is for float (高阶API/归一化操作/GroupNorm)");
    x.reuse = isReuseSource;
    x.rows = tiling.n * tiling.g;
    x.used = tiling.d * tiling.hw;
    x.stride = tiling.dhwAlignSize;
    x.plane = tiling.hw;
    x.channels = tiling.c;
    x.gamma = &gamma.Place();
    x.beta = &beta.Place();
    x.mean = &mean.Place();
    x.variance = &variance.Place();
    Norm({"GroupNorm", "高阶API/归一化操作/GroupNorm", site}, x);
}

template <typename T, bool isReuseSource>
void BatchNorm(bool basic, const AscendC::LocalTensor<T>& dst, const AscendC::LocalTensor<T>& mean,
               const AscendC::LocalTensor<T>& variance, const AscendC::LocalTensor<T>& src,
               const AscendC::LocalTensor<T>& gamma, const AscendC::LocalTensor<T>& beta, const Ub* room,
               double epsilon, const BatchNormTiling& tiling, Site site) {
    ASCENDC_SIM_ADV_DTYPE(BatchNorm, "归一化操作/BatchNorm", A2<half, float>, M200<half, float>);
    static_assert(!isReuseSource, "BatchNorm: isReuseSource is reserved: false (高阶API/归一化操作/BatchNorm)");
    NormColumns({"BatchNorm", "高阶API/归一化操作/BatchNorm", site},
                {kDtype<T>, basic, tiling.originalBLength, tiling.meanVarSize, dst.Place(), mean.Place(),
                 variance.Place(), src.Place(), gamma.Place(), beta.Place(), epsilon, room});
}

}  // namespace sim

namespace AscendC {

template <typename T, bool isBasicBlock = false>
void RmsNorm(const LocalTensor<T>& dstLocal, const LocalTensor<T>& srcLocal, const LocalTensor<T>& gammaLocal,
             const LocalTensor<uint8_t>& sharedTmpBuffer, const T epsilon, const RmsNormTiling& tiling,
             sim::Site site = sim::Site::Here()) {
    sim::RmsNorm(sim::NormOf(sim::NormOp::kRms, sim::kDtype<T>, sim::kDtype<T>, dstLocal, srcLocal,
                             sim::ScalarValue(epsilon), &sharedTmpBuffer.Place()),
                 isBasicBlock, gammaLocal, tiling, site);
}

template <typename T, bool isBasicBlock = false>
void RmsNorm(const LocalTensor<T>& dstLocal, const LocalTensor<T>& srcLocal, const LocalTensor<T>& gammaLocal,
             const T epsilon, const RmsNormTiling& tiling, sim::Site site = sim::Site::Here()) {
    sim::RmsNorm(sim::NormOf(sim::NormOp::kRms, sim::kDtype<T>, sim::kDtype<T>, dstLocal, srcLocal,
                             sim::ScalarValue(epsilon), nullptr),
                 isBasicBlock, gammaLocal, tiling, site);
}

template <typename T, bool isReuseSource = false>
void LayerNorm(const LocalTensor<T>& output, const LocalTensor<T>& outputMean, const LocalTensor<T>& outputVariance,
               const LocalTensor<T>& inputX, const LocalTensor<T>& gamma, const LocalTensor<T>& beta,
               const LocalTensor<uint8_t>& sharedTmpBuffer, const T epsilon, LayerNormTiling& tiling,
               sim::Site site = sim::Site::Here()) {
    sim::LayerNorm<T, isReuseSource>(sim::NormOf(sim::NormOp::kLayer, sim::kDtype<T>, sim::kDtype<T>, output, inputX,
                                                 sim::ScalarValue(epsilon), &sharedTmpBuffer.Place()),
                                     outputMean, outputVariance, gamma, beta, tiling, site);
}

template <typename T, bool isReuseSource = false>
void LayerNorm(const LocalTensor<T>& output, const LocalTensor<T>& outputMean, const LocalTensor<T>& outputVariance,
               const LocalTensor<T>& inputX, const LocalTensor<T>& gamma, const LocalTensor<T>& beta, const T epsilon,
               LayerNormTiling& tiling, sim::Site site = sim::Site::Here()) {
    sim::LayerNorm<T, isReuseSource>(sim::NormOf(sim::NormOp::kLayer, sim::kDtype<T>, sim::kDtype<T>, output, inputX,
                                                 sim::ScalarValue(epsilon), nullptr),
                                     outputMean, outputVariance, gamma, beta, tiling, site);
}

template <typename U, typename T, bool isReuseSource = false, const LayerNormConfig& config = LNCFG_NORM>
void LayerNorm(const LocalTensor<T>& output, const LocalTensor<float>& outputMean, const LocalTensor<float>& outputRstd,
               const LocalTensor<T>& inputX, const LocalTensor<U>& gamma, const LocalTensor<U>& beta,
               const float epsilon, const LocalTensor<uint8_t>& sharedTmpBuffer, const LayerNormPara& para,
               const LayerNormSeparateTiling& tiling, sim::Site site = sim::Site::Here()) {
    sim::LayerNormRstd<U, T, config>(sim::NormOf(sim::NormOp::kLayerRstd, sim::kDtype<U>, sim::Dtype::kFloat, output,
                                                 inputX, sim::ScalarValue(epsilon), &sharedTmpBuffer.Place()),
                                     outputMean, outputRstd, gamma, beta, para, tiling, site);
}

template <typename U, typename T, bool isReuseSource = false, const LayerNormConfig& config = LNCFG_NORM>
void LayerNorm(const LocalTensor<T>& output, const LocalTensor<float>& outputMean, const LocalTensor<float>& outputRstd,
               const LocalTensor<T>& inputX, const LocalTensor<U>& gamma, const LocalTensor<U>& beta,
               const float epsilon, const LayerNormPara& para, const LayerNormSeparateTiling& tiling,
               sim::Site site = sim::Site::Here()) {
    sim::LayerNormRstd<U, T, config>(sim::NormOf(sim::NormOp::kLayerRstd, sim::kDtype<U>, sim::Dtype::kFloat, output,
                                                 inputX, sim::ScalarValue(epsilon), nullptr),
                                     outputMean, outputRstd, gamma, beta, para, tiling, site);
}

template <typename U, typename T, bool isReuseSource = false, const NormalizeConfig& config = NLCFG_NORM>
void Normalize(const LocalTensor<T>& output, const LocalTensor<float>& outputRstd, const LocalTensor<float>& inputMean,
               const LocalTensor<float>& inputVariance, const LocalTensor<T>& inputX, const LocalTensor<U>& gamma,
               const LocalTensor<U>& beta, const LocalTensor<uint8_t>& sharedTmpBuffer, const float epsilon,
               const NormalizePara& para, sim::Site site = sim::Site::Here()) {
    sim::Normalize<U, T, config>(sim::NormOf(sim::NormOp::kNormalize, sim::kDtype<U>, sim::Dtype::kFloat, output,
                                             inputX, sim::ScalarValue(epsilon), &sharedTmpBuffer.Place()),
                                 outputRstd, inputMean, inputVariance, gamma, beta, para, site);
}

template <typename U, typename T, bool isReuseSource = false, const NormalizeConfig& config = NLCFG_NORM>
void Normalize(const LocalTensor<T>& output, const LocalTensor<float>& outputRstd, const LocalTensor<float>& inputMean,
               const LocalTensor<float>& inputVariance, const LocalTensor<T>& inputX, const LocalTensor<U>& gamma,
               const LocalTensor<U>& beta, const float epsilon, const NormalizePara& para,
               sim::Site site = sim::Site::Here()) {
    sim::Normalize<U, T, config>(sim::NormOf(sim::NormOp::kNormalize, sim::kDtype<U>, sim::Dtype::kFloat, output,
                                             inputX, sim::ScalarValue(epsilon), nullptr),
                                 outputRstd, inputMean, inputVariance, gamma, beta, para, site);
}

template <typename T, bool isReuseSrc = false, bool isBasicBlock = false>
void DeepNorm(const LocalTensor<T>& dstLocal, const LocalTensor<T>& meanLocal, const LocalTensor<T>& rstdLocal,
              const LocalTensor<T>& srcLocal, const LocalTensor<T>& gxLocal, const LocalTensor<T>& betaLocal,
              const LocalTensor<T>& gammaLocal, const LocalTensor<uint8_t>& sharedTmpBuffer, const T alpha,
              const T epsilon, DeepNormTiling& tiling, sim::Site site = sim::Site::Here()) {
    sim::DeepNorm<T, isReuseSrc>(sim::NormOf(sim::NormOp::kDeep, sim::kDtype<T>, sim::kDtype<T>, dstLocal, srcLocal,
                                             sim::ScalarValue(epsilon), &sharedTmpBuffer.Place()),
                                 isBasicBlock, meanLocal, rstdLocal, gxLocal, betaLocal, gammaLocal,
                                 sim::ScalarValue(alpha), tiling, site);
}

template <typename T, bool isReuseSrc = false, bool isBasicBlock = false>
void DeepNorm(const LocalTensor<T>& dstLocal, const LocalTensor<T>& meanLocal, const LocalTensor<T>& rstdLocal,
              const LocalTensor<T>& srcLocal, const LocalTensor<T>& gxLocal, const LocalTensor<T>& betaLocal,
              const LocalTensor<T>& gammaLocal, const T alpha, const T epsilon, DeepNormTiling& tiling,
              sim::Site site = sim::Site::Here()) {
    sim::DeepNorm<T, isReuseSrc>(sim::NormOf(sim::NormOp::kDeep, sim::kDtype<T>, sim::kDtype<T>, dstLocal, srcLocal,
                                             sim::ScalarValue(epsilon), nullptr),
                                 isBasicBlock, meanLocal, rstdLocal, gxLocal, betaLocal, gammaLocal,
                                 sim::ScalarValue(alpha), tiling, site);
}

template <typename T, bool isReuseSource = false>
void GroupNorm(const LocalTensor<T>& output, const LocalTensor<T>& outputMean, const LocalTensor<T>& outputVariance,
               const LocalTensor<T>& inputX, const LocalTensor<T>& gamma, const LocalTensor<T>& beta,
               const LocalTensor<uint8_t>& sharedTmpBuffer, const T epsilon, GroupNormTiling& tiling,
               sim::Site site = sim::Site::Here()) {
    sim::GroupNorm<T, isReuseSource>(sim::NormOf(sim::NormOp::kGroup, sim::kDtype<T>, sim::kDtype<T>, output, inputX,
                                                 sim::ScalarValue(epsilon), &sharedTmpBuffer.Place()),
                                     outputMean, outputVariance, gamma, beta, tiling, site);
}

template <typename T, bool isReuseSource = false>
void GroupNorm(const LocalTensor<T>& output, const LocalTensor<T>& outputMean, const LocalTensor<T>& outputVariance,
               const LocalTensor<T>& inputX, const LocalTensor<T>& gamma, const LocalTensor<T>& beta, const T epsilon,
               GroupNormTiling& tiling, sim::Site site = sim::Site::Here()) {
    sim::GroupNorm<T, isReuseSource>(sim::NormOf(sim::NormOp::kGroup, sim::kDtype<T>, sim::kDtype<T>, output, inputX,
                                                 sim::ScalarValue(epsilon), nullptr),
                                     outputMean, outputVariance, gamma, beta, tiling, site);
}

template <typename T, bool isReuseSource = false, bool isBasicBlock = false>
void BatchNorm(const LocalTensor<T>& output, const LocalTensor<T>& outputMean, const LocalTensor<T>& outputVariance,
               const LocalTensor<T>& inputX, const LocalTensor<T>& gamm, const LocalTensor<T>& beta,
               const LocalTensor<uint8_t>& sharedTmpBuffer, const T epsilon, BatchNormTiling& tiling,
               sim::Site site = sim::Site::Here()) {
    sim::BatchNorm<T, isReuseSource>(isBasicBlock, output, outputMean, outputVariance, inputX, gamm, beta,
                                     &sharedTmpBuffer.Place(), sim::ScalarValue(epsilon), tiling, site);
}

template <typename T, bool isReuseSource = false, bool isBasicBlock = false>
void BatchNorm(const LocalTensor<T>& output, const LocalTensor<T>& outputMean, const LocalTensor<T>& outputVariance,
               const LocalTensor<T>& inputX, const LocalTensor<T>& gamm, const LocalTensor<T>& beta, const T epsilon,
               BatchNormTiling& tiling, sim::Site site = sim::Site::Here()) {
    sim::BatchNorm<T, isReuseSource>(isBasicBlock, output, outputMean, outputVariance, inputX, gamm, beta, nullptr,
                                     sim::ScalarValue(epsilon), tiling, site);
}

}  // namespace AscendC

#endif
