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
    const int64_t mParts = Draw(1, std::min(cores, m));
    const int64_t nParts = Draw(1, std::min(cores / mParts, n));
    const int64_t mPart = CeilDiv(m, mParts) * kFractal, nPart = CeilDiv(n, nParts) * kFractal;
    split.part.m = Narrow(std::min(mPart, product.m));
    split.part.n = Narrow(std::min(nPart, product.n));
    split.cores = CeilDiv(product.m, split.part.m) * CeilDiv(product.n, split.part.n);
    return split;
}

bool AnyLegal::Blocks(const TilingRequest& request, const Product& product, AscendC::tiling::TCubeTiling* tiling) {
    AscendC::tiling::TCubeTiling& t = *tiling;
    const int64_t a = product.aBytes, b = product.bBytes, bias = product.biasBytes;
    const int64_t sums = request.l0c / 4;
    const int64_t mostM = std::min(RoundUp(t.singleCoreM, product.mStep), int64_t{256});
    const int64_t mostN = std::min({RoundUp(t.singleCoreN, product.nStep), int64_t{256}, product.biasColumns});
    for (int tries = 0; tries < 1000; ++tries) {
        const int64_t m = request.base.m > 0 ? request.base.m : Multiple(product.mStep, mostM);
        const int64_t n = request.base.n > 0 ? request.base.n : Multiple(product.nStep, mostN);
        const int64_t aTwo = Draw(1, 2), bTwo = Draw(1, 2);
        const int64_t fits = std::min(request.l0a / (m * a * aTwo), request.l0b / (n * b * bTwo));
        const int64_t mostK = std::min(fits, RoundUp(t.singleCoreK, product.kStep));
        if (m * n > sums || mostK < product.kStep) {
            continue;
        }
        const int64_t k = Multiple(product.kStep, mostK);
        const int64_t ofK = CeilDiv(t.singleCoreK, k),
                      ofWhole = CeilDiv(std::max({request.whole_ka, request.whole_kb, t.singleCoreK}), k);
        const int64_t kA = Draw(1, std::min(ofK, kMostSteps)), kB = Draw(1, std::min(ofK, kMostSteps));
        const int64_t roundsA = CeilDiv(ofK, kA), roundsB = CeilDiv(ofK, kB);
        if (roundsA % roundsB != 0 && roundsB % roundsA != 0) {
            continue;
        }
        // several blocks of M or N come at once only with all of K
        const int64_t stepM = kA >= ofWhole ? Draw(1, std::min(CeilDiv(t.singleCoreM, m), kMostSteps)) : 1;
        const int64_t stepN = kB >= ofWhole ? Draw(1, std::min(CeilDiv(t.singleCoreN, n), kMostSteps)) : 1;
        const int64_t depthA = stepM * kA * Draw(1, 2), depthB = stepN * kB * Draw(1, 2);
        const int64_t l1 = m * k * a * depthA + n * k * b * depthB + n * bias;
        const int64_t together = request.config.mmConfigType == 1 ? std::max(kA, kB) : 1;
        if (l1 > request.l1 || 2 * TransBytes(request, m, n, k * together) > request.ub) {
            continue;
        }
        t.baseM = Narrow(m);
        t.baseN = Narrow(n);
        t.baseK = Narrow(k);
        t.stepM = Narrow(stepM);
        t.stepN = Narrow(stepN);
        t.stepKa = Narrow(kA);
        t.stepKb = Narrow(kB);
        t.depthA1 = Narrow(depthA);
        t.depthB1 = Narrow(depthB);
        t.dbL0A = Narrow(aTwo);
        t.dbL0B = Narrow(bTwo);
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
