// Whether a TCubeTiling can be: the capacities of L0 and L1, and what must divide what.
#include <algorithm>

#include "vector/arithmetic.h"
#include "matmul.h"
#include "rounding.h"

namespace sim {
namespace {

constexpr const char* kPage = "高阶API/矩阵计算/Matmul-Tiling类/TCubeTiling结构体";
constexpr int64_t kBiasTableBytes = 1024;  // of Atlas A2 and A3
constexpr int64_t kFractal = 16;

struct Check {
    const Call& call;

    void Positive(const char* name, int64_t value) const {
        if (value <= 0) {
            Fail(call, {"tcube-positive", "the lengths, depths and steps of a TCubeTiling are above 0", kPage},
                 "%s is %lld", name, static_cast<long long>(value));
        }
    }
    void OneOrTwo(const char* name, int64_t value) const {
        if (value != 1 && value != 2) {
            Fail(call, {"tcube-double", "dbL0A, dbL0B and dbL0C are 1, or 2 for a double buffer", kPage}, "%s is %lld",
                 name, static_cast<long long>(value));
        }
    }
    void Multiple(const char* name, int64_t value, int64_t of) const {
        if (value % of != 0) {
            Fail(call,
                 {"tcube-fractals",
                  "base blocks are whole fractals: baseM and baseN multiples of 16, baseK of 16 too, or of 32 "
                  "bytes (8 of float) where that is less, or where A is not transposed and B is",
                  kPage},
                 "%s is %lld, no multiple of %lld", name, static_cast<long long>(value), static_cast<long long>(of));
        }
    }
    // rows * columns * bytes * copies fit into a buffer
    void Fits(const char* what, const char* buffer, int64_t rows, int64_t columns, int64_t bytes, int64_t copies,
              uint64_t limit) const {
        const int64_t need = rows * columns * bytes * copies;
        if (need > static_cast<int64_t>(limit)) {
            Fail(call, {"tcube-l0", "base blocks of A, B and C fit into L0A, L0B and L0C", kPage},
                 "%s of %lld x %lld elements of %lld bytes, %lld at a time, take %lld bytes, %s has %llu", what,
                 static_cast<long long>(rows), static_cast<long long>(columns), static_cast<long long>(bytes),
                 static_cast<long long>(copies), static_cast<long long>(need), buffer,
                 static_cast<unsigned long long>(limit));
        }
    }
    void Depth(const char* depthName, const char* stepName, const char* stepKName, int64_t depth, int64_t step,
               int64_t stepK) const {
        if (depth != step * stepK && depth != 2 * step * stepK) {
            Fail(call,
                 {"tcube-depth",
                  "depthA1 is stepM * stepKa and depthB1 is stepN * stepKb, or twice that for a double buffer", kPage},
                 "%s is %lld, but %s * %s is %lld", depthName, static_cast<long long>(depth), stepName, stepKName,
                 static_cast<long long>(step * stepK));
        }
    }
};

void CheckMultiDataLoad(const MatmulBlocks& b, const Call& call) {
    const auto fail = [&](const char* step, int64_t value, const char* stepK, int64_t covered) {
        Fail(call,
             {"tcube-mdl-blocks",
              "the MDL template takes several blocks of M or N at once only where all of K is loaded", kPage},
             "%s is %lld, but %s loads %lld of K at once and K is longer", step, static_cast<long long>(value), stepK,
             static_cast<long long>(covered));
    };
    // The page says Ka and Kb. CANN's library, asked for MDL, goes by the core's part of K, where K is split.
    if (b.singleK > int64_t{b.baseK} * b.stepKa && b.stepM != 1) {
        fail("stepM", b.stepM, "stepKa", int64_t{b.baseK} * b.stepKa);
    }
    if (b.singleK > int64_t{b.baseK} * b.stepKb && b.stepN != 1) {
        fail("stepN", b.stepN, "stepKb", int64_t{b.baseK} * b.stepKb);
    }
    const int64_t a = CeilDiv(b.singleK, int64_t{b.baseK} * b.stepKa);
    const int64_t bSteps = CeilDiv(b.singleK, int64_t{b.baseK} * b.stepKb);
    if (a % bSteps != 0 && bSteps % a != 0) {
        Fail(call,
             {"tcube-mdl-passes",
              "with the MDL template, the passes over K of A are a multiple of those of B, or the reverse", kPage},
             "A takes %lld passes, B %lld", static_cast<long long>(a), static_cast<long long>(bSteps));
    }
}

}  // namespace

// What lies in L1 already is not a block of the object's, whatever depthA1 and depthB1 say.
int64_t MatmulBytesOfA(const MatmulSpec& spec, const MatmulBlocks& b) {
    return spec.aInL1 ? 0 : int64_t{b.baseM} * b.baseK * b.depthA1 * BytesOf(spec.a);
}
int64_t MatmulBytesOfB(const MatmulSpec& spec, const MatmulBlocks& b) {
    return spec.bInL1 ? 0 : int64_t{b.baseN} * b.baseK * b.depthB1 * BytesOf(spec.b);
}

void CheckMatmulBlocks(const Core& core, const MatmulSpec& spec, const MatmulBlocks& b, const Call& call) {
    const Check check{call};
    const sim_soc& soc = *core.Request().soc;
    const struct {
        const char* name;
        int32_t value;
    } lengths[] = {{"singleCoreM", b.singleM}, {"singleCoreN", b.singleN}, {"singleCoreK", b.singleK},
                   {"baseM", b.baseM},         {"baseN", b.baseN},         {"baseK", b.baseK},
                   {"depthA1", b.depthA1},     {"depthB1", b.depthB1},     {"stepM", b.stepM},
                   {"stepN", b.stepN},         {"stepKa", b.stepKa},       {"stepKb", b.stepKb}};
    for (const auto& length : lengths) {
        check.Positive(length.name, length.value);
    }
    const bool coupled = core.Kind() == CoreKind::kCoupled;
    const uint32_t cores = spec.cubeOnly || coupled ? soc.cube_cores : soc.vector_cores;
    if (b.usedCores < 1 || static_cast<uint32_t>(b.usedCores) > cores) {
        Fail(call, {"tcube-cores", "usedCoreNum is 1 to the number of cores", kPage},
             "usedCoreNum is %d, %s has %u %s cores", b.usedCores, soc.short_name, cores,
             coupled         ? "AI"
             : spec.cubeOnly ? "cube"
                             : "vector");
    }
    check.OneOrTwo("dbL0A", b.dbL0A);
    check.OneOrTwo("dbL0B", b.dbL0B);
    check.OneOrTwo("dbL0C", b.dbL0C);
    if (b.isBias != 0 && b.isBias != 1) {
        Fail(call, {"tcube-bias", "isBias is 0 or 1", kPage}, "isBias is %d", b.isBias);
    }
    const int64_t bytesA = BytesOf(spec.a);
    const int64_t bytesB = BytesOf(spec.b);
    // CANN's library gives float products a baseK of 8, 40 or 88 whichever matrix is transposed
    const int64_t across = 32 / bytesA;
    const int64_t fractalK = !spec.aTransposable && spec.bTransposable ? across : std::min(across, kFractal);
    check.Multiple("baseM", b.baseM, kFractal);
    check.Multiple("baseN", b.baseN, kFractal);
    check.Multiple("baseK", b.baseK, fractalK);
    check.Fits("baseM x baseK", "L0A", b.baseM, b.baseK, bytesA, b.dbL0A, soc.l0a_bytes);
    check.Fits("baseN x baseK", "L0B", b.baseN, b.baseK, bytesB, b.dbL0B, soc.l0b_bytes);
    check.Fits("baseM x baseN", "L0C", b.baseM, b.baseN, sizeof(float), b.dbL0C, soc.l0c_bytes);
    check.Depth("depthA1", "stepM", "stepKa", b.depthA1, b.stepM, b.stepKa);
    check.Depth("depthB1", "stepN", "stepKb", b.depthB1, b.stepN, b.stepKb);
    const int64_t biasBytes = b.isBias != 0 ? int64_t{b.baseN} * BytesOf(spec.bias) : 0;
    if (biasBytes > kBiasTableBytes && !coupled) {
        Fail(call, {"tcube-bias-table", "the bias of a base block fits into the BiasTable buffer", kPage},
             "baseN %d elements of bias take %lld bytes, the BiasTable has %lld", b.baseN,
             static_cast<long long>(biasBytes), static_cast<long long>(kBiasTableBytes));
    }
    const int64_t a1 = MatmulBytesOfA(spec, b), b1 = MatmulBytesOfB(spec, b);
    if (a1 + b1 + biasBytes > static_cast<int64_t>(soc.l1_bytes)) {
        Fail(call, {"tcube-l1", "the blocks of A, B and bias that are kept in L1 fit into it", kPage},
             "A takes %lld bytes (depthA1 %d), B %lld (depthB1 %d), bias %lld, together %lld; L1 has %llu",
             static_cast<long long>(a1), b.depthA1, static_cast<long long>(b1), b.depthB1,
             static_cast<long long>(biasBytes), static_cast<long long>(a1 + b1 + biasBytes),
             static_cast<unsigned long long>(soc.l1_bytes));
    }
    const int64_t ofK = CeilDiv(b.singleK, b.baseK);
    if (spec.policy == MatmulPolicyKind::kNBuffer33 && (b.stepM > 3 || ofK > 3 || b.stepKa != ofK || b.stepKb != ofK)) {
        Fail(call,
             {"nbuffer-blocks",
              "with NBuffer33MatmulPolicy stepM is at most 3, and stepKa and stepKb are the base blocks of "
              "singleCoreK, at most 3",
              MATMUL_PAGE("MatmulPolicy")},
             "stepM is %d, stepKa %d, stepKb %d, singleCoreK has %lld base blocks", b.stepM, b.stepKa, b.stepKb,
             static_cast<long long>(ofK));
    }
    if (spec.multiDataLoad) {
        CheckMultiDataLoad(b, call);
    }
}

}  // namespace sim
