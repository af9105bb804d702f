// Each level tries every split that fits and takes the cheapest by a rough count of cycles.
// Constraints: table 2 of page "TCubeTiling结构体"; its recommended values hold to the last byte, so "<" there is "<=".
#include "block_split.h"

#include <algorithm>
#include <limits>

namespace matmul_tiling {

namespace {

constexpr int64_t kFractal = 16;
constexpr int64_t kMaxMmadK = 4080;  // page "Mmad": k is at most 4095

// Of a cube core, for comparing splits only: products a cycle in float16, bytes a cycle into L1 and into L0.
constexpr double kProductsPerCycle = 4096;
constexpr double kL1BytesPerCycle = 64;
constexpr double kL0BytesPerCycle = 256;
constexpr double kCyclesPerBlock = 200;
constexpr double kCyclesPerMmad = 30;
constexpr double kWithoutOverlap = 1.5;  // where L0 holds one block instead of two

int64_t CeilDiv(int64_t value, int64_t by) { return (value + by - 1) / by; }
int64_t RoundUp(int64_t value, int64_t to) { return CeilDiv(value, to) * to; }
int64_t RoundDown(int64_t value, int64_t to) { return value / to * to; }

struct Product {
    int64_t m, n, k;
    int64_t a_bytes, b_bytes, bias_bytes;  // of an element; bias_bytes 0 without one
    int64_t m_step, n_step, k_step;        // base blocks are multiples of these
};

// Columns of a base block that the BiasTable has room for; without one, bias goes through the unified buffer.
int64_t BiasColumns(const TilingRequest& request, const Product& product, int64_t otherwise) {
    const bool table = request.soc == platform_ascendc::SocVersion::ASCEND910B;
    // A bias block is widened to 4 bytes an element.
    return product.bias_bytes == 0 || !table ? otherwise : std::min(otherwise, request.bias_table / 4);
}

Product ProductOf(const TilingRequest& request) {
    const Sizes shape = ShapeOf(request);
    Product product = {shape.m, shape.n, shape.k, BytesOf(request.a.type), BytesOf(request.b.type), 0, 0, 0, 0};
    product.bias_bytes = request.has_bias ? BytesOf(request.bias.type) : 0;
    const int64_t c0 = 32 / product.a_bytes;
    const int64_t both = std::max(kFractal, c0);  // a fractal is 16 x C0 either way round
    product.m_step = request.a.transposed ? both : kFractal;
    product.n_step = request.b.transposed ? kFractal : both;
    product.k_step = !request.a.transposed && request.b.transposed ? c0 : both;
    return product;
}

// One axis among cores: what a part may be.
struct Axis {
    int64_t size, fixed, least, most, step;

    // The parts that cut the axis into at most count pieces; 0 where the limits forbid it.
    int64_t Part(int64_t count) const {
        if (fixed > 0) {
            return std::min(fixed, size);
        }
        int64_t part = std::max(CeilDiv(size, count), std::max<int64_t>(least, 1));
        part = std::min(RoundUp(part, step), size);
        return most > 0 && part > most ? 0 : part;
    }
    // Whether parts of this length hold the same number of steps each.
    bool Even(int64_t part) const { return fixed > 0 || CeilDiv(size, step) % CeilDiv(part, step) == 0; }
    // Whether there are such parts for at most so many cores.
    bool Divides(int64_t cores) const {
        const int64_t steps = CeilDiv(size, step);
        for (int64_t count = 2; count <= cores; ++count) {
            if (steps % count == 0) {
                return true;
            }
        }
        return false;
    }
    int64_t FixedParts() const { return fixed > 0 ? CeilDiv(size, std::min(fixed, size)) : 1; }
    int64_t MaxCount(int64_t cores) const { return fixed > 0 ? 1 : std::min(cores, CeilDiv(size, step)); }
};

// base: what SetFixSplit fixed for this axis, of which a part must have at least one; -1 for nothing.
Axis AxisOf(int64_t size, int32_t fixed, int32_t least, int32_t most, int32_t multiple, int32_t base, int64_t step) {
    const int64_t unit = base > 0 ? base : step;
    return Axis{size, fixed, std::max(least, base), most, multiple > 0 ? multiple : unit};
}

// A core's part with the cycles it takes.
double PartCycles(const Product& product, int64_t m, int64_t n, int64_t k) {
    const double padded = static_cast<double>(RoundUp(m, kFractal)) * static_cast<double>(RoundUp(n, kFractal));
    const double compute = padded * static_cast<double>(RoundUp(k, product.k_step)) / kProductsPerCycle;
    const double a = static_cast<double>(m * product.a_bytes) * static_cast<double>(CeilDiv(n, 256));
    const double b = static_cast<double>(n * product.b_bytes) * static_cast<double>(CeilDiv(m, 128));
    const double load = (a + b) * static_cast<double>(k) / kL1BytesPerCycle;
    const double store = static_cast<double>(m) * static_cast<double>(n) * 4 / kL1BytesPerCycle;
    return std::max(compute, load) + (compute + load) / 16 + store;
}

struct CoreSplit {
    Sizes part = {0, 0, 0};
    int64_t cores = 0;
};

CoreSplit SplitCores(const TilingRequest& request, const Product& product) {
    const int64_t dim = std::max(request.dim, 1);
    const Axis m = AxisOf(product.m, request.single.m, request.single_min.m, request.single_max.m,
                          request.single_multiple.m, request.base.m, kFractal);
    const Axis n = AxisOf(product.n, request.single.n, request.single_min.n, request.single_max.n,
                          request.single_multiple.n, request.base.n, kFractal);
    const Axis k = AxisOf(product.k, request.single.k, request.single_min.k, request.single_max.k,
                          request.single_multiple.k, -1, std::max(kFractal, product.k_step));
    CoreSplit best;
    double best_cycles = std::numeric_limits<double>::max();
    for (int64_t m_count = 1; m_count <= m.MaxCount(dim); ++m_count) {
        const int64_t m_part = m.Part(m_count);
        const int64_t m_parts = m_part == 0 ? dim + 1 : CeilDiv(product.m, m_part);
        for (int64_t n_count = 1; n_count <= n.MaxCount(std::max<int64_t>(dim / m_parts, 1)); ++n_count) {
            const int64_t n_part = n.Part(n_count);
            const int64_t n_parts = n_part == 0 ? dim + 1 : CeilDiv(product.n, n_part);
            const int64_t k_max = request.split_k ? k.MaxCount(std::max<int64_t>(dim / (m_parts * n_parts), 1)) : 1;
            for (int64_t k_count = 1; k_count <= k_max; ++k_count) {
                const int64_t k_part = k.Part(k_count);
                if (m_part == 0 || n_part == 0 || k_part == 0) {
                    continue;
                }
                // Where K is split parts are equal, as CANN's are, for a kernel without SetTail; K's own only if it
                // has a divisor.
                if (k_part < product.k && !(m.Even(m_part) && n.Even(n_part) && (k.Even(k_part) || !k.Divides(dim)))) {
                    continue;
                }
                const int64_t parts = m_parts * n_parts * CeilDiv(product.k, k_part);
                // Parts that the caller fixed may be more than the cores: its kernel goes over them in rounds.
                if (parts > dim && parts > m.FixedParts() * n.FixedParts() * k.FixedParts()) {
                    continue;
                }
                const double cycles = PartCycles(product, m_part, n_part, k_part);
                // Of equals the one with the fewest cores; then M is split rather than N, as CANN does.
                if (cycles < best_cycles || (cycles == best_cycles && parts <= best.cores)) {
                    best_cycles = cycles;
                    best.part =
                        Sizes{static_cast<int32_t>(m_part), static_cast<int32_t>(n_part), static_cast<int32_t>(k_part)};
                    best.cores = std::min(parts, dim);
                }
            }
        }
    }
    return best;
}

struct Base {
    int64_t m = 0, n = 0, k = 0;
    int64_t a_buffers = 0, b_buffers = 0;
};

// The longest baseK whose A and B blocks fit L0, in equal steps over K; 0 where none fits.
int64_t BaseK(const TilingRequest& request, const Product& product, const Base& base, int64_t k) {
    const int64_t a = request.l0a / (base.m * product.a_bytes * base.a_buffers);
    const int64_t b = request.l0b / (base.n * product.b_bytes * base.b_buffers);
    const int64_t most = request.base_max.k > 0 ? request.base_max.k : kMaxMmadK;
    const int64_t longest = RoundDown(std::min({a, b, most, kMaxMmadK}), product.k_step);
    if (request.base.k > 0) {
        const int64_t fixed = RoundUp(std::min<int64_t>(request.base.k, k), product.k_step);
        return fixed <= longest ? fixed : 0;
    }
    if (longest == 0) {
        return 0;
    }
    const int64_t steps = CeilDiv(RoundUp(k, product.k_step), longest);
    const int64_t even = RoundUp(CeilDiv(k, steps), product.k_step);
    return std::min(std::max(even, RoundUp(std::max(request.base_min.k, 0), product.k_step)), longest);
}

double BaseCycles(const Product& product, const Sizes& part, const Base& base) {
    const double m_blocks = static_cast<double>(CeilDiv(part.m, base.m));
    const double n_blocks = static_cast<double>(CeilDiv(part.n, base.n));
    const double k_blocks = static_cast<double>(CeilDiv(part.k, base.k));
    const double bytes = static_cast<double>(RoundUp(part.m, kFractal) * product.a_bytes) * n_blocks +
                         static_cast<double>(RoundUp(part.n, kFractal) * product.b_bytes) * m_blocks;
    const double load = bytes * static_cast<double>(part.k) / kL0BytesPerCycle;
    return load * (base.a_buffers == 2 && base.b_buffers == 2 ? 1 : kWithoutOverlap) +
           m_blocks * n_blocks * kCyclesPerBlock + m_blocks * n_blocks * k_blocks * kCyclesPerMmad;
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

Base ChooseBase(const TilingRequest& request, const Product& product, const Sizes& part) {
    const int64_t area = request.l0c / 4;  // C is float32 or int32 there
    const int64_t n_limit = BiasColumns(request, product, area);
    const Range m = SideOf(part.m, request.base.m, request.base_min.m, request.base_max.m, product.m_step, area);
    const Range n = SideOf(part.n, request.base.n, request.base_min.n, request.base_max.n, product.n_step, n_limit);
    Base best;
    double best_cycles = std::numeric_limits<double>::max();
    for (int64_t base_m = m.first; base_m > 0 && base_m <= m.last; base_m += product.m_step) {
        for (int64_t base_n = n.first; base_n > 0 && base_n <= n.last && base_m * base_n <= area;
             base_n += product.n_step) {
            Base base;
            base.m = base_m;
            base.n = base_n;
            const int64_t least_k = std::max<int64_t>(product.k_step, std::min<int64_t>(request.base.k, part.k));
            base.a_buffers = base_m * least_k * product.a_bytes * 2 <= request.l0a ? 2 : 1;
            base.b_buffers = base_n * least_k * product.b_bytes * 2 <= request.l0b ? 2 : 1;
            base.k = BaseK(request, product, base, part.k);
            if (base.k == 0 || base_n > n_limit || 2 * TransBytes(request, base_m, base_n, base.k) > request.ub) {
                continue;
            }
            const double cycles = BaseCycles(product, part, base);
            if (cycles < best_cycles) {
                best_cycles = cycles;
                best = base;
            }
        }
    }
    return best;
}

std::string CheckFixed(const TilingRequest& request, const Product& product, const Sizes& part) {
    const int64_t c0 = 32 / product.a_bytes;
    const int64_t most_m = RoundUp(part.m, std::max(kFractal, product.m_step));
    const int64_t most_n = RoundUp(part.n, std::max(kFractal, c0));
    if (request.base.m > most_m || request.base.n > most_n) {
        return "SetFixSplit(" + std::to_string(request.base.m) + ", " + std::to_string(request.base.n) +
               "), but a core's part has M " + std::to_string(part.m) + " and N " + std::to_string(part.n) +
               ", so at most " + std::to_string(most_m) + " and " + std::to_string(most_n) + " are right";
    }
    if (request.base.m > 0 && request.base.n > 0 && int64_t{request.base.m} * request.base.n * 4 > request.l0c) {
        return "SetFixSplit(" + std::to_string(request.base.m) + ", " + std::to_string(request.base.n) + ") needs " +
               std::to_string(int64_t{request.base.m} * request.base.n * 4) + " bytes of L0C, which has " +
               std::to_string(request.l0c);
    }
    if (request.base.n > BiasColumns(request, product, request.base.n)) {
        return "SetFixSplit: a bias block of " + std::to_string(request.base.n) +
               " elements is longer than the BiasTable's " + std::to_string(request.bias_table) + " bytes";
    }
    return "";
}

struct L1Plan {
    int64_t steps = 0;    // stepKa and stepKb: blocks of K that one read brings
    int64_t buffers = 0;  // 2: the next read overlaps
    int64_t bytes = 0;
};

// Blocks of A and of B side by side, as much of K as fits, in equal rounds.
L1Plan PlanL1(const TilingRequest& request, const Product& product, const Base& base, int64_t k) {
    const int64_t bias = base.n * product.bias_bytes;
    const int64_t block = (base.m * product.a_bytes + base.n * product.b_bytes) * base.k;
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
            return L1Plan{steps, buffers, steps * buffers * block + bias};
        }
    }
    return L1Plan();
}

// 0: blocks of M first, so that B's stay in L1; 1: of N first. With K in several reads nothing stays anyway.
int32_t OrderOf(const TilingRequest& request, const Product& product, const Sizes& part, const Base& base,
                const L1Plan& l1) {
    if (request.traverse != MatrixTraverse::NOSET) {
        return request.traverse == MatrixTraverse::FIRSTM ? 0 : 1;
    }
    if (l1.steps * base.k < part.k) {
        return 0;
    }
    const int64_t a = part.m * product.a_bytes;
    const int64_t b = part.n * product.b_bytes;
    return b + a * CeilDiv(part.n, base.n) <= a + b * CeilDiv(part.m, base.m) ? 0 : 1;
}

}  // namespace

int64_t TransBytes(const TilingRequest& request, int64_t base_m, int64_t base_n, int64_t base_k) {
    if (request.soc != platform_ascendc::SocVersion::ASCEND310P) {
        return 0;
    }
    const auto bytes = [](const MatrixRequest& matrix, int64_t elements) { return elements * BytesOf(matrix.type); };
    int64_t most = 0;
    if (request.a.format == CubeFormat::ND) {
        most = std::max(most, bytes(request.a, base_m * base_k));
    }
    if (request.b.format == CubeFormat::ND) {
        most = std::max(most, bytes(request.b, base_n * base_k));
    }
    if (request.c.format != CubeFormat::NZ || request.c.position == TPosition::GM) {
        most = std::max(most, bytes(request.c, base_m * base_n));
    }
    if (request.has_bias) {
        most = std::max(most, bytes(request.bias, base_n));
    }
    const bool scaled = request.a.type == DataType::DT_INT8;
    return scaled ? std::max(most, base_n * static_cast<int64_t>(sizeof(uint64_t))) : most;
}

std::string SplitBlocks(const TilingRequest& request, bool many_cores, AscendC::tiling::TCubeTiling* tiling) {
    const Product product = ProductOf(request);
    const std::string sizes = SizesText(product.m, product.n, product.k);
    CoreSplit cores;
    if (many_cores) {
        cores = SplitCores(request, product);
    } else {
        cores.part = ShapeOf(request);
        cores.cores = 1;
    }
    if (cores.cores == 0) {
        return sizes + ": no split over " + std::to_string(std::max(request.dim, 1)) +
               " cores is within SetSingleShape, SetSingleRange and SetAlignSplit";
    }
    const std::string wrong = CheckFixed(request, product, cores.part);
    if (!wrong.empty()) {
        return wrong;
    }
    const Base base = ChooseBase(request, product, cores.part);
    if (base.m == 0) {
        const bool through_ub = TransBytes(request, 16, 16, 16) > 0;
        return sizes + ": no base block fits L0A (" + std::to_string(request.l0a) + " bytes), L0B (" +
               std::to_string(request.l0b) + ") and L0C (" + std::to_string(request.l0c) + ")" +
               (through_ub ? ", with twice its largest matrix in " + std::to_string(request.ub) + " bytes of UB" : "");
    }
    const L1Plan l1 = PlanL1(request, product, base, cores.part.k);
    if (l1.buffers == 0) {
        return sizes + ": one block of A and B, " + SizesText(base.m, base.n, base.k) + ", does not fit the " +
               std::to_string(request.l1) + " bytes of L1";
    }
    AscendC::tiling::TCubeTiling out;
    const auto narrow = [](int64_t value) { return static_cast<int32_t>(value); };
    out.usedCoreNum = narrow(cores.cores);
    out.M = request.whole_m;
    out.N = request.whole_n;
    out.Ka = request.whole_ka;
    out.Kb = request.whole_kb;
    out.singleCoreM = cores.part.m;
    out.singleCoreN = cores.part.n;
    out.singleCoreK = cores.part.k;
    out.baseM = narrow(base.m);
    out.baseN = narrow(base.n);
    out.baseK = narrow(base.k);
    out.stepM = 1;
    out.stepN = 1;
    out.stepKa = narrow(l1.steps);
    out.stepKb = narrow(l1.steps);
    out.depthA1 = narrow(l1.steps * l1.buffers);
    out.depthB1 = out.depthA1;
    out.isBias = request.has_bias ? 1 : 0;
    out.iterateOrder = OrderOf(request, product, cores.part, base, l1);
    out.dbL0A = narrow(base.a_buffers);
    out.dbL0B = narrow(base.b_buffers);
    out.dbL0C = base.m * base.n * 8 <= request.l0c ? 2 : 1;
    out.shareL1Size = narrow(l1.bytes);
    out.shareL0CSize = narrow(base.m * base.n * 4 * out.dbL0C);
    const BatchAxes &a = request.axes_a, &b = request.axes_b, &c = request.axes_c;
    out.ALayoutInfoB = a.b;
    out.ALayoutInfoS = a.s;
    out.ALayoutInfoN = a.n;
    out.ALayoutInfoG = a.g;
    out.ALayoutInfoD = a.d;
    out.BLayoutInfoB = b.b;
    out.BLayoutInfoS = b.s;
    out.BLayoutInfoN = b.n;
    out.BLayoutInfoG = b.g;
    out.BLayoutInfoD = b.d;
    out.CLayoutInfoB = c.b;
    out.CLayoutInfoS1 = c.s;
    out.CLayoutInfoN = c.n;
    out.CLayoutInfoG = c.g;
    out.CLayoutInfoS2 = c.d;
    out.BatchNum = request.batches;
    // Page "TCubeTiling结构体", transLength. stepM and stepN are 1; with MDL the blocks of K come together.
    const bool together = request.config.mmConfigType == 1;
    out.transLength = narrow(TransBytes(request, base.m, base.n, base.k * (together ? l1.steps : 1)));
    out.shareUbSize = request.c.position == TPosition::GM && out.transLength > 0
                          ? narrow(base.m * base.n * BytesOf(request.c.type))
                          : 0;
    out.batchM = out.batchN = out.singleBatchM = out.singleBatchN = 1;
    *tiling = out;
    return "";
}

}  // namespace matmul_tiling
