// Blocks on Atlas inference products (Ascend310P): each level tries every split that fits and takes the cheapest by a
// rough count of cycles. CANN's library chooses otherwise there (tests/fidelity/tiling); what it says is as legal.
// Constraints: table 2 of page "TCubeTiling结构体"; its recommended values hold to the last byte, so "<" there is "<=".
#include "coupled_blocks.h"

#include <algorithm>
#include <limits>

#include "cube_counts.h"

namespace matmul_tiling {

namespace {

constexpr int64_t kFractal = 16;
constexpr int64_t kMaxMmadK = 4080;  // page "Mmad": k is at most 4095

// Of a cube core, for comparing splits only: bytes a cycle into L0.
constexpr double kL0BytesPerCycle = 256;
constexpr double kCyclesPerBlock = 200;
constexpr double kCyclesPerMmad = 30;
constexpr double kWithoutOverlap = 1.5;  // where L0 holds one block instead of two

// The longest baseK whose A and B blocks fit L0, in equal steps over K; 0 where none fits.
int64_t BaseK(const TilingRequest& request, const Product& product, const CoupledBase& base, int64_t k) {
    const int64_t a = request.l0a / (base.m * product.aBytes * base.aBuffers);
    const int64_t b = request.l0b / (base.n * product.bBytes * base.bBuffers);
    const int64_t most = request.base_max.k > 0 ? request.base_max.k : kMaxMmadK;
    const int64_t longest = RoundDown(std::min({a, b, most, kMaxMmadK}), product.kStep);
    if (request.base.k > 0) {
        const int64_t fixed = RoundUp(std::min<int64_t>(request.base.k, k), product.kStep);
        return fixed <= longest ? fixed : 0;
    }
    if (longest == 0) {
        return 0;
    }
    const int64_t steps = CeilDiv(RoundUp(k, product.kStep), longest);
    const int64_t even = RoundUp(CeilDiv(k, steps), product.kStep);
    return std::min(std::max(even, RoundUp(std::max(request.base_min.k, 0), product.kStep)), longest);
}

double BaseCycles(const Product& product, const Sizes& part, const CoupledBase& base) {
    const double mBlocks = static_cast<double>(CeilDiv(part.m, base.m));
    const double nBlocks = static_cast<double>(CeilDiv(part.n, base.n));
    const double kBlocks = static_cast<double>(CeilDiv(part.k, base.k));
    const double bytes = static_cast<double>(RoundUp(part.m, kFractal) * product.aBytes) * nBlocks +
                         static_cast<double>(RoundUp(part.n, kFractal) * product.bBytes) * mBlocks;
    const double load = bytes * static_cast<double>(part.k) / kL0BytesPerCycle;
    return load * (base.aBuffers == 2 && base.bBuffers == 2 ? 1 : kWithoutOverlap) +
           mBlocks * nBlocks * kCyclesPerBlock + mBlocks * nBlocks * kBlocks * kCyclesPerMmad;
}

struct Range {
    int64_t first, last;
};

// What one side of the block may be. Pages "SetFixSplit", "SetSplitRange".
Range SideOf(int64_t part, int32_t fixed, int32_t least, int32_t most, int64_t step, int64_t limit) {
    if (fixed > 0) {
        return Range{fixed, fixed};
    }
    const int64_t last = std::min(RoundUp(part, step), RoundDown(limit, step));
    return Range{std::min(std::max(step, RoundUp(std::max(least, 0), step)), last),
                 most > 0 ? std::min(last, std::max(RoundDown(most, step), step)) : last};
}

}  // namespace

CoupledBase ChooseCoupledBase(const TilingRequest& request, const Product& product, const Sizes& part) {
    const int64_t area = request.l0c / 4;  // C is float32 or int32 there
    const Range m = SideOf(part.m, request.base.m, request.base_min.m, request.base_max.m, product.mStep, area);
    const Range n = SideOf(part.n, request.base.n, request.base_min.n, request.base_max.n, product.nStep, area);
    CoupledBase best;
    double bestCycles = std::numeric_limits<double>::max();
    for (int64_t baseM = m.first; baseM > 0 && baseM <= m.last; baseM += product.mStep) {
        for (int64_t baseN = n.first; baseN > 0 && baseN <= n.last && baseM * baseN <= area; baseN += product.nStep) {
            CoupledBase base;
            base.m = baseM;
            base.n = baseN;
            const int64_t leastK = std::max<int64_t>(product.kStep, std::min<int64_t>(request.base.k, part.k));
            base.aBuffers = baseM * leastK * product.aBytes * 2 <= request.l0a ? 2 : 1;
            base.bBuffers = baseN * leastK * product.bBytes * 2 <= request.l0b ? 2 : 1;
            base.k = BaseK(request, product, base, part.k);
            if (base.k == 0 || 2 * TransBytes(request, baseM, baseN, base.k) > request.ub) {
                continue;
            }
            const double cycles = BaseCycles(product, part, base);
            if (cycles < bestCycles) {
                bestCycles = cycles;
                best = base;
            }
        }
    }
    return best;
}

// Blocks of A and of B side by side, as much of K as fits, in equal rounds.
CoupledL1 PlanCoupledL1(const TilingRequest& request, const Product& product, const CoupledBase& base, int64_t k) {
    const int64_t bias = base.n * product.biasBytes;
    const int64_t block = (base.m * product.aBytes + base.n * product.bBytes) * base.k;
    const int64_t blocks = CeilDiv(k, base.k);
    for (int64_t buffers = 2; buffers >= 1; --buffers) {
        int64_t most = (request.l1 - bias) / (block * buffers);
        // with MDL all of them pass through the unified buffer at once, where formats change there
        while (most > 1 && request.config.mmConfigType == 1 &&
               2 * TransBytes(request, base.m, base.n, base.k * most) > request.ub) {
            --most;
        }
        if (most >= 1) {
            const int64_t rounds = CeilDiv(blocks, most);
            const int64_t steps = CeilDiv(blocks, rounds);
            return CoupledL1{steps, buffers, steps * buffers * block + bias};
        }
    }
    return CoupledL1();
}

// 0: blocks of M first, so that B's stay in L1; 1: of N first. With K in several reads nothing stays anyway.
int32_t CoupledOrder(const TilingRequest& request, const Product& product, const Sizes& part, const CoupledBase& base,
                     const CoupledL1& l1) {
    if (request.traverse != MatrixTraverse::NOSET) {
        return request.traverse == MatrixTraverse::FIRSTM ? 0 : 1;
    }
    if (l1.steps * base.k < part.k) {
        return 0;
    }
    const int64_t a = part.m * product.aBytes;
    const int64_t b = part.n * product.bBytes;
    return b + a * CeilDiv(part.n, base.n) <= a + b * CeilDiv(part.m, base.m) ? 0 : 1;
}

int64_t TransBytes(const TilingRequest& request, int64_t baseM, int64_t baseN, int64_t baseK) {
    if (request.soc != platform_ascendc::SocVersion::ASCEND310P) {
        return 0;
    }
    const auto bytes = [](const MatrixRequest& matrix, int64_t elements) { return elements * BytesOf(matrix.type); };
    int64_t most = 0;
    if (request.a.format == CubeFormat::ND) {
        most = std::max(most, bytes(request.a, baseM * baseK));
    }
    if (request.b.format == CubeFormat::ND) {
        most = std::max(most, bytes(request.b, baseN * baseK));
    }
    if (request.c.format != CubeFormat::NZ || request.c.position == TPosition::GM) {
        most = std::max(most, bytes(request.c, baseM * baseN));
    }
    if (request.has_bias) {
        most = std::max(most, bytes(request.bias, baseN));
    }
    const bool scaled = request.a.type == DataType::DT_INT8;
    return scaled ? std::max(most, baseN * static_cast<int64_t>(sizeof(uint64_t))) : most;
}

}  // namespace matmul_tiling
