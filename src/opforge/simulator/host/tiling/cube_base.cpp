// The base block for L0: every candidate is tried, the longest N first. The rules are measured against the public
// tiling library (tests/fidelity/tiling); the documentation names the limits only (page "TCubeTiling结构体").
#include <algorithm>

#include "cube_blocks.h"
#include "cube_counts.h"

namespace matmul_tiling {

namespace {

constexpr int64_t kFractalBytes = 512;      // of A and B
constexpr int64_t kFractalBytesOfC = 1024;  // 16 x 16 sums
constexpr int64_t kWholeInL1 = 128;         // fractals of rows or columns by all of K: they are read once

struct Candidate {
    CubeBase base;
    bool balanced;     // it multiplies more than it loads
    int64_t loaded;    // rows and columns that all blocks together read
    int64_t products;  // of one block
    int64_t weight;
    int64_t edge;

    bool IsBetterThan(const Candidate& other) const {
        if (balanced != other.balanced) {
            return balanced;
        }
        if (loaded != other.loaded) {
            return loaded < other.loaded;
        }
        return (weight > other.weight && products > other.products) ||
               (products == other.products && edge < other.edge);
    }
};

int64_t Loaded(const CubePart& part, const CubeBase& base, int64_t m, int64_t n) {
    const int64_t rows = CeilDiv(m, base.m), columns = CeilDiv(n, base.n);
    if (part.m * part.k <= kWholeInL1 || part.n * part.k <= kWholeInL1) {
        return m + n;
    }
    if (base.k >= part.k) {
        return std::min(m + n * rows, n + m * columns);
    }
    return m * columns + n * rows;
}

Candidate Rated(const CubePart& part, const CubeBase& base, int64_t m, int64_t n) {
    Candidate rated;
    rated.base = base;
    rated.balanced = base.m * base.n > 2 * base.m + 4 * base.n;
    rated.loaded = Loaded(part, base, m, n);
    rated.products = base.m * base.n * base.k;
    rated.weight = base.m * base.n * rated.products;
    rated.edge = (base.n == 1 ? 1 : base.k) + (base.k == 1 ? 1 : base.m);
    return rated;
}

}  // namespace

CubeBase ChooseCubeBase(const CubePart& part) {
    const bool bytes = part.element == 1, words = part.element == 4;
    const int64_t nStep = bytes ? 2 : 1;  // fractals of bytes are 32 wide
    const int64_t mStep = bytes && part.aAcross ? 2 : 1;
    const int64_t aStep = words && part.aAcross ? 2 : 1;  // float is turned in squares of 16
    const int64_t bStep = words && (part.aAcross || !part.bAcross) ? 2 : 1;
    // L0A and L0B hold two blocks each
    const int64_t aMost = part.l0a / (2 * kFractalBytes), bMost = part.l0b / (2 * kFractalBytes);
    const int64_t cMost = part.l0c / kFractalBytesOfC;
    const int64_t m = SearchedCount(part.m), n = SearchedCount(part.n);
    const std::vector<int64_t> columns =
        part.fixedN > 0 ? std::vector<int64_t>{part.fixedN} : ColumnCounts(part.n, words ? 8 : 16, nStep);
    Candidate best = Candidate();
    for (const int64_t baseN : columns) {
        if (baseN > part.mostN) {
            continue;
        }
        const int64_t mostM = std::min(aMost, cMost / baseN);
        const std::vector<int64_t> rows =
            part.fixedM > 0 ? std::vector<int64_t>{part.fixedM} : BlockCounts(part.m, mostM);
        for (const int64_t baseM : rows) {
            const int64_t wide = part.fixedN > 0 ? baseN : RoundUp(baseN, nStep);
            if (baseM * wide > cMost) {
                continue;
            }
            const int64_t mostK = std::min(aMost, bMost) / std::max(baseM, baseN);
            for (const int64_t baseK : BlockCounts(part.k, mostK)) {
                if (RoundUp(baseM, mStep) * RoundUp(baseK, aStep) > aMost ||
                    RoundUp(baseN, nStep) * RoundUp(baseK, bStep) > bMost) {
                    continue;
                }
                CubeBase base;
                base.m = baseM;
                base.n = baseN;
                base.k = baseK;
                const Candidate rated = Rated(part, base, m, n);
                if (best.base.m == 0 || rated.IsBetterThan(best)) {
                    best = rated;
                }
            }
        }
    }
    if (part.fixedN == 0) {
        best.base.n = RoundUp(best.base.n, nStep);
    }
    return best.base;
}

}  // namespace matmul_tiling
