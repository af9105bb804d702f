// How many cores along M and N: parts are equal, and end anywhere. The rules are measured against the public tiling
// library (tests/fidelity/tiling says how often they agree); SetSingleRange and SetAlignSplit change nothing there.
#include "core_split.h"

#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

#include "cube_counts.h"

namespace matmul_tiling {

namespace {

constexpr int64_t kFractal = 16;
constexpr int64_t kLine = 16;  // fractals: 512 bytes of half
constexpr int64_t kFractalBytes = 512;
constexpr double kRounding = 1e-9;

// In whole fractals; the longest lengths stay as they are, whose fractals int32_t does not hold.
int32_t WholeFractals(int64_t length) {
    const int64_t whole = RoundUp(length, kFractal);
    return static_cast<int32_t>(whole > std::numeric_limits<int32_t>::max() ? length : whole);
}

// The least power of two that is not below count.
int64_t PowerAbove(int64_t count) {
    int64_t power = 1;
    while (power < count) {
        power *= 2;
    }
    return power;
}

// A part's fractals where `parts` parts are wanted: a length that blocks divide well, so that 11 becomes 12 and 13
// becomes 14, unless a whole power of two gives it.
int64_t PartOf(int64_t fractals, int64_t parts) {
    const int64_t part = CeilDiv(fractals, parts);
    if (CeilDiv(PowerAbove(fractals), parts) == part) {
        return part;
    }
    return part == 11 || part == 13 ? part + 1 : part <= kLine ? part : std::max(part, SearchedCount(part));
}

// An axis in equal parts of whole fractals, as few as hold it.
struct Cut {
    int64_t parts;

    Cut(int64_t length, int64_t wanted) {
        const int64_t all = CeilDiv(length, kFractal);
        parts = CeilDiv(all, PartOf(all, wanted));
    }
    // In elements: parts that no fractal ends, where there are several.
    int32_t Length(int64_t length) const {
        return parts == 1 ? WholeFractals(length) : static_cast<int32_t>(CeilDiv(RoundUp(length, kFractal), parts));
    }
};

// How many parts an axis may have: as many as divide the cores or the axis, and powers of two. Rows that lie in memory
// across K are loaded in whole lines of 16 fractals: shorter parts are left out.
struct Axis {
    int64_t fractals, cores;
    bool inLines;

    bool Has(int64_t parts) const {
        const bool even = cores % parts == 0 || fractals % parts == 0 || PowerAbove(parts) == parts;
        return even && (!inLines || CeilDiv(fractals, parts) >= kLine);
    }
    int64_t Most(int64_t parts) const {
        while (inLines && parts > 1 && !Has(parts)) {
            --parts;
        }
        return parts;
    }
};

struct Axes {
    Axis m, n;
    bool nFirst;  // only the shortest parts of N count
};

Axes AxesOf(const Product& product, int64_t cores) {
    const int64_t m = CeilDiv(product.m, kFractal), n = CeilDiv(product.n, kFractal);
    const bool aAcross = product.aAcross, bAcross = product.bAcross;
    Axes axes = {Axis{m, cores, false}, Axis{n, cores, false}, false};
    if (aAcross && bAcross) {
        axes.m.inLines = m >= kLine;
        axes.nFirst = m < kLine;
    } else if (aAcross) {
        axes.m.inLines = axes.n.inLines = m >= kLine && n >= kLine;
        axes.nFirst = n < kLine;
    } else if (!bAcross) {
        axes.n.inLines = n >= kLine;
        axes.nFirst = n < kLine;
    }
    if (std::min(axes.m.Most(cores), m) * std::min(axes.n.Most(cores), n) == 1) {
        axes.m.inLines = axes.n.inLines = false;  // better short lines than one core
    }
    return axes;
}

// What a core computes with, in fractals of A and B (rows by groups of K).
struct Memories {
    int64_t k;
    int64_t l0, l0c, l1;  // of L0: half of it, for a double buffer

    Memories(const TilingRequest& request, const Product& product)
        : k(CeilDiv(product.k, 32 / product.aBytes)),
          l0(std::min(request.l0a, request.l0b) / (2 * kFractalBytes)),
          l0c(std::max(request.l0c / (2 * kFractalBytes), kLine)),
          l1(request.l1 / kFractalBytes) {}
};

// A way to cut M and N, and what it costs.
struct Choice {
    int64_t m = 1, n = 1;                                  // wanted parts
    double loaded = std::numeric_limits<double>::max();    // rows and columns that a core brings into L1
    int64_t blocks = std::numeric_limits<int64_t>::max();  // instructions of a core
    bool once = false;                                     // it loads both parts once
};

// A base block of about 8 x 16 fractals; what fits into L1 as a whole is loaded once. Loads are counted by lengths that
// are not rounded.
Choice Rated(const Memories& of, int64_t m, int64_t n, int64_t mParts, int64_t nParts) {
    const int64_t mPart = CeilDiv(m, mParts), nPart = CeilDiv(n, nParts);
    const int64_t rows = of.l0c / kLine;
    const int64_t baseN = std::min(nPart, mPart >= rows ? kLine : of.l0c / mPart);
    const int64_t baseM = std::min(mPart, of.l0c / baseN);
    const int64_t baseK = std::min(of.k, std::max<int64_t>(of.l0 / std::max(baseM, baseN), 1));
    const double lengthM = static_cast<double>(m) / static_cast<double>(mParts);
    const double lengthN = static_cast<double>(n) / static_cast<double>(nParts);
    const int64_t wide = std::max(baseM, baseN), narrow = std::min(baseM, baseN);
    const auto times = [](double length, double atOnce) { return std::max(1.0, length / atOnce); };
    Choice choice;
    choice.m = mParts;
    choice.n = nParts;
    choice.blocks = CeilDiv(mPart, baseM) * CeilDiv(nPart, baseN) * CeilDiv(of.k, baseK);
    if (std::min({mPart + nPart, mPart + 2 * baseN, nPart + 2 * baseM}) * of.k <= of.l1) {
        choice.loaded = lengthM + lengthN;
        choice.once = true;
    } else if (2 * wide * of.k + 2 * narrow * baseK <= of.l1) {
        // the wider block's matrix stays with all of K, as much of it as L1 holds
        const double kept = static_cast<double>(of.l1 - 2 * narrow * baseK) / static_cast<double>(2 * of.k);
        const double first = baseN < baseM ? lengthM : lengthN, second = baseN < baseM ? lengthN : lengthM;
        choice.loaded = first + second * times(first, kept);
    } else {
        choice.loaded =
            lengthM * times(lengthN, static_cast<double>(baseN)) + lengthN * times(lengthM, static_cast<double>(baseM));
    }
    return choice;
}

// The ways to cut: first those whose product is the number of cores, from the fewest parts of M on; then those that
// divide one axis or are powers of two, with as many parts of the other as there are cores for.
struct Ways {
    std::vector<Choice> exact, others;

    Ways(const Memories& of, const Axes& axes, int64_t cores) {
        std::vector<std::pair<int64_t, int64_t>> exactly, beside;
        for (int64_t parts = 1; parts <= cores; ++parts) {
            if (axes.m.Has(parts)) {
                (cores % parts == 0 ? exactly : beside).emplace_back(parts, axes.n.Most(cores / parts));
            }
        }
        for (int64_t parts = 1; parts <= cores; ++parts) {
            if (axes.n.Has(parts)) {
                beside.emplace_back(axes.m.Most(cores / parts), parts);
            }
        }
        int64_t shortest = axes.n.fractals;
        for (const auto* ways : {&exactly, &beside}) {
            for (const auto& way : *ways) {
                shortest = std::min(shortest, CeilDiv(axes.n.fractals, way.second));
            }
        }
        for (const auto* ways : {&exactly, &beside}) {
            for (const auto& way : *ways) {
                if (!axes.nFirst || CeilDiv(axes.n.fractals, way.second) == shortest) {
                    (ways == &exactly ? exact : others)
                        .push_back(Rated(of, axes.m.fractals, axes.n.fractals, way.first, way.second));
                }
            }
        }
    }
};

// Of the exact ways what loads the least so far and takes no more instructions than the one before; of the others what
// takes fewer instructions and loads no more, on a core or, where matrices are loaded again and again, on all of them.
Choice CutBoth(const Memories& of, const Product& product, int64_t cores) {
    const Ways ways(of, AxesOf(product, cores), cores);
    Choice best;
    double least = std::numeric_limits<double>::max();
    for (const Choice& each : ways.exact) {
        least = std::min(least, each.loaded);
        if (each.loaded <= least + kRounding && each.blocks <= best.blocks) {
            best = each;
        }
    }
    for (const Choice& each : ways.others) {
        const bool less =
            each.loaded <= best.loaded || (!best.once && each.loaded * static_cast<double>(each.m * each.n) <=
                                                             best.loaded * static_cast<double>(best.m * best.n));
        if (each.blocks < best.blocks && less) {
            best = each;
        }
    }
    return best;
}

// A part for a C of the format NZ: longer where that takes no part away.
int32_t WholeUnits(int32_t part, int64_t length, int64_t parts, int64_t unit) {
    const int64_t whole = RoundUp(part, unit);
    return parts > 1 && CeilDiv(length, whole) == parts ? static_cast<int32_t>(whole) : part;
}

// What SetSingleShape fixes is kept, however many cores it takes; the other axis is whole.
CoreSplit FixedParts(const TilingRequest& request, const Product& product) {
    const auto part = [](int32_t fixed, int64_t length) { return fixed > 0 ? fixed : static_cast<int32_t>(length); };
    CoreSplit split;
    split.part =
        Sizes{part(request.single.m, product.m), part(request.single.n, product.n), part(request.single.k, product.k)};
    split.cores = std::max(request.dim, 1);
    return split;
}

}  // namespace

CoreSplit SplitCores(const TilingRequest& request, const Product& product) {
    const int64_t cores = std::max(request.dim, 1);
    if (request.single.m > 0 || request.single.n > 0 || request.single.k > 0 || cores == 1) {
        return FixedParts(request, product);
    }
    const auto narrow = [](int64_t value) { return static_cast<int32_t>(value); };
    CoreSplit split;
    if (request.split_k) {
        const int64_t step = 32 / product.aBytes;
        const int64_t part = std::min(RoundUp(CeilDiv(product.k, cores), step), product.k);
        split.part = Sizes{WholeFractals(product.m), WholeFractals(product.n), narrow(part)};
        split.cores = CeilDiv(product.k, part);
        return split;
    }
    const Choice choice = CutBoth(Memories(request, product), product, cores);
    const Cut m(product.m, choice.m), n(product.n, choice.n);
    split.part = Sizes{m.Length(product.m), n.Length(product.n), narrow(product.k)};
    if (request.c.format == CubeFormat::NZ) {
        const int64_t unit = product.aBytes == 4 ? kLine * kFractal / 2 : kLine * kFractal;
        split.part.m = WholeUnits(split.part.m, product.m, m.parts, unit);
        split.part.n = WholeUnits(split.part.n, product.n, n.parts, unit);
    }
    split.cores = m.parts * n.parts;
    return split;
}

}  // namespace matmul_tiling
