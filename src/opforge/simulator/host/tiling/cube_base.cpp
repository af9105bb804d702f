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
    const int64_t n_step = bytes ? 2 : 1;  // fractals of bytes are 32 wide
    const int64_t m_step = bytes && part.a_across ? 2 : 1;
    const int64_t a_step = words && part.a_across ? 2 : 1;  // float is turned in squares of 16
    const int64_t b_step = words && (part.a_across || !part.b_across) ? 2 : 1;
    // L0A and L0B hold two blocks each
    const int64_t a_most = part.l0a / (2 * kFractalBytes), b_most = part.l0b / (2 * kFractalBytes);
    const int64_t c_most = part.l0c / kFractalBytesOfC;
    const int64_t m = SearchedCount(part.m), n = SearchedCount(part.n);
    const std::vector<int64_t> columns =
        part.fixed_n > 0 ? std::vector<int64_t>{part.fixed_n} : ColumnCounts(part.n, words ? 8 : 16, n_step);
    Candidate best = Candidate();
    for (const int64_t base_n : columns) {
        if (base_n > part.most_n) {
            continue;
        }
        const int64_t most_m = std::min(a_most, c_most / base_n);
        const std::vector<int64_t> rows =
            part.fixed_m > 0 ? std::vector<int64_t>{part.fixed_m} : BlockCounts(part.m, most_m);
        for (const int64_t base_m : rows) {
            const int64_t wide = part.fixed_n > 0 ? base_n : RoundUp(base_n, n_step);
            if (base_m * wide > c_most) {
                continue;
            }
            const int64_t most_k = std::min(a_most, b_most) / std::max(base_m, base_n);
            for (const int64_t base_k : BlockCounts(part.k, most_k)) {
                if (RoundUp(base_m, m_step) * RoundUp(base_k, a_step) > a_most ||
                    RoundUp(base_n, n_step) * RoundUp(base_k, b_step) > b_most) {
                    continue;
                }
                CubeBase base;
                base.m = base_m;
                base.n = base_n;
                base.k = base_k;
                const Candidate rated = Rated(part, base, m, n);
                if (best.base.m == 0 || rated.IsBetterThan(best)) {
                    best = rated;
                }
            }
        }
    }
    if (part.fixed_n == 0) {
        best.base.n = RoundUp(best.base.n, n_step);
    }
    return best.base;
}

}  // namespace matmul_tiling
