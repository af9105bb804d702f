// The gradients of a layer normalisation, and the normalisation of columns: computed in double, each result rounded
// once. Pages: SIMD-API/高阶API/归一化操作/LayerNormGrad, LayerNormGradBeta, BatchNorm
#include <cmath>

#include "adv_call.h"
#include "sim/adv_norm.h"
#include "sim_adv_norm_rooms.h"

namespace sim {
namespace {

void CheckRows(const AdvCall& adv, Dtype type, uint32_t rows, uint32_t used, uint32_t stride) {
    if (rows == 0 || used == 0 || stride % (32 / BytesOf(type)) != 0) {
        adv.Refuse("there is a row, of an element or more, and the rows are multiples of 32 bytes apart",
                   "%u rows of %u elements, %u apart", rows, used, stride);
    }
    if (used != stride) {
        adv.Refuse("storageHLength and originHLength of the tiling's shape are the same",
                   "the tiling was made for %u and %u", stride, used);
    }
}

std::vector<double> Load(Dtype type, const uint8_t* from, uint64_t count) {
    std::vector<double> values(count);
    LoadValues(type, from, count, values.data());
    return values;
}

void Forget(Instruction& in, bool reuse, const Ub& src, uint64_t bytes, std::initializer_list<Ub> destinations) {
    for (const Ub& dst : destinations) {
        reuse = reuse && dst.addr != src.addr;
    }
    if (reuse) {
        in.Define(src, bytes, 0, false);
    }
}

}  // namespace

void NormGrad(const VectorCall& call, const NormGradOperands& x) {
    AdvCall adv(call);
    if (!x.nd) {
        adv.Refuse("the dataFormat of shapeInfo is DataFormat::ND", "it is another");
    }
    CheckRows(adv, x.type, x.rows, x.used, x.stride);
    const uint32_t wide = BytesOf(x.type);
    const uint64_t all = uint64_t{x.rows} * x.used;
    uint8_t* dst = adv.Writes("outputPdX", x.dst, all * wide);
    uint8_t* scaled = adv.Writes("resForGamma", x.scaled, all * wide);
    const uint8_t* grad = adv.Reads("inputDy", x.grad, all * wide);
    const uint8_t* src = adv.Reads("inputX", x.src, all * wide);
    const uint8_t* variance = adv.Reads("inputVariance", x.variance, uint64_t{x.rows} * wide);
    const uint8_t* mean = adv.Reads("inputMean", x.mean, uint64_t{x.rows} * wide);
    const uint8_t* gamma = adv.Reads("inputGamma", x.gamma, uint64_t{x.used} * wide);
    adv.KeepApart(true);
    // One row of CANN's least, for which its tiling has a step.
    adv.Uses(x.room, sim_adv_layer_norm_grad(1, x.used, wide, x.reuse).least,
             sim_adv_layer_norm_grad(x.rows, x.used, wide, x.reuse).least);
    Instruction& in = adv.Begin(2 * all);
    adv.Require("inputDy", x.grad, 1, all, all, x.type);
    adv.Require("inputX", x.src, 1, all, all, x.type);
    adv.Require("inputVariance", x.variance, 1, x.rows, x.rows, x.type);
    adv.Require("inputMean", x.mean, 1, x.rows, x.rows, x.type);
    adv.Require("inputGamma", x.gamma, 1, x.used, x.used, x.type);

    std::vector<double> up = Load(x.type, grad, all);
    std::vector<double> centred = Load(x.type, src, all);
    const std::vector<double> means = Load(x.type, mean, x.rows);
    const std::vector<double> variances = Load(x.type, variance, x.rows);
    const std::vector<double> scales = Load(x.type, gamma, x.used);
    for (uint32_t row = 0; row < x.rows; ++row) {
        double* g = up.data() + uint64_t{row} * x.used;
        double* c = centred.data() + uint64_t{row} * x.used;
        const double inverse = 1.0 / std::sqrt(variances[row] + x.epsilon);
        double byVariance = 0.0;
        double sum = 0.0;
        double rest = 0.0;
        for (uint32_t i = 0; i < x.used; ++i) {
            g[i] *= scales[i];
            c[i] -= means[row];
            byVariance += -0.5 * g[i] * c[i] * inverse * inverse * inverse;
            sum += g[i];
            rest += c[i];
        }
        const double byMean = -inverse * sum - byVariance * 2.0 / x.used * rest;
        for (uint32_t i = 0; i < x.used; ++i) {
            g[i] = g[i] * inverse + byVariance * 2.0 / x.used * c[i] + byMean / x.used;
            c[i] *= inverse;
        }
    }
    StoreValues(x.type, up.data(), all, dst);
    StoreValues(x.type, centred.data(), all, scaled);
    in.Define(x.dst, all * wide);
    in.Define(x.scaled, all * wide);
    Forget(in, x.reuse, x.src, all * wide, {x.dst, x.scaled});
}

void NormGradBeta(const VectorCall& call, const NormGradBetaOperands& x) {
    AdvCall adv(call);
    CheckRows(adv, x.type, x.rows, x.used, x.stride);
    const uint32_t wide = BytesOf(x.type);
    const uint64_t all = uint64_t{x.rows} * x.used;
    uint8_t* gamma = adv.Writes("outputPdGamma", x.gamma, uint64_t{x.used} * wide);
    uint8_t* beta = adv.Writes("outputPdBeta", x.beta, uint64_t{x.used} * wide);
    const uint8_t* scaled = adv.Reads("resForGamma", x.scaled, all * wide);
    const uint8_t* grad = adv.Reads("inputDy", x.grad, all * wide);
    adv.KeepApart(true);
    const sim_adv_sizes sizes = sim_adv_layer_norm_grad_beta(x.rows, x.used, wide);
    adv.Uses(x.room, sizes.least, sizes.most);
    Instruction& in = adv.Begin(all);
    adv.Require("resForGamma", x.scaled, 1, all, all, x.type);
    adv.Require("inputDy", x.grad, 1, all, all, x.type);
    const std::vector<double> left = Load(x.type, scaled, all);
    const std::vector<double> right = Load(x.type, grad, all);
    std::vector<double> products(x.used), sums(x.used);
    for (uint64_t i = 0; i < all; ++i) {
        products[i % x.used] += left[i] * right[i];
        sums[i % x.used] += right[i];
    }
    StoreValues(x.type, products.data(), x.used, gamma);
    StoreValues(x.type, sums.data(), x.used, beta);
    Forget(in, x.reuse, x.grad, all * wide, {});
    in.Define(x.gamma, uint64_t{x.used} * wide);
    in.Define(x.beta, uint64_t{x.used} * wide);
}

void NormColumns(const VectorCall& call, const BatchNormOperands& x) {
    AdvCall adv(call);
    const uint32_t wide = BytesOf(x.type);
    if (x.rows == 0 || x.columns == 0 || x.columns * wide % 32 != 0) {
        adv.Refuse("there is a row, and S * H is a multiple of 32 bytes", "%u rows of %u elements", x.rows, x.columns);
    }
    if (x.basic && (x.rows % 8 != 0 || x.columns % 64 != 0 || x.columns >= 2048)) {
        adv.Refuse("isBasicBlock needs a multiple of 8 rows of a multiple of 64 elements, fewer than 2048",
                   "%u rows of %u elements", x.rows, x.columns);
    }
    const uint64_t all = uint64_t{x.rows} * x.columns;
    uint8_t* dst = adv.Writes("output", x.dst, all * wide);
    uint8_t* mean = adv.Writes("outputMean", x.mean, uint64_t{x.columns} * wide);
    uint8_t* variance = adv.Writes("outputVariance", x.variance, uint64_t{x.columns} * wide);
    const uint8_t* src = adv.Reads("inputX", x.src, all * wide);
    const uint8_t* gamma = adv.Reads("gamm", x.gamma, uint64_t{x.rows} * wide);
    const uint8_t* beta = adv.Reads("beta", x.beta, uint64_t{x.rows} * wide);
    adv.KeepApartButFirst();
    const sim_adv_sizes sizes = sim_adv_batch_norm(x.rows, x.columns, wide, x.basic);
    adv.Uses(x.room, sizes.least, sizes.most);
    Instruction& in = adv.Begin(all);
    adv.Require("inputX", x.src, 1, all, all, x.type);
    std::vector<double> values = Load(x.type, src, all);
    const std::vector<double> scales = Load(x.type, gamma, x.rows);
    const std::vector<double> shifts = Load(x.type, beta, x.rows);
    std::vector<double> means(x.columns), variances(x.columns);
    for (uint64_t i = 0; i < all; ++i) {
        means[i % x.columns] += values[i] / x.rows;
    }
    for (uint64_t i = 0; i < all; ++i) {
        const double off = values[i] - means[i % x.columns];
        variances[i % x.columns] += off * off / x.rows;
    }
    for (uint64_t i = 0; i < all; ++i) {
        const uint64_t column = i % x.columns;
        values[i] = (values[i] - means[column]) / std::sqrt(variances[column] + x.epsilon) * scales[i / x.columns] +
                    shifts[i / x.columns];
    }
    StoreValues(x.type, values.data(), all, dst);
    StoreValues(x.type, means.data(), x.columns, mean);
    StoreValues(x.type, variances.data(), x.columns, variance);
    in.Define(x.mean, uint64_t{x.columns} * wide);
    in.Define(x.variance, uint64_t{x.columns} * wide);
    const uint64_t row = uint64_t{x.columns} * wide;
    for (uint64_t i = 0; i < x.rows; ++i) {
        in.Define(x.dst, row, i * row, in.Known(x.gamma, i * wide, wide) && in.Known(x.beta, i * wide, wide));
    }
}

}  // namespace sim
