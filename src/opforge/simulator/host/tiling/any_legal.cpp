// The limits are those of table 2 and 3 of page "TCubeTiling结构体", which the engine checks too.
#include "any_legal.h"

#include <algorithm>
#include <cstdlib>

#include "cube_counts.h"

namespace matmul_tiling {

namespace {

constexpr int64_t kFractal = 16;
constexpr int64_t kMostSteps = 8;

// SplitMix64's step.
uint64_t Mixed(uint64_t state) {
    state += 0x9e3779b97f4a7c15u;
    state = (state ^ state >> 30) * 0xbf58476d1ce4e5b9u;
    state = (state ^ state >> 27) * 0x94d049bb133111ebu;
    return state ^ state >> 31;
}

int32_t Narrow(int64_t value) { return static_cast<int32_t>(value); }

}  // namespace

AnyLegal::AnyLegal(const TilingRequest& request) {
    const char* said = std::getenv("OPFORGE_SIM_TILING");
    if (said == nullptr || *said == '\0') {
        return;
    }
    const std::string text = said, word = "legal:";
    char* end = nullptr;
    const uint64_t seed = text.compare(0, word.size(), word) == 0 ? std::strtoull(said + word.size(), &end, 10) : 0;
    if (end == nullptr || end == said + word.size() || *end != '\0') {
        wrong_ = "$OPFORGE_SIM_TILING is '" + text + "'; legal:<seed> is right, as legal:1";
        return;
    }
    asked_ = true;
    state_ = Mixed(seed);
    const Sizes shape = ShapeOf(request);
    for (const int32_t value :
         {shape.m, shape.n, shape.k, request.single.m, request.single.n, request.dim,
          static_cast<int32_t>(request.a.type), request.a.transposed ? 1 : 0, request.b.transposed ? 1 : 0}) {
        state_ = Mixed(state_ ^ static_cast<uint64_t>(value));
    }
}

int64_t AnyLegal::Draw(int64_t least, int64_t most) {
    state_ = Mixed(state_);
    return most <= least ? least : least + static_cast<int64_t>(state_ % static_cast<uint64_t>(most - least + 1));
}

int64_t AnyLegal::Multiple(int64_t step, int64_t most) { return step * Draw(1, std::max<int64_t>(most / step, 1)); }

CoreSplit AnyLegal::Cores(const TilingRequest& request, const Product& product) {
    CoreSplit split = SplitCores(request, product);
    if (split.cores <= 1 || request.single.m > 0 || request.single.n > 0 || request.single.k > 0 || request.split_k) {
        return split;
    }
    const int64_t cores = request.dim;
    const int64_t m = CeilDiv(product.m, kFractal), n = CeilDiv(product.n, kFractal);
    const int64_t m_parts = Draw(1, std::min(cores, m));
    const int64_t n_parts = Draw(1, std::min(cores / m_parts, n));
    const int64_t m_part = CeilDiv(m, m_parts) * kFractal, n_part = CeilDiv(n, n_parts) * kFractal;
    split.part.m = Narrow(std::min(m_part, product.m));
    split.part.n = Narrow(std::min(n_part, product.n));
    split.cores = CeilDiv(product.m, split.part.m) * CeilDiv(product.n, split.part.n);
    return split;
}

bool AnyLegal::Blocks(const TilingRequest& request, const Product& product, AscendC::tiling::TCubeTiling* tiling) {
    AscendC::tiling::TCubeTiling& t = *tiling;
    const int64_t a = product.a_bytes, b = product.b_bytes, bias = product.bias_bytes;
    const int64_t sums = request.l0c / 4;
    const int64_t most_m = std::min(RoundUp(t.singleCoreM, product.m_step), int64_t{256});
    const int64_t most_n = std::min({RoundUp(t.singleCoreN, product.n_step), int64_t{256}, product.bias_columns});
    for (int tries = 0; tries < 1000; ++tries) {
        const int64_t m = request.base.m > 0 ? request.base.m : Multiple(product.m_step, most_m);
        const int64_t n = request.base.n > 0 ? request.base.n : Multiple(product.n_step, most_n);
        const int64_t a_two = Draw(1, 2), b_two = Draw(1, 2);
        const int64_t fits = std::min(request.l0a / (m * a * a_two), request.l0b / (n * b * b_two));
        const int64_t most_k = std::min(fits, RoundUp(t.singleCoreK, product.k_step));
        if (m * n > sums || most_k < product.k_step) {
            continue;
        }
        const int64_t k = Multiple(product.k_step, most_k);
        const int64_t of_k = CeilDiv(t.singleCoreK, k),
                      of_whole = CeilDiv(std::max({request.whole_ka, request.whole_kb, t.singleCoreK}), k);
        const int64_t k_a = Draw(1, std::min(of_k, kMostSteps)), k_b = Draw(1, std::min(of_k, kMostSteps));
        const int64_t rounds_a = CeilDiv(of_k, k_a), rounds_b = CeilDiv(of_k, k_b);
        if (rounds_a % rounds_b != 0 && rounds_b % rounds_a != 0) {
            continue;
        }
        // several blocks of M or N come at once only with all of K
        const int64_t step_m = k_a >= of_whole ? Draw(1, std::min(CeilDiv(t.singleCoreM, m), kMostSteps)) : 1;
        const int64_t step_n = k_b >= of_whole ? Draw(1, std::min(CeilDiv(t.singleCoreN, n), kMostSteps)) : 1;
        const int64_t depth_a = step_m * k_a * Draw(1, 2), depth_b = step_n * k_b * Draw(1, 2);
        const int64_t l1 = m * k * a * depth_a + n * k * b * depth_b + n * bias;
        const int64_t together = request.config.mmConfigType == 1 ? std::max(k_a, k_b) : 1;
        if (l1 > request.l1 || 2 * TransBytes(request, m, n, k * together) > request.ub) {
            continue;
        }
        t.baseM = Narrow(m);
        t.baseN = Narrow(n);
        t.baseK = Narrow(k);
        t.stepM = Narrow(step_m);
        t.stepN = Narrow(step_n);
        t.stepKa = Narrow(k_a);
        t.stepKb = Narrow(k_b);
        t.depthA1 = Narrow(depth_a);
        t.depthB1 = Narrow(depth_b);
        t.dbL0A = Narrow(a_two);
        t.dbL0B = Narrow(b_two);
        t.dbL0C = Narrow(m * n * 2 <= sums ? Draw(1, 2) : 1);
        t.iterateOrder = request.traverse == MatrixTraverse::NOSET    ? Narrow(Draw(0, 1))
                         : request.traverse == MatrixTraverse::FIRSTM ? 0
                                                                      : 1;
        t.shareL1Size = Narrow(l1);
        return true;
    }
    return false;
}

}  // namespace matmul_tiling
