// Softmax of rows that come in blocks, with the pseudo average shifting of its page: computed in double, each result
// rounded once. Page: SIMD-API/高阶API/激活函数/SoftMax接口/SoftmaxFlashV3
#include <algorithm>
#include <cmath>

#include "adv_call.h"
#include "sim_adv_rooms.h"

namespace sim {
namespace {

constexpr uint32_t kParts = 8;
constexpr uint32_t kRepeat = 64;

// The first 512 elements give each part 64 of its own; of every 64 behind them each part has 8. So says the page's
// pseudocode, although the parts that are moved lie behind each other.
void MeansOfParts(const std::vector<double>& row, double* means) {
    std::fill(means, means + kParts, 0.0);
    for (size_t i = 0; i < row.size(); ++i) {
        means[i < kParts * kRepeat ? i / kRepeat : i % kRepeat / kParts] += row[i];
    }
    for (uint32_t part = 0; part < kParts; ++part) {
        means[part] /= static_cast<double>(row.size() / kParts);
    }
}

}  // namespace

void SoftmaxMeans(const VectorCall& call, const SoftmaxMeansOperands& x) {
    AdvCall adv(call);
    if (x.m == 0 || x.m % 8 != 0 || x.k < kParts * kRepeat || x.k % kRepeat != 0 || x.usedM != x.m || x.usedK != x.k) {
        adv.Refuse("srcM is a multiple of 8 and srcK one of 64, 512 or more, and both are the original ones",
                   "srcM is %u, srcK %u, oriSrcM %u, oriSrcK %u", x.m, x.k, x.usedM, x.usedK);
    }
    if (x.parts != kParts || (x.update && x.loop == 0)) {
        adv.Refuse("splitMeanCnt is 8, and with isUpdate loopCnt 1 or more", "they are %u and %u", x.parts, x.loop);
    }
    if (x.alpha == 1.0) {
        adv.Refuse("alpha / (1 - alpha) is finite", "alpha is %g", x.alpha);
    }
    constexpr uint32_t kBlock = 32;
    const uint64_t all = uint64_t{x.m} * x.k;
    const uint64_t stats = uint64_t{x.m} * kBlock;
    uint8_t* dst = adv.Writes("dst", x.dst, all * 2);
    uint8_t* mean = adv.Writes("mean", x.mean, stats);
    uint8_t* sum = adv.Writes("expSum", x.sum, stats);
    uint8_t* max = adv.Writes("max", x.max, stats);
    uint8_t* expMax = x.update ? adv.Writes("expMax", x.expMax, stats) : nullptr;
    const uint8_t* src = adv.Reads("src", x.src, all * 2);
    const uint8_t* inMean = x.update ? adv.Reads("inMean", x.inMean, stats) : nullptr;
    const uint8_t* inSum = x.update ? adv.Reads("inExpSum", x.inSum, stats) : nullptr;
    const uint8_t* inMax = x.update ? adv.Reads("inMax", x.inMax, stats) : nullptr;
    adv.KeepApart(true);
    const sim_adv_sizes sizes = sim_adv_softmax(sim_adv_softmax_kind::flash_v3, x.m, x.k, 2, sizeof(float));
    adv.Uses(x.room, sizes.least, sizes.most);
    Instruction& in = adv.Begin(all);
    adv.Require("src", x.src, 1, all, all, Dtype::kHalf);
    if (x.update) {
        adv.Require("inMean", x.inMean, x.m, kBlock / 4, 1, Dtype::kFloat);
        adv.Require("inExpSum", x.inSum, x.m, kBlock / 4, 1, Dtype::kFloat);
        adv.Require("inMax", x.inMax, x.m, kBlock / 4, 1, Dtype::kFloat);
    }
    const double scalar = x.alpha / (1.0 - x.alpha);
    std::vector<double> row(x.k);
    const auto store = [](Dtype type, double value, uint8_t* to) {
        const std::vector<double> block(kBlock / BytesOf(type), value);
        StoreValues(type, block.data(), block.size(), to);
    };
    for (uint32_t line = 0; line < x.m; ++line) {
        LoadValues(Dtype::kHalf, src + uint64_t{line} * x.k * 2, x.k, row.data());
        double means[kParts];
        MeansOfParts(row, means);
        double whole = 0.0;
        for (const double part : means) {
            whole += part / kParts;
        }
        for (uint32_t i = 0; i < x.k; ++i) {
            row[i] -= (whole - means[i / (x.k / kParts)]) * scalar;
        }
        double before = 0.0;
        double beforeSum = 0.0;
        double beforeMax = 0.0;
        if (x.update) {
            LoadValues(Dtype::kFloat, inMean + uint64_t{line} * kBlock, 1, &before);
            LoadValues(Dtype::kFloat, inSum + uint64_t{line} * kBlock, 1, &beforeSum);
            LoadValues(Dtype::kFloat, inMax + uint64_t{line} * kBlock, 1, &beforeMax);
        }
        const double now = x.update ? (whole + before * (x.loop - 1.0)) / x.loop : whole;
        const double shift = (whole - now) * scalar;
        const double shiftBefore = (before - now) * scalar;
        double most = *std::max_element(row.begin(), row.end()) + shift;
        if (x.update) {
            most = std::max(most, shiftBefore + beforeMax);
        }
        double total = 0.0;
        for (double& value : row) {
            value = std::exp(value - (most - shift));
            total += value;
        }
        if (x.update) {
            const double factor = std::exp(beforeMax - most + shiftBefore);
            total += factor * beforeSum;
            store(Dtype::kHalf, factor, expMax + uint64_t{line} * kBlock);
        }
        StoreValues(Dtype::kHalf, row.data(), x.k, dst + uint64_t{line} * x.k * 2);
        store(Dtype::kFloat, now, mean + uint64_t{line} * kBlock);
        store(Dtype::kFloat, total, sum + uint64_t{line} * kBlock);
        store(Dtype::kFloat, most, max + uint64_t{line} * kBlock);
    }
    in.Define(x.dst, all * 2);
    for (const Ub* place : {&x.mean, &x.sum, &x.max}) {
        in.Define(*place, stats);
    }
    if (x.update) {
        in.Define(x.expMax, stats);
    }
}

}  // namespace sim
