// Welford's mean and variance of rows that come in blocks: computed in double, each result rounded once.
// Pages: SIMD-API/高阶API/归一化操作/WelfordUpdate, WelfordFinalize
#include "adv_call.h"
#include "sim/adv_norm.h"
#include "sim_adv_norm_rooms.h"

namespace sim {

void WelfordStep(const VectorCall& call, const WelfordUpdateOperands& x) {
    const uint32_t wide = BytesOf(x.type);
    AdvCall adv(call);
    if (x.rows != 1 || x.length * wide % 32 != 0 || x.used == 0 || x.used > x.length) {
        adv.Refuse("rnLength is 1, abLength a multiple of 32 / sizeof(T), and abComputeLength 1 to abLength",
                   "rnLength is %u, abLength %u and abComputeLength %u", x.rows, x.length, x.used);
    }
    const uint32_t lanes = x.inplace ? x.length : x.used;
    const uint64_t bytes = uint64_t{lanes} * sizeof(float);
    uint8_t* meanOut = adv.Writes("outputMean", x.meanOut, bytes);
    uint8_t* varianceOut = adv.Writes("outputVariance", x.varianceOut, bytes);
    const uint8_t* meanIn = adv.Reads("inputMean", x.meanIn, bytes);
    const uint8_t* varianceIn = adv.Reads("inputVariance", x.varianceIn, bytes);
    const uint8_t* src = adv.Reads("inputX", x.src, uint64_t{x.used} * wide);
    adv.KeepApart(false);
    const sim_adv_sizes sizes = sim_adv_welford_update(x.length, wide, x.reuse);
    adv.Uses(x.room, sizes.least, sizes.most);
    Instruction& in = adv.Begin(x.used);
    std::vector<double> mean(lanes), variance(lanes), values(x.used);
    LoadValues(Dtype::kFloat, meanIn, lanes, mean.data());
    LoadValues(Dtype::kFloat, varianceIn, lanes, variance.data());
    LoadValues(x.type, src, x.used, values.data());
    for (uint32_t i = 0; i < lanes; ++i) {
        const uint64_t at = uint64_t{i} * sizeof(float);
        bool knownMean = in.Known(x.meanIn, at, sizeof(float));
        bool knownVariance = in.Known(x.varianceIn, at, sizeof(float));
        if (i < x.used) {
            const double before = values[i] - mean[i];
            mean[i] += before * x.weight;
            variance[i] += before * (values[i] - mean[i]);
            knownMean = knownMean && in.Known(x.src, uint64_t{i} * wide, wide);
            knownVariance = knownVariance && knownMean;
        }
        in.Define(x.meanOut, sizeof(float), at, knownMean);
        in.Define(x.varianceOut, sizeof(float), at, knownVariance);
    }
    StoreValues(Dtype::kFloat, mean.data(), lanes, meanOut);
    StoreValues(Dtype::kFloat, variance.data(), lanes, varianceOut);
    if (x.reuse) {
        in.Define(x.src, uint64_t{x.used} * wide, 0, false);
    }
}

void WelfordEnd(const VectorCall& call, const WelfordFinalizeOperands& x) {
    AdvCall adv(call);
    if (x.length == 0 || x.length % 8 != 0) {
        adv.Refuse("abLength is a multiple of 8 floats", "it is %u", x.length);
    }
    if (x.counts == nullptr && (x.headLength + x.tailLength != x.length || (x.tailCount == 0 && x.tailLength != 0))) {
        adv.Refuse("headCountLength and tailCountLength add up to abLength, and without a tailCount the latter is 0",
                   "they are %u and %u, abLength %u and tailCount %u", x.headLength, x.tailLength, x.length,
                   x.tailCount);
    }
    const uint64_t bytes = uint64_t{x.length} * sizeof(float);
    uint8_t* meanOut = adv.Writes("outputMean", x.meanOut, 32);
    uint8_t* varianceOut = adv.Writes("outputVariance", x.varianceOut, 32);
    const uint8_t* meanIn = adv.Reads("inputMean", x.meanIn, bytes);
    const uint8_t* varianceIn = adv.Reads("inputVariance", x.varianceIn, bytes);
    const uint8_t* counts = x.counts == nullptr ? nullptr : adv.Reads("counts", *x.counts, bytes);
    adv.KeepApart(false);
    const sim_adv_sizes sizes = sim_adv_welford_finalize(x.length);
    adv.Uses(x.room, sizes.least, sizes.most);
    Instruction& in = adv.Begin(x.length);
    adv.Require("inputMean", x.meanIn, 1, x.length, x.length, Dtype::kFloat);
    adv.Require("inputVariance", x.varianceIn, 1, x.length, x.length, Dtype::kFloat);
    // How many elements each lane stands for. Without a tail the mean is that of the lanes.
    std::vector<double> weights(x.length, static_cast<double>(x.blocks));
    const bool tail = x.tailLength != 0;
    if (counts != nullptr) {
        adv.Require("counts", *x.counts, 1, x.length, x.length, Dtype::kInt32);
        LoadValues(Dtype::kInt32, counts, x.length, weights.data());
    } else if (tail) {
        for (uint32_t i = 0; i < x.length; ++i) {
            weights[i] = i < x.headLength ? x.headCount : x.tailCount;
        }
    }
    std::vector<double> means(x.length), variances(x.length);
    LoadValues(Dtype::kFloat, meanIn, x.length, means.data());
    LoadValues(Dtype::kFloat, varianceIn, x.length, variances.data());
    const bool weighted = counts != nullptr || tail;
    double mean = 0.0;
    for (uint32_t i = 0; i < x.length; ++i) {
        mean += weighted ? weights[i] * means[i] * x.inverse : means[i] * x.lengthInverse;
    }
    double variance = 0.0;
    for (uint32_t i = 0; i < x.length; ++i) {
        variance += (variances[i] + weights[i] * (means[i] - mean) * (means[i] - mean)) * x.inverse;
    }
    StoreValues(Dtype::kFloat, &mean, 1, meanOut);
    StoreValues(Dtype::kFloat, &variance, 1, varianceOut);
    for (const Ub* place : {&x.meanOut, &x.varianceOut}) {  // a block each, of which one element is the result
        in.Define(*place, 32, 0, false);
        in.Define(*place, sizeof(float));
    }
}

}  // namespace sim
