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
    int64_t m, n;                          // rows and columns, as searched
    int64_t of_m, of_n, of_k;              // base blocks
    bool even_k;                           // K is whole base blocks
    int64_t a, b;                          // fractals of a base block
    int64_t a_copies, b_copies;            // how many times the check of a whole matrix counts them
    int64_t a_counted = 1, b_counted = 1;  // the same, for steps of both
    int64_t a_least, b_least;              // blocks of K that make a load long enough
    int64_t room;                          // fractals that L1 has
    bool a_first;                          // K's blocks of A are chosen before B's
    bool apart;                            // neither, they come in equal steps

    Blocks(const CubePart& part, const CubeBase& base);
    int64_t StepK(int64_t most) const { return LargestDivisor(of_k, most, even_k ? 0 : of_k); }
};

// How many times the search counts blocks of the second matrix while it steps through K: as often as a base block has
// groups of K, where the type is not half. It leaves less room than there is, and is kept as measured.
int64_t CountedOfSecond(const CubePart& part, const CubeBase& base, bool is_a, bool across) {
    if (part.element == 2 || (part.element == 4 && is_a && !across)) {
        return 1;
    }
    return part.element == 1 && is_a == across ? 2 * base.k : base.k;
}

Blocks::Blocks(const CubePart& part, const CubeBase& base) {
    const bool bytes = part.element == 1, words = part.element == 4;
    m = SearchedCount(part.m);
    n = SearchedCount(part.n);
    const int64_t k = SearchedCount(part.k);
    of_m = CeilDiv(m, base.m);
    of_n = CeilDiv(n, base.n);
    of_k = CeilDiv(k, base.k);
    even_k = k % base.k == 0;
    a = base.m * RoundUp(base.k, words && part.a_across ? 2 : 1);
    b = base.n * RoundUp(base.k, words && (part.a_across || !part.b_across) ? 2 : 1);
    a_copies = words || (bytes && part.a_across) ? 2 : 1;
    b_copies = words || (bytes && !part.b_across) ? 2 : 1;
    const int64_t edge = (base.n == 1 ? 1 : base.k) + (base.k == 1 ? 1 : base.m);
    a_least = std::max(CeilDiv(kLoadedAtOnce, a), kLoadedAtOnce / edge);
    b_least = std::max(CeilDiv(kLoadedAtOnce, b), kLoadedAtOnce / edge);
    room = (part.l1 - base.n * part.bias_bytes) / kFractalBytes;
    apart = part.a_across && !part.b_across;
    a_first = !part.a_across && (!part.b_across || base.n < base.m);
    if (apart) {
        a_counted = a_copies;
        b_counted = b_copies;
    } else if (a_first) {
        b_counted = CountedOfSecond(part, base, false, part.b_across);
    } else {
        a_counted = CountedOfSecond(part, base, true, part.a_across);
    }
}

void AllOf(CubeDepth* depth, int64_t blocks, int64_t of_k) {
    depth->step = blocks;
    depth->step_k = of_k;
    depth->buffers = 1;
}

// Where A and B fit as a whole.
bool BothWhole(const Blocks& s, std::vector<Plan>* plans) {
    if (s.of_m * s.of_k * s.a * s.a_copies + s.of_n * s.of_k * s.b * s.b_copies > s.room) {
        return false;
    }
    Plan plan = {CubeL1(), true};
    AllOf(&plan.l1.a, s.of_m, s.of_k);
    AllOf(&plan.l1.b, s.of_n, s.of_k);
    plan.l1.loaded = s.m + s.n;
    plans->push_back(plan);
    return true;
}

void AWhole(const Blocks& s, std::vector<Plan>* plans) {
    const int64_t all = s.of_m * s.of_k * s.a;
    int64_t rest = s.room - all * s.a_copies;
    const int64_t buffers = s.b * s.b_copies * 2 <= rest ? 2 : 1;
    if (s.b * s.b_copies * buffers > rest) {
        return;
    }
    rest = s.room - all;
    Plan plan = {CubeL1(), true};
    AllOf(&plan.l1.a, s.of_m, s.of_k);
    CubeDepth& b = plan.l1.b;
    b.buffers = buffers;
    b.step_k = s.StepK(std::min(s.b_least, rest / (s.b * buffers)));
    const bool whole_k = b.step_k == s.of_k;
    b.step = whole_k ? std::max<int64_t>(LargestDivisor(s.of_n, rest / (s.b * buffers * s.of_k)), 1) : 1;
    plan.l1.columns_first = !(whole_k && b.step == s.of_n);
    plan.l1.loaded = s.m + s.n * (whole_k ? 1 : s.of_m);
    plans->push_back(plan);
}

void BWhole(const Blocks& s, std::vector<Plan>* plans) {
    const int64_t all = s.of_n * s.of_k * s.b;
    int64_t rest = s.room - all * s.b_copies;
    const int64_t buffers = s.a * s.a_copies * 2 <= rest ? 2 : 1;
    if (s.a * s.a_copies * buffers > rest) {
        return;
    }
    rest = s.room - all;
    Plan plan = {CubeL1(), true};
    AllOf(&plan.l1.b, s.of_n, s.of_k);
    CubeDepth& a = plan.l1.a;
    a.buffers = buffers;
    a.step_k = s.StepK(std::min(s.a_least, rest / (s.a * buffers)));
    const bool whole_k = a.step_k == s.of_k;
    a.step = whole_k ? std::max<int64_t>(LargestDivisor(s.of_m, rest / (s.a * buffers * s.of_k)), 1) : 1;
    if (whole_k && a.step == s.of_m) {
        a.buffers = 1;
    }
    plan.l1.loaded = s.n + s.m * (whole_k ? 1 : s.of_n);
    plans->push_back(plan);
}

// All of K of one matrix, and as many of its blocks as fit beside the other one's.
bool WholeK(const Blocks& s, std::vector<Plan>* plans) {
    int64_t a = s.a * 2 * s.a_counted, b = s.b * 2 * s.b_counted;
    if (!s.even_k || (s.of_k > 1 && (s.a_first ? s.of_k * a + b : a + s.of_k * b) > s.room)) {
        return false;
    }
    const int64_t a_two = s.a * 2, b_two = s.b * 2;
    if (s.apart || s.of_k == 1) {
        a = a_two;
        b = b_two;
    }
    const int64_t ka = s.a_first ? s.of_k : s.StepK(std::min(s.a_least, (s.room - s.of_k * b) / a));
    const int64_t kb = s.a_first ? s.StepK(std::min(s.b_least, (s.room - s.of_k * a) / b)) : s.of_k;
    Plan plan = {CubeL1(), false};
    plan.l1.loaded = -1;
    const auto keep = [&](bool columns_first, int64_t m, int64_t n, int64_t loaded) {
        if (plan.l1.loaded < 0 || loaded < plan.l1.loaded) {
            plan.l1.a = CubeDepth{m, ka, 2};
            plan.l1.b = CubeDepth{n, kb, 2};
            plan.l1.columns_first = columns_first;
            plan.l1.loaded = loaded;
        }
    };
    if (kb == s.of_k) {
        const int64_t n = LargestDivisor(s.of_n, (s.room - ka * a_two) / (kb * b_two));
        const int64_t m = ka == s.of_k ? LargestDivisor(s.of_m, (s.room - n * kb * b_two) / (ka * a_two)) : 1;
        keep(false, m, n, s.n + s.m * (s.of_n / std::max<int64_t>(n, 1)));
    }
    if (ka == s.of_k) {
        const int64_t m = LargestDivisor(s.of_m, (s.room - kb * b_two) / (ka * a_two));
        const int64_t n = kb == s.of_k ? LargestDivisor(s.of_n, (s.room - m * ka * a_two) / (kb * b_two)) : 1;
        keep(true, m, n, s.m + s.n * (s.of_m / std::max<int64_t>(m, 1)));
    }
    plans->push_back(plan);
    return true;
}

// Steps along K of the first matrix, as long as there is room, and of the second what is left: one a multiple of the
// other.
void StepsOf(const Blocks& s, int64_t first, int64_t second, int64_t least, int64_t* first_k, int64_t* second_k) {
    *first_k = s.StepK((s.room - second) / first);
    *second_k = *first_k > 0 ? s.StepK(std::min(least, (s.room - *first_k * first) / second)) : 0;
    if (*second_k == 0) {
        *first_k = *second_k = 1;
    }
    while (*first_k % *second_k != 0 && *second_k % *first_k != 0) {
        *first_k = s.even_k ? LargestDivisor(s.of_k, *first_k - 1) : *second_k;
    }
}

// Where L1 has no room for two blocks of each: one of B, and of A as many steps as fit beside it.
Plan OneBlockOfB(const Blocks& s) {
    Plan plan = {CubeL1(), false};
    plan.l1.a.buffers = s.a * 2 + s.b <= s.room ? 2 : 1;
    plan.l1.a.step_k = s.StepK(std::max<int64_t>(s.room - s.b, 0) / (s.a * plan.l1.a.buffers));
    plan.l1.loaded = s.m * s.of_n + s.n * s.of_m;
    return plan;
}

void Steps(const Blocks& s, std::vector<Plan>* plans) {
    if (2 * (s.a + s.b) > s.room) {
        plans->push_back(OneBlockOfB(s));
        return;
    }
    const int64_t a = s.a * 2 * s.a_counted, b = s.b * 2 * s.b_counted;
    int64_t ka = 1, kb = 1;
    if (s.apart) {
        const int64_t least = std::max(s.a_least, s.b_least);
        ka = kb = std::max<int64_t>(s.StepK(std::min(least, s.room / (2 * (s.a + s.b)))), 1);
    } else if (s.a_first) {
        StepsOf(s, a, b, s.b_least, &ka, &kb);
    } else {
        StepsOf(s, b, a, s.a_least, &kb, &ka);
    }
    const int64_t m = LargestDivisor(s.of_m, (s.room - kb * s.b * 2) / (ka * s.a * 2));
    const int64_t n = LargestDivisor(s.of_n, (s.room - m * ka * s.a * 2) / (kb * s.b * 2));
    Plan plan = {CubeL1(), false};
    plan.l1.a = CubeDepth{1, ka, 2};
    plan.l1.b = CubeDepth{1, kb, 2};
    plan.l1.loaded = s.m * (s.of_n / std::max<int64_t>(n, 1)) + s.n * (s.of_m / std::max<int64_t>(m, 1));
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
