// What the headers of the normalisations (SIMD-API/高阶API/归一化操作) ask of libascendc_sim.
#include "private.h"
#ifndef ASCENDC_SIM_ADV_NORM_H
#define ASCENDC_SIM_ADV_NORM_H

#include "adv.h"

namespace sim {

// Rows normalised: (src - mean) / sqrt(variance + epsilon) * gamma + beta.
enum class NormOp : uint8_t { kRms, kLayer, kLayerRstd, kNormalize, kDeep, kGroup };
struct NormOperands {
    NormOp op;
    Dtype type;       // of src and dst
    Dtype scaleType;  // of gamma and beta
    Dtype statType;   // of mean, variance and rstd
    bool basic;       // isBasicBlock
    bool reuse;       // src is room, too
    uint32_t rows, used, stride;
    uint32_t tilingRows, tilingUsed;  // of kLayerRstd's tiling; of kNormalize's config
    uint32_t plane, channels;         // of kGroup: elements of gamma and beta, each for a plane of a row
    Ub dst, src;
    // Null where the form has none.
    const Ub* residual;  // added to alpha * src
    double alpha;
    const Ub *gamma, *beta;
    const Ub *mean, *variance;  // written, or read by kNormalize
    const Ub* rstd;             // written
    double epsilon;
    const Ub* room;
};
ASCENDC_SIM_API void Norm(const VectorCall& call, const NormOperands& operands);
// One more block of a row cut into blocks: lane by lane the mean and the sum of squared differences so far.
struct WelfordUpdateOperands {
    Dtype type;  // of src
    bool inplace, reuse;
    uint32_t rows, length, used;
    double weight;  // of the new block
    Ub meanOut, varianceOut, meanIn, varianceIn, src;
    const Ub* room;
};
ASCENDC_SIM_API void WelfordStep(const VectorCall& call, const WelfordUpdateOperands& operands);
// The lanes of WelfordUpdate to one mean and one variance.
struct WelfordFinalizeOperands {
    uint32_t blocks, length, headCount, headLength, tailCount, tailLength;
    double lengthInverse, inverse;
    Ub meanOut, varianceOut, meanIn, varianceIn;
    const Ub* counts;  // of each lane, or null
    const Ub* room;
};
ASCENDC_SIM_API void WelfordEnd(const VectorCall& call, const WelfordFinalizeOperands& operands);

// The gradient of a layer normalisation by its input, and (src - mean) / sqrt(variance + epsilon).
struct NormGradOperands {
    Dtype type;
    bool reuse;  // src is room, too
    bool nd;     // the format
    uint32_t rows, used, stride;
    Ub dst, scaled;
    Ub grad, src, variance, mean, gamma;
    double epsilon;
    const Ub* room;
};
ASCENDC_SIM_API void NormGrad(const VectorCall& call, const NormGradOperands& operands);
// Its gradients by gamma and beta: the sums of scaled * grad and of grad over the rows.
struct NormGradBetaOperands {
    Dtype type;
    bool reuse;  // grad is room, too
    uint32_t rows, used, stride;
    Ub gamma, beta;
    Ub scaled, grad;
    const Ub* room;
};
ASCENDC_SIM_API void NormGradBeta(const VectorCall& call, const NormGradBetaOperands& operands);
// Columns normalised: mean and variance over the rows, gamma and beta a row each.
struct BatchNormOperands {
    Dtype type;
    bool basic;  // isBasicBlock
    uint32_t rows, columns;
    Ub dst, mean, variance;
    Ub src, gamma, beta;
    double epsilon;
    const Ub* room;
};
ASCENDC_SIM_API void NormColumns(const VectorCall& call, const BatchNormOperands& operands);

}  // namespace sim

#endif
