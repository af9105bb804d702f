// The tiling classes: what they are told is kept in a TilingRequest, and GetTiling searches.
#include <algorithm>
#include <cstdio>
#include <cstring>

#include "block_split.h"
#include "lib/matmul/bmm_tiling.h"
#include "lib/matmul/matmul_tiling.h"

namespace matmul_tiling {

namespace {

constexpr int64_t kBiasTableBytes = 1024;  // of Atlas A2 and A3

int64_t CoreBytes(const platform_ascendc::PlatformAscendC& platform, platform_ascendc::CoreMemType type) {
    uint64_t bytes = 0;
    platform.GetCoreMemSize(type, bytes);
    return static_cast<int64_t>(bytes);
}

// A failing op's stderr becomes part of its aclnn error message.
int32_t Warn(const std::string& why) {
    std::fprintf(stderr, "[WARNING] MatmulApi Tiling: %s\n", why.c_str());
    return -1;
}

MatrixRequest MatrixOf(TPosition position, CubeFormat format, DataType type, bool transposed) {
    MatrixRequest matrix;
    matrix.set = true;
    matrix.position = position;
    matrix.format = format;
    matrix.type = type;
    matrix.transposed = transposed;
    return matrix;
}

}  // namespace

MatmulApiTilingBase::MatmulApiTilingBase() {
    request_.soc = platform_ascendc::SocVersion::ASCEND910B;
    request_.l1 = 512 * 1024 - 256;
    request_.l0a = 64 * 1024;
    request_.l0b = 64 * 1024;
    request_.l0c = 128 * 1024;
    request_.ub = 192 * 1024 - 256;
    request_.bias_table = kBiasTableBytes;
}

MatmulApiTilingBase::MatmulApiTilingBase(const platform_ascendc::PlatformAscendC& ascendcPlatform) {
    using platform_ascendc::CoreMemType;
    request_.soc = ascendcPlatform.GetSocVersion();
    request_.l1 = CoreBytes(ascendcPlatform, CoreMemType::L1);
    request_.l0a = CoreBytes(ascendcPlatform, CoreMemType::L0_A);
    request_.l0b = CoreBytes(ascendcPlatform, CoreMemType::L0_B);
    request_.l0c = CoreBytes(ascendcPlatform, CoreMemType::L0_C);
    request_.ub = CoreBytes(ascendcPlatform, CoreMemType::UB);
    request_.bias_table = CoreBytes(ascendcPlatform, CoreMemType::BT);
    request_.cores = static_cast<int32_t>(std::max(ascendcPlatform.GetCoreNumAic(), ascendcPlatform.GetCoreNumAiv()));
}

MatmulApiTilingBase::MatmulApiTilingBase(const PlatformInfo& platform) {
    request_.soc = platform.socVersion;
    request_.l1 = static_cast<int64_t>(platform.l1Size);
    request_.l0a = static_cast<int64_t>(platform.l0ASize);
    request_.l0b = static_cast<int64_t>(platform.l0BSize);
    request_.l0c = static_cast<int64_t>(platform.l0CSize);
    request_.ub = static_cast<int64_t>(platform.ubSize);
    request_.bias_table = kBiasTableBytes;
}

MatmulApiTilingBase::~MatmulApiTilingBase() {}
MatmulApiTiling::~MatmulApiTiling() {}
MultiCoreMatmulTiling::~MultiCoreMatmulTiling() {}
BatchMatmulTiling::~BatchMatmulTiling() {}

int32_t MatmulApiTilingBase::SetAType(TPosition pos, CubeFormat type, DataType dataType, bool isTrans) {
    request_.a = MatrixOf(pos, type, dataType, isTrans);
    return 0;
}

int32_t MatmulApiTilingBase::SetBType(TPosition pos, CubeFormat type, DataType dataType, bool isTrans) {
    request_.b = MatrixOf(pos, type, dataType, isTrans);
    return 0;
}

int32_t MatmulApiTilingBase::SetCType(TPosition pos, CubeFormat type, DataType dataType) {
    request_.c = MatrixOf(pos, type, dataType, false);
    return 0;
}

int32_t MatmulApiTilingBase::SetBiasType(TPosition pos, CubeFormat type, DataType dataType) {
    request_.bias = MatrixOf(pos, type, dataType, false);
    return 0;
}

// The kernel's SetQuantScalar and SetQuantVector need no other tiling; a vector lies in GM.
int32_t MatmulApiTilingBase::SetDequantType(DequantType) { return 0; }

int32_t MatmulApiTilingBase::SetShape(int32_t m, int32_t n, int32_t k) {
    request_.shape = Sizes{m, n, k};
    if (request_.whole_m == -1 && request_.whole_n == -1 && request_.whole_ka == -1 && request_.whole_kb == -1) {
        request_.whole_m = m;
        request_.whole_n = n;
        request_.whole_ka = k;
        request_.whole_kb = k;
    }
    return 0;
}

int32_t MatmulApiTilingBase::SetOrgShape(int32_t orgMIn, int32_t orgNIn, int32_t orgKIn) {
    return SetOrgShape(orgMIn, orgNIn, orgKIn, orgKIn);
}

int32_t MatmulApiTilingBase::SetOrgShape(int32_t orgMIn, int32_t orgNIn, int32_t orgKaIn, int32_t orgKbIn) {
    // As CANN's library: they are kept, whatever is said of them.
    request_.whole_m = orgMIn;
    request_.whole_n = orgNIn;
    request_.whole_ka = orgKaIn;
    request_.whole_kb = orgKbIn;
    if (orgMIn < 0 || orgNIn < 0 || orgKaIn < 0 || orgKbIn < 0) {
        return Warn("SetOrgShape(M " + std::to_string(orgMIn) + ", N " + std::to_string(orgNIn) + ", Ka " +
                    std::to_string(orgKaIn) + ", Kb " + std::to_string(orgKbIn) + "): a size is negative");
    }
    return 0;
}

int32_t MatmulApiTilingBase::EnableBias(bool isBiasIn) {
    request_.has_bias = isBiasIn;
    return 0;
}

int32_t MatmulApiTilingBase::SetFixSplit(int32_t baseMIn, int32_t baseNIn, int32_t baseKIn) {
    // As CANN's library: what stands before a wrong one is kept, and baseK is checked and then chosen by the tiling.
    const struct {
        int32_t given;
        int32_t* kept;
    } bases[] = {{baseMIn, &request_.base.m}, {baseNIn, &request_.base.n}, {baseKIn, &request_.base.k}};
    for (const auto& base : bases) {
        if (base.given != -1 && (base.given <= 0 || base.given % 16 != 0)) {
            return Warn("SetFixSplit(" + std::to_string(baseMIn) + ", " + std::to_string(baseNIn) + ", " +
                        std::to_string(baseKIn) + "): baseM, baseN and baseK are positive multiples of 16, or -1");
        }
        *base.kept = base.given;
    }
    return 0;
}

int32_t MatmulApiTilingBase::SetBufferSpace(int32_t l1Size, int32_t l0CSize, int32_t ubSize, int32_t btSize) {
    const struct {
        const char* name;
        int32_t given;
        int64_t* kept;
    } spaces[] = {{"L1", l1Size, &request_.l1},
                  {"L0C", l0CSize, &request_.l0c},
                  {"UB", ubSize, &request_.ub},
                  {"BiasTable", btSize, &request_.bias_table}};
    for (const auto& space : spaces) {
        if (space.given < -1 || space.given > *space.kept) {
            return Warn(std::string("SetBufferSpace: ") + std::to_string(space.given) + " bytes of " + space.name +
                        ", which has " + std::to_string(*space.kept));
        }
    }
    for (const auto& space : spaces) {
        if (space.given != -1) {
            *space.kept = space.given / 32 * 32;
        }
    }
    return 0;
}

int32_t MatmulApiTilingBase::SetTraverse(MatrixTraverse traverse) {
    request_.traverse = traverse;
    return 0;
}

int32_t MatmulApiTilingBase::SetMadType(MatrixMadType madType) {
    return madType == MatrixMadType::NORMAL ? 0 : Refuse("SetMadType: the simulator has MatrixMadType::NORMAL only");
}

int32_t MatmulApiTilingBase::SetSplitRange(int32_t maxBaseM, int32_t maxBaseN, int32_t maxBaseK, int32_t minBaseM,
                                           int32_t minBaseN, int32_t minBaseK) {
    request_.base_max = Sizes{maxBaseM, maxBaseN, maxBaseK};
    request_.base_min = Sizes{minBaseM, minBaseN, minBaseK};
    return 0;
}

int32_t MatmulApiTilingBase::SetDoubleBuffer(bool, bool, bool, bool, bool, bool) { return 0; }

void MatmulApiTilingBase::SetMatmulConfigParams(int32_t mmConfigTypeIn, bool enableL1CacheUBIn,
                                                ScheduleType scheduleTypeIn, MatrixTraverse traverseIn,
                                                bool enVecND2NZIn) {
    SetMatmulConfigParams(
        MatmulConfigParams(mmConfigTypeIn, enableL1CacheUBIn, scheduleTypeIn, traverseIn, enVecND2NZIn));
}

void MatmulApiTilingBase::SetMatmulConfigParams(const MatmulConfigParams& configParams) {
    if (configParams.mmConfigType != 0 && configParams.mmConfigType != 1) {  // CANN's library says nothing
        Warn("SetMatmulConfigParams: mmConfigType is " + std::to_string(configParams.mmConfigType) +
             ", which is taken for 0 (Norm); 0 and 1 (MDL) are right");
    }
    request_.config = configParams;
    request_.traverse = configParams.traverse;
}

int32_t MatmulApiTilingBase::Refuse(const char* what) {
    request_.refused = what;
    return Warn(what);
}

int32_t MatmulApiTilingBase::SetSparse(bool isSparseIn) {
    return isSparseIn ? Refuse("SetSparse: the simulator has no sparse products") : 0;
}

int32_t MatmulApiTilingBase::SetScaleAType(TPosition, CubeFormat, bool) {
    return Refuse("SetScaleAType: the simulator has no MxMatmul");
}

int32_t MatmulApiTilingBase::SetScaleBType(TPosition, CubeFormat, bool) {
    return Refuse("SetScaleBType: the simulator has no MxMatmul");
}

int32_t MatmulApiTilingBase::KeepLayout(const char* function, BatchAxes* axes, int32_t b, int32_t s, int32_t n,
                                        int32_t g, int32_t d) {
    for (const int32_t length : {b, s, n, g, d}) {
        if (length <= 0) {
            return Warn(std::string(function) + "(B " + std::to_string(b) + ", S " + std::to_string(s) + ", N " +
                        std::to_string(n) + ", G " + std::to_string(g) + ", D " + std::to_string(d) +
                        "): an axis is at least 1");
        }
    }
    *axes = BatchAxes{b, s, n, g, d};
    request_.in_layouts = true;
    return 0;
}

int32_t MatmulApiTilingBase::SetALayout(int32_t b, int32_t s, int32_t n, int32_t g, int32_t d) {
    return KeepLayout("SetALayout", &request_.axes_a, b, s, n, g, d);
}

int32_t MatmulApiTilingBase::SetBLayout(int32_t b, int32_t s, int32_t n, int32_t g, int32_t d) {
    return KeepLayout("SetBLayout", &request_.axes_b, b, s, n, g, d);
}

int32_t MatmulApiTilingBase::SetCLayout(int32_t b, int32_t s, int32_t n, int32_t g, int32_t d) {
    return KeepLayout("SetCLayout", &request_.axes_c, b, s, n, g, d);
}

int32_t MatmulApiTilingBase::SetBatchInfoForNormal(int32_t batchA, int32_t batchB, int32_t m, int32_t n, int32_t k) {
    if (batchA <= 0 || batchB <= 0 || m <= 0 || n <= 0 || k <= 0) {
        return Warn("SetBatchInfoForNormal(" + std::to_string(batchA) + ", " + std::to_string(batchB) + ", " +
                    SizesText(m, n, k) + "): batches and sizes are at least 1");
    }
    request_.axes_a = BatchAxes{batchA, m, 1, 1, k};
    request_.axes_b = BatchAxes{batchB, n, 1, 1, k};
    request_.axes_c = BatchAxes{std::max(batchA, batchB), m, 1, 1, n};
    return 0;
}

int32_t MatmulApiTilingBase::SetBatchNum(int32_t batch) {
    if (batch <= 0) {
        return Warn("SetBatchNum(" + std::to_string(batch) + "): at least 1");
    }
    request_.batches = batch;
    return 0;
}

int32_t MatmulApiTilingBase::GetBaseM() const { return solved_ ? result_.baseM : request_.base.m; }
int32_t MatmulApiTilingBase::GetBaseN() const { return solved_ ? result_.baseN : request_.base.n; }
int32_t MatmulApiTilingBase::GetBaseK() const { return solved_ ? result_.baseK : request_.base.k; }

int64_t MatmulApiTilingBase::Solve(bool manyCores, AscendC::tiling::TCubeTiling* tiling) {
    std::string why = Misuse(request_, manyCores);
    if (why.empty()) {
        why = SplitBlocks(InBytes(request_), manyCores, &result_);
    }
    solved_ = why.empty();
    if (solved_ && request_.a.type == DataType::DT_INT4) {
        result_.Ka *= 2;
        result_.Kb *= 2;
        result_.singleCoreK *= 2;
        result_.baseK *= 2;
    }
    if (!solved_) {
        return Warn(why);
    }
    if (manyCores && request_.dim == 0) {
        Warn("SetDim was not called: one core computes the whole product");
    }
    *tiling = result_;
    return 0;
}

int64_t MatmulApiTilingBase::Solve(bool manyCores, optiling::TCubeTiling* tiling) {
    AscendC::tiling::TCubeTiling plain;
    const int64_t status = Solve(manyCores, &plain);
    if (status == 0) {
        std::memcpy(tiling->At(0), &plain, sizeof(plain));  // the same fields in the same order
    }
    return status;
}

int64_t MatmulApiTiling::GetTiling(optiling::TCubeTiling& tiling) { return Solve(false, &tiling); }
int64_t MatmulApiTiling::GetTiling(AscendC::tiling::TCubeTiling& tiling) { return Solve(false, &tiling); }
int64_t BatchMatmulTiling::GetTiling(optiling::TCubeTiling& tiling) { return Solve(false, &tiling); }
int64_t BatchMatmulTiling::GetTiling(AscendC::tiling::TCubeTiling& tiling) { return Solve(false, &tiling); }
int64_t MultiCoreMatmulTiling::GetTiling(optiling::TCubeTiling& tiling) { return Solve(true, &tiling); }
int64_t MultiCoreMatmulTiling::GetTiling(AscendC::tiling::TCubeTiling& tiling) { return Solve(true, &tiling); }

int32_t MultiCoreMatmulTiling::SetDim(int32_t dim) {
    request_.dim = dim;
    if (dim <= 0 || (request_.cores > 0 && dim > request_.cores)) {
        request_.dim = dim == 0 ? -1 : dim;
        return Warn("SetDim(" + std::to_string(dim) + "): from 1 to the SoC's cores" +
                    (request_.cores > 0 ? ", " + std::to_string(request_.cores) : ""));
    }
    return 0;
}

int32_t MultiCoreMatmulTiling::SetSingleShape(int32_t singleMIn, int32_t singleNIn, int32_t singleKIn) {
    request_.single = Sizes{singleMIn, singleNIn, singleKIn};
    return 0;
}

int32_t MultiCoreMatmulTiling::SetSingleRange(int32_t maxM, int32_t maxN, int32_t maxK, int32_t minM, int32_t minN,
                                              int32_t minK) {
    request_.single_max = Sizes{maxM, maxN, maxK};
    request_.single_min = Sizes{minM, minN, minK};
    return 0;
}

int32_t MultiCoreMatmulTiling::SetAlignSplit(int32_t alignM, int32_t alignN, int32_t alignK) {
    request_.single_multiple = Sizes{alignM, alignN, alignK};
    return 0;
}

void MultiCoreMatmulTiling::EnableMultiCoreSplitK(bool flag) { request_.split_k = flag; }

int32_t MultiCoreMatmulTiling::GetSingleShape(int32_t& shapeM, int32_t& shapeN, int32_t& shapeK) {
    if (!solved_) {
        return Warn("GetSingleShape: no GetTiling succeeded before");
    }
    shapeM = result_.singleCoreM;
    shapeN = result_.singleCoreN;
    shapeK = result_.singleCoreK;
    return 0;
}

int32_t MultiCoreMatmulTiling::GetCoreNum(int32_t& dim, int32_t& mDim, int32_t& nDim) {
    if (!solved_) {
        return Warn("GetCoreNum: no GetTiling succeeded before");
    }
    // As CANN's library: of SetShape's numbers, where -1 for the whole matrix gives 0 parts.
    dim = result_.usedCoreNum;
    mDim = static_cast<int32_t>((int64_t{request_.shape.m} + result_.singleCoreM - 1) / result_.singleCoreM);
    nDim = static_cast<int32_t>((int64_t{request_.shape.n} + result_.singleCoreN - 1) / result_.singleCoreN);
    return 0;
}

int32_t BatchMatmulTiling::GetCoreNum(int32_t& dim, int32_t& mDim, int32_t& nDim, int32_t& batchCoreM,
                                      int32_t& batchCoreN) {
    if (!solved_) {
        return Warn("GetCoreNum: no GetTiling succeeded before");
    }
    dim = result_.usedCoreNum;
    mDim = (result_.M - 1) / result_.singleCoreM + 1;
    nDim = (result_.N - 1) / result_.singleCoreN + 1;
    batchCoreM = batchCoreN = 1;
    return 0;
}

}  // namespace matmul_tiling
