// Base blocks in L1: all of A and B where they fit, else all of one of them, else steps of both. What loads least is
// taken. The rules are measured against the public tiling library (tests/fidelity/tiling).
#include <algorithm>
#include <vector>

#include "cube_blocks.h"
#include "cube_counts.h"

namespace matmul_tiling {

namespace {

constexpr int64_t kFractalBytes = 512;
constexpr int64_t kLoadedAtOnce = 32;  // fractals: what a load should have at least

struct Plan {
    CubeL1 l1;
    bool whole;  // one matrix lies in L1 as a whole
};

// The part in base blocks.
struct Blocks {
    int64_t m, n;                        // rows and columns, as searched
    int64_t ofM, ofN, ofK;               // base blocks
    bool evenK;                          // K is whole base blocks
    int64_t a, b;                        // fractals of a base block
    int64_t aCopies, bCopies;            // how many times the check of a whole matrix counts them
    int64_t aCounted = 1, bCounted = 1;  // the same, for steps of both
    int64_t aLeast, bLeast;              // blocks of K that make a load long enough
    int64_t room;                        // fractals that L1 has
    bool aFirst;                         // K's blocks of A are chosen before B's
    bool apart;                          // neither, they come in equal steps

    Blocks(const CubePart& part, const CubeBase& base);
    int64_t StepK(int64_t most) const { return LargestDivisor(ofK, most, evenK ? 0 : ofK); }
};

// How many times the search counts blocks of the second matrix while it steps through K: as often as a base block has
// groups of K, where the type is not half. It leaves less room than there is, and is kept as measured.
int64_t CountedOfSecond(const CubePart& part, const CubeBase& base, bool isA, bool across) {
    if (part.element == 2 || (part.element == 4 && isA && !across)) {
        return 1;
    }
    return part.element == 1 && isA == across ? 2 * base.k : base.k;
}

Blocks::Blocks(const CubePart& part, const CubeBase& base) {
    const bool bytes = part.element == 1, words = part.element == 4;
    m = SearchedCount(part.m);
    n = SearchedCount(part.n);
    const int64_t k = SearchedCount(part.k);
    ofM = CeilDiv(m, base.m);
    ofN = CeilDiv(n, base.n);
    ofK = CeilDiv(k, base.k);
    evenK = k % base.k == 0;
    a = base.m * RoundUp(base.k, words && part.aAcross ? 2 : 1);
    b = base.n * RoundUp(base.k, words && (part.aAcross || !part.bAcross) ? 2 : 1);
    aCopies = words || (bytes && part.aAcross) ? 2 : 1;
    bCopies = words || (bytes && !part.bAcross) ? 2 : 1;
    const int64_t edge = (base.n == 1 ? 1 : base.k) + (base.k == 1 ? 1 : base.m);
    aLeast = std::max(CeilDiv(kLoadedAtOnce, a), kLoadedAtOnce / edge);
    bLeast = std::max(CeilDiv(kLoadedAtOnce, b), kLoadedAtOnce / edge);
    room = (part.l1 - base.n * part.biasBytes) / kFractalBytes;
    apart = part.aAcross && !part.bAcross;
    aFirst = !part.aAcross && (!part.bAcross || base.n < base.m);
    if (apart) {
        aCounted = aCopies;
        bCounted = bCopies;
    } else if (aFirst) {
        bCounted = CountedOfSecond(part, base, false, part.bAcross);
    } else {
        aCounted = CountedOfSecond(part, base, true, part.aAcross);
    }
}

void AllOf(CubeDepth* depth, int64_t blocks, int64_t ofK) {
    depth->step = blocks;
    depth->stepK = ofK;
    depth->buffers = 1;
}

// Where A and B fit as a whole.
bool BothWhole(const Blocks& s, std::vector<Plan>* plans) {
    if (s.ofM * s.ofK * s.a * s.aCopies + s.ofN * s.ofK * s.b * s.bCopies > s.room) {
        return false;
    }
    Plan plan = {CubeL1(), true};
    AllOf(&plan.l1.a, s.ofM, s.ofK);
    AllOf(&plan.l1.b, s.ofN, s.ofK);
    plan.l1.loaded = s.m + s.n;
    plans->push_back(plan);
    return true;
}

void AWhole(const Blocks& s, std::vector<Plan>* plans) {
    const int64_t all = s.ofM * s.ofK * s.a;
    int64_t rest = s.room - all * s.aCopies;
    const int64_t buffers = s.b * s.bCopies * 2 <= rest ? 2 : 1;
    if (s.b * s.bCopies * buffers > rest) {
        return;
    }
    rest = s.room - all;
    Plan plan = {CubeL1(), true};
    AllOf(&plan.l1.a, s.ofM, s.ofK);
    CubeDepth& b = plan.l1.b;
    b.buffers = buffers;
    b.stepK = s.StepK(std::min(s.bLeast, rest / (s.b * buffers)));
    const bool wholeK = b.stepK == s.ofK;
    b.step = wholeK ? std::max<int64_t>(LargestDivisor(s.ofN, rest / (s.b * buffers * s.ofK)), 1) : 1;
    plan.l1.columnsFirst = !(wholeK && b.step == s.ofN);
    plan.l1.loaded = s.m + s.n * (wholeK ? 1 : s.ofM);
    plans->push_back(plan);
}

void BWhole(const Blocks& s, std::vector<Plan>* plans) {
    const int64_t all = s.ofN * s.ofK * s.b;
    int64_t rest = s.room - all * s.bCopies;
    const int64_t buffers = s.a * s.aCopies * 2 <= rest ? 2 : 1;
    if (s.a * s.aCopies * buffers > rest) {
        return;
    }
    rest = s.room - all;
    Plan plan = {CubeL1(), true};
    AllOf(&plan.l1.b, s.ofN, s.ofK);
    CubeDepth& a = plan.l1.a;
    a.buffers = buffers;
    a.stepK = s.StepK(std::min(s.aLeast, rest / (s.a * buffers)));
    const bool wholeK = a.stepK == s.ofK;
    a.step = wholeK ? std::max<int64_t>(LargestDivisor(s.ofM, rest / (s.a * buffers * s.ofK)), 1) : 1;
    if (wholeK && a.step == s.ofM) {
        a.buffers = 1;
    }
    plan.l1.loaded = s.n + s.m * (wholeK ? 1 : s.ofN);
    plans->push_back(plan);
}

// All of K of one matrix, and as many of its blocks as fit beside the other one's.
bool WholeK(const Blocks& s, std::vector<Plan>* plans) {
    int64_t a = s.a * 2 * s.aCounted, b = s.b * 2 * s.bCounted;
    if (!s.evenK || (s.ofK > 1 && (s.aFirst ? s.ofK * a + b : a + s.ofK * b) > s.room)) {
        return false;
    }
    const int64_t aTwo = s.a * 2, bTwo = s.b * 2;
    if (s.apart || s.ofK == 1) {
        a = aTwo;
        b = bTwo;
    }
    const int64_t ka = s.aFirst ? s.ofK : s.StepK(std::min(s.aLeast, (s.room - s.ofK * b) / a));
    const int64_t kb = s.aFirst ? s.StepK(std::min(s.bLeast, (s.room - s.ofK * a) / b)) : s.ofK;
    Plan plan = {CubeL1(), false};
    plan.l1.loaded = -1;
    const auto keep = [&](bool columnsFirst, int64_t m, int64_t n, int64_t loaded) {
        if (plan.l1.loaded < 0 || loaded < plan.l1.loaded) {
            plan.l1.a = CubeDepth{m, ka, 2};
            plan.l1.b = CubeDepth{n, kb, 2};
            plan.l1.columnsFirst = columnsFirst;
            plan.l1.loaded = loaded;
        }
    };
    if (kb == s.ofK) {
        const int64_t n = LargestDivisor(s.ofN, (s.room - ka * aTwo) / (kb * bTwo));
        const int64_t m = ka == s.ofK ? LargestDivisor(s.ofM, (s.room - n * kb * bTwo) / (ka * aTwo)) : 1;
        keep(false, m, n, s.n + s.m * (s.ofN / std::max<int64_t>(n, 1)));
    }
    if (ka == s.ofK) {
        const int64_t m = LargestDivisor(s.ofM, (s.room - kb * bTwo) / (ka * aTwo));
        const int64_t n = kb == s.ofK ? LargestDivisor(s.ofN, (s.room - m * ka * aTwo) / (kb * bTwo)) : 1;
        keep(true, m, n, s.m + s.n * (s.ofM / std::max<int64_t>(m, 1)));
    }
    plans->push_back(plan);
    return true;
}

// Steps along K of the first matrix, as long as there is room, and of the second what is left: one a multiple of the
// other.
void StepsOf(const Blocks& s, int64_t first, int64_t second, int64_t least, int64_t* firstK, int64_t* secondK) {
    *firstK = s.StepK((s.room - second) / first);
    *secondK = *firstK > 0 ? s.StepK(std::min(least, (s.room - *firstK * first) / second)) : 0;
    if (*secondK == 0) {
        *firstK = *secondK = 1;
    }
    while (*firstK % *secondK != 0 && *secondK % *firstK != 0) {
        *firstK = s.evenK ? LargestDivisor(s.ofK, *firstK - 1) : *secondK;
    }
}

// Where L1 has no room for two blocks of each: one of B, and of A as many steps as fit beside it.
Plan OneBlockOfB(const Blocks& s) {
    Plan plan = {CubeL1(), false};
    plan.l1.a.buffers = s.a * 2 + s.b <= s.room ? 2 : 1;
    plan.l1.a.stepK = s.StepK(std::max<int64_t>(s.room - s.b, 0) / (s.a * plan.l1.a.buffers));
    plan.l1.loaded = s.m * s.ofN + s.n * s.ofM;
    return plan;
}

void Steps(const Blocks& s, std::vector<Plan>* plans) {
    if (2 * (s.a + s.b) > s.room) {
        plans->push_back(OneBlockOfB(s));
        return;
    }
    const int64_t a = s.a * 2 * s.aCounted, b = s.b * 2 * s.bCounted;
    int64_t ka = 1, kb = 1;
    if (s.apart) {
        const int64_t least = std::max(s.aLeast, s.bLeast);
        ka = kb = std::max<int64_t>(s.StepK(std::min(least, s.room / (2 * (s.a + s.b)))), 1);
    } else if (s.aFirst) {
        StepsOf(s, a, b, s.bLeast, &ka, &kb);
    } else {
        StepsOf(s, b, a, s.aLeast, &kb, &ka);
    }
    const int64_t m = LargestDivisor(s.ofM, (s.room - kb * s.b * 2) / (ka * s.a * 2));
    const int64_t n = LargestDivisor(s.ofN, (s.room - m * ka * s.a * 2) / (kb * s.b * 2));
    Plan plan = {CubeL1(), false};
    plan.l1.a = CubeDepth{1, ka, 2};
    plan.l1.b = CubeDepth{1, kb, 2};
    plan.l1.loaded = s.m * (s.ofN / std::max<int64_t>(n, 1)) + s.n * (s.ofM / std::max<int64_t>(m, 1));
    plans->push_back(plan);
}

// What loads less; of equals the one with more blocks at once, then the one with a whole matrix.
bool IsBetter(const Plan& plan, const Plan& other) {
    if (plan.l1.loaded != other.l1.loaded) {
        return plan.l1.loaded < other.l1.loaded;
    }
    const int64_t steps = plan.l1.a.step + plan.l1.b.step, others = other.l1.a.step + other.l1.b.step;
    return steps != others ? steps > others : plan.whole && !other.whole;
}

}  // namespace

CubeL1 ChooseCubeL1(const CubePart& part, const CubeBase& base) {
    const Blocks blocks(part, base);
    std::vector<Plan> plans;
    if (!BothWhole(blocks, &plans)) {
        BWhole(blocks, &plans);
        AWhole(blocks, &plans);
        if (!WholeK(blocks, &plans)) {
            Steps(blocks, &plans);
        }
    }
    const Plan* best = &plans.front();
    for (const Plan& plan : plans) {
        best = IsBetter(plan, *best) ? &plan : best;
    }
    return best->l1;
}

}  // namespace matmul_tiling
