// The types and templates a Matmul object is made of.
// Documentation: SIMD-API/高阶API/矩阵计算/Matmul-Kernel侧接口/MatmulConfig, GetNormalConfig, GetMDLConfig,
// Matmul模板参数. These names stand in the global namespace, as kernels call them.
#ifndef ASCENDC_LIB_MATMUL_CONFIG_H
#define ASCENDC_LIB_MATMUL_CONFIG_H

#include "kernel_operator.h"
#include "sim/matmul.h"

enum class CubeFormat {
    ND = 0,
    NZ,
    ZN,
    ZZ,
    NN,
    ND_ALIGN,
    SCALAR,
    VECTOR,
    ROW_MAJOR = ND,
    COLUMN_MAJOR = 8,
};

enum class LayoutMode { NONE = 0, BSNGD, SBNGD, BNGS1S2, NORMAL };
enum class BatchMode { NONE = 0, BATCH_LESS_THAN_L1, BATCH_LARGE_THAN_L1, SINGLE_LARGE_THAN_L1 };
enum BatchOutMode { SINGLE_BATCH = 0, MULTI_BATCH, DYNAMIC };
enum class IterateOrder { ORDER_M = 0, ORDER_N, UNDEF };
enum class DecompressionMode { DECOMP_NONE = 0 };
// Which functions a kernel calls: the simulated object always has all of them.
enum IterateMode : uint8_t {
    ITERATE_MODE_NORMAL = 1,
    ITERATE_MODE_ALL = 2,
    ITERATE_MODE_BATCH = 4,
    ITERATE_MODE_N_BATCH = 8,
    ITERATE_MODE_DEFAULT = 255,
};
enum class ScheduleType { INNER_PRODUCT = 0, OUTER_PRODUCT };

struct MatmulConfig {
    bool doNorm;
    bool doBasicBlock;
    bool doMultiDataLoad;
    uint32_t basicM;
    uint32_t basicN;
    uint32_t basicK;
    bool intrinsicsCheck;
    bool isNBatch;
    bool enVecND2NZ;
    bool doSpecialBasicBlock;
    uint32_t doMTE2Preload;
    uint32_t singleCoreM;
    uint32_t singleCoreN;
    uint32_t singleCoreK;
    uint32_t stepM;
    uint32_t stepN;
    uint32_t baseMN;
    uint32_t singleCoreMN;
    bool enUnitFlag = true;
    bool isPerTensor;
    bool hasAntiQuantOffset;
    bool doIBShareNorm;
    bool doSpecialMDL;
    bool enableInit = true;
    BatchMode batchMode;
    bool enableEnd = true;
    bool enableGetTensorC = true;
    bool enableSetOrgShape = true;
    bool enableSetBias = true;
    bool enableSetTail = true;
    bool enableQuantVector = true;
    bool enableSetDefineData = true;
    uint8_t iterateMode = IterateMode::ITERATE_MODE_DEFAULT;
    bool enableReuse = true;
    bool enableUBReuse;
    bool enableL1CacheUB;
    bool intraBlockPartSum = false;
    IterateOrder iterateOrder{IterateOrder::UNDEF};
    ScheduleType scheduleType;
    bool enableDoubleCache;
    bool isBiasBatch = true;
    bool enableStaticPadZeros = false;
    bool isPartialOutput = false;
    bool enableMixDualMaster = false;
    bool isA2B2Shared = false;
    bool isEnableChannelSplit = false;
    bool enableKdimReorderLoad = false;
    bool isCO1Shared = false;
    uint32_t sharedCO1BufferSize = 65536;
    BatchOutMode bmmOutMode = BatchOutMode::SINGLE_BATCH;
    bool enableL1BankConflictOptimise = false;
    bool enableRelu = false;
    DecompressionMode decompMode = DecompressionMode::DECOMP_NONE;
};

constexpr MatmulConfig GetNormalConfig(bool intrinsicsLimit = false, bool batchLoop = false, bool isVecND2NZ = false,
                                       BatchMode bmmMode = BatchMode::BATCH_LESS_THAN_L1, bool isMsgReuse = true,
                                       IterateOrder iterateOrder = IterateOrder::UNDEF,
                                       ScheduleType scheduleType = ScheduleType::INNER_PRODUCT, bool enUnitFlag = true,
                                       bool enableMixDualMaster = false,
                                       BatchOutMode bmmOutMode = BatchOutMode::SINGLE_BATCH) {
    MatmulConfig config{};
    config.doNorm = true;
    config.intrinsicsCheck = intrinsicsLimit;
    config.isNBatch = batchLoop;
    config.enVecND2NZ = isVecND2NZ;
    config.batchMode = bmmMode;
    config.enableReuse = isMsgReuse;
    config.iterateOrder = iterateOrder;
    config.scheduleType = scheduleType;
    config.enUnitFlag = enUnitFlag;
    config.enableMixDualMaster = enableMixDualMaster;
    config.bmmOutMode = bmmOutMode;
    return config;
}

constexpr MatmulConfig GetMDLConfig(bool intrinsicsLimit = false, bool batchLoop = false, uint32_t doMTE2Preload = 0,
                                    bool isVecND2NZ = false, bool isPerTensor = false, bool hasAntiQuantOffset = false,
                                    bool enUnitFlag = false, bool isMsgReuse = true, bool enableUBReuse = true,
                                    bool enableL1CacheUB = false, bool enableMixDualMaster = false,
                                    bool enableKdimReorderLoad = false, bool enableRelu = false) {
    MatmulConfig config{};
    config.doMultiDataLoad = true;
    config.intrinsicsCheck = intrinsicsLimit;
    config.isNBatch = batchLoop;
    config.doMTE2Preload = doMTE2Preload;
    config.enVecND2NZ = isVecND2NZ;
    config.isPerTensor = isPerTensor;
    config.hasAntiQuantOffset = hasAntiQuantOffset;
    config.enUnitFlag = enUnitFlag;
    config.enableReuse = isMsgReuse;
    config.enableUBReuse = enableUBReuse;
    config.enableL1CacheUB = enableL1CacheUB;
    config.enableMixDualMaster = enableMixDualMaster;
    config.enableKdimReorderLoad = enableKdimReorderLoad;
    config.enableRelu = enableRelu;
    return config;
}

constexpr MatmulConfig GetIBShareNormConfig(bool intrinsicsLimit = false, bool batchLoop = false,
                                            bool isVecND2NZ = false, BatchMode bmmMode = BatchMode::BATCH_LESS_THAN_L1,
                                            bool isDoubleCache = false, bool enUnitFlag = true) {
    MatmulConfig config = GetNormalConfig(intrinsicsLimit, batchLoop, isVecND2NZ, bmmMode);
    config.doIBShareNorm = true;
    config.enableDoubleCache = isDoubleCache;
    config.enUnitFlag = enUnitFlag;
    return config;
}

// MDL that takes several base blocks of N at once (stepN 2).
constexpr MatmulConfig GetSpecialMDLConfig(bool intrinsicsLimit = false, bool batchLoop = false,
                                           uint32_t doMTE2Preload = 0, bool isVecND2NZ = false,
                                           bool isPerTensor = false, bool hasAntiQuantOffset = false) {
    MatmulConfig config =
        GetMDLConfig(intrinsicsLimit, batchLoop, doMTE2Preload, isVecND2NZ, isPerTensor, hasAntiQuantOffset);
    config.doMultiDataLoad = false;
    config.doSpecialMDL = true;
    return config;
}

// Norm with base blocks that are known when the kernel is compiled, and divide the part of a core.
constexpr MatmulConfig GetBasicConfig(uint32_t basicM, uint32_t basicN, uint32_t basicK, bool intrinsicsLimit = false,
                                      bool batchLoop = false, BatchMode bmmMode = BatchMode::BATCH_LESS_THAN_L1) {
    MatmulConfig config = GetNormalConfig(intrinsicsLimit, batchLoop, false, bmmMode);
    config.doNorm = false;
    config.doBasicBlock = true;
    config.basicM = basicM;
    config.basicN = basicN;
    config.basicK = basicK;
    return config;
}

// GetMMConfig: a template, and any of these in any order.
enum class MatmulConfigMode { CONFIG_NORM = 0, CONFIG_MDL, CONFIG_SPECIALMDL, CONFIG_IBSHARE };

struct MatmulShapeParams {
    uint32_t singleCoreM;
    uint32_t singleCoreN;
    uint32_t singleCoreK;
    uint32_t basicM;
    uint32_t basicN;
    uint32_t basicK;
};

struct MatmulQuantParams {
    bool isPerTensor;
    bool hasAntiQuantOffset;
};

struct MatmulBatchParams {
    bool isNBatch;
    BatchMode batchMode;
    bool isBiasBatch = true;
    BatchOutMode bmmOutMode = BatchOutMode::SINGLE_BATCH;
};

struct MatmulFuncParams {
    bool intrinsicsCheck;
    bool enVecND2NZ;
    bool enableDoubleCache;
    bool enableL1CacheUB;
    uint32_t doMTE2Preload;
    IterateOrder iterateOrder;
    ScheduleType scheduleType;
    bool enableReuse = true;
    bool enableUBReuse;
    bool isPartialOutput = false;
    bool isA2B2Shared = false;
    bool isEnableChannelSplit = false;
    bool enableKdimReorderLoad = false;
    bool enableL1BankConflictOptimise = false;
    bool enableRelu = false;
    DecompressionMode decompMode = DecompressionMode::DECOMP_NONE;
};

namespace sim {

constexpr void Amend(MatmulConfig& config, const MatmulShapeParams& shape) {
    config.singleCoreM = shape.singleCoreM;
    config.singleCoreN = shape.singleCoreN;
    config.singleCoreK = shape.singleCoreK;
    config.basicM = shape.basicM;
    config.basicN = shape.basicN;
    config.basicK = shape.basicK;
}
constexpr void Amend(MatmulConfig& config, const MatmulQuantParams& quant) {
    config.isPerTensor = quant.isPerTensor;
    config.hasAntiQuantOffset = quant.hasAntiQuantOffset;
}
constexpr void Amend(MatmulConfig& config, const MatmulBatchParams& batch) {
    config.isNBatch = batch.isNBatch;
    config.batchMode = batch.batchMode;
    config.isBiasBatch = batch.isBiasBatch;
    config.bmmOutMode = batch.bmmOutMode;
}
constexpr void Amend(MatmulConfig& config, const MatmulFuncParams& func) {
    config.intrinsicsCheck = func.intrinsicsCheck;
    config.enVecND2NZ = func.enVecND2NZ;
    config.enableDoubleCache = func.enableDoubleCache;
    config.enableL1CacheUB = func.enableL1CacheUB;
    config.doMTE2Preload = func.doMTE2Preload;
    config.iterateOrder = func.iterateOrder;
    config.scheduleType = func.scheduleType;
    config.enableReuse = func.enableReuse;
    config.enableUBReuse = func.enableUBReuse;
    config.isPartialOutput = func.isPartialOutput;
    config.isA2B2Shared = func.isA2B2Shared;
    config.isEnableChannelSplit = func.isEnableChannelSplit;
    config.enableKdimReorderLoad = func.enableKdimReorderLoad;
    config.enableL1BankConflictOptimise = func.enableL1BankConflictOptimise;
    config.enableRelu = func.enableRelu;
    config.decompMode = func.decompMode;
}

}  // namespace sim

template <MatmulConfigMode configMode, typename... ArgTypes>
constexpr MatmulConfig GetMMConfig(ArgTypes&&... args) {
    MatmulConfig config = configMode == MatmulConfigMode::CONFIG_NORM         ? GetNormalConfig()
                          : configMode == MatmulConfigMode::CONFIG_MDL        ? GetMDLConfig()
                          : configMode == MatmulConfigMode::CONFIG_SPECIALMDL ? GetSpecialMDLConfig()
                                                                              : GetIBShareNormConfig();
    (sim::Amend(config, args), ...);
    return config;
}

inline constexpr MatmulConfig CFG_NORM = GetNormalConfig();
inline constexpr MatmulConfig MM_CFG_BB = GetBasicConfig(128, 128, 128);
inline constexpr MatmulConfig CFG_MDL = GetMDLConfig();
inline constexpr MatmulConfig CFG_IBSHARE_NORM = GetIBShareNormConfig();

// A MatmulConfig and what of the tiling is known when the kernel is compiled; -1: not known.
struct MatmulApiStaticTiling {
    int32_t usedCoreNum = -1;
    int32_t M = -1;
    int32_t N = -1;
    int32_t Ka = -1;
    int32_t Kb = -1;
    int32_t singleCoreM = -1;
    int32_t singleCoreN = -1;
    int32_t singleCoreK = -1;
    int32_t baseM = -1;
    int32_t baseN = -1;
    int32_t baseK = -1;
    int32_t depthA1 = -1;
    int32_t depthB1 = -1;
    int32_t stepM = -1;
    int32_t stepN = -1;
    int32_t isBias = -1;
    int32_t transLength = -1;
    int32_t iterateOrder = -1;
    int32_t shareMode = -1;
    int32_t shareL1Size = -1;
    int32_t shareL0CSize = -1;
    int32_t shareUbSize = -1;
    int32_t stepKa = -1;
    int32_t stepKb = -1;
    int32_t depthAL1CacheUB = -1;
    int32_t depthBL1CacheUB = -1;
    int32_t dbL0A = -1;
    int32_t dbL0B = -1;
    int32_t dbL0C = -1;
    int32_t ALayoutInfoB = -1;
    int32_t ALayoutInfoS = -1;
    int32_t ALayoutInfoN = -1;
    int32_t ALayoutInfoG = -1;
    int32_t ALayoutInfoD = -1;
    int32_t BLayoutInfoB = -1;
    int32_t BLayoutInfoS = -1;
    int32_t BLayoutInfoN = -1;
    int32_t BLayoutInfoG = -1;
    int32_t BLayoutInfoD = -1;
    int32_t CLayoutInfoB = -1;
    int32_t CLayoutInfoS1 = -1;
    int32_t CLayoutInfoN = -1;
    int32_t CLayoutInfoG = -1;
    int32_t CLayoutInfoS2 = -1;
    int32_t BatchNum = -1;
    int32_t mxTypePara = -1;
    MatmulConfig cfg = CFG_NORM;
};

namespace sim {

constexpr const MatmulConfig& ConfigOf(const MatmulConfig& config) { return config; }
constexpr const MatmulConfig& ConfigOf(const MatmulApiStaticTiling& tiling) { return tiling.cfg; }
constexpr MatmulApiStaticTiling StaticOf(const MatmulConfig&) { return {}; }
constexpr MatmulApiStaticTiling StaticOf(const MatmulApiStaticTiling& tiling) { return tiling; }

}  // namespace sim

namespace AscendC {

// Documentation: GetMatmulApiTiling. Where singleCoreM, N and K are constants the object needs no other tiling; then a
// base block is loaded alone. `l1Size`: the lengths do not depend on it here.
template <class A_TYPE, class B_TYPE, class C_TYPE, class BIAS_TYPE>
constexpr MatmulApiStaticTiling GetMatmulApiTiling(const MatmulConfig& mmCFG, int32_t l1Size = 524288) {
    (void)l1Size;
    MatmulApiStaticTiling tiling;
    tiling.cfg = mmCFG;
    const auto known = [](uint32_t length) { return length == 0 ? -1 : static_cast<int32_t>(length); };
    tiling.baseM = known(mmCFG.basicM);
    tiling.baseN = known(mmCFG.basicN);
    tiling.baseK = known(mmCFG.basicK);
    // two base blocks at a time where L0A and L0B have room for them
    const auto buffers = [&](uint32_t rows, size_t element) {
        const uint64_t bytes = uint64_t{rows} * mmCFG.basicK * element;
        return bytes == 0 ? -1 : 2 * bytes <= 64 * 1024 ? 2 : 1;
    };
    tiling.dbL0A = buffers(mmCFG.basicM, sizeof(typename A_TYPE::T));
    tiling.dbL0B = buffers(mmCFG.basicN, sizeof(typename B_TYPE::T));
    if (mmCFG.singleCoreM != 0 && mmCFG.singleCoreN != 0 && mmCFG.singleCoreK != 0) {
        tiling.usedCoreNum = 1;
        tiling.M = tiling.singleCoreM = known(mmCFG.singleCoreM);
        tiling.N = tiling.singleCoreN = known(mmCFG.singleCoreN);
        tiling.Ka = tiling.Kb = tiling.singleCoreK = known(mmCFG.singleCoreK);
        tiling.depthA1 = tiling.depthB1 = tiling.stepM = tiling.stepN = tiling.stepKa = tiling.stepKb = 1;
        tiling.dbL0C = 1;
        tiling.isBias = std::is_same<C_TYPE, BIAS_TYPE>::value ? 0 : 1;
        tiling.iterateOrder = 0;
    }
    return tiling;
}

// Bytes of a data block.
inline constexpr int32_t DEFAULT_C0_SIZE = 32;

template <TPosition POSITION, CubeFormat FORMAT, typename TYPE, bool ISTRANS = false,
          LayoutMode LAYOUT = LayoutMode::NONE, bool IBSHARE = false, TPosition SRCPOS = TPosition::GM>
struct MatmulType {
    static constexpr TPosition pos = POSITION;
    static constexpr CubeFormat format = FORMAT;
    using T = TYPE;
    static constexpr bool isTrans = ISTRANS;
    static constexpr LayoutMode layout = LAYOUT;
    static constexpr bool ibShare = IBSHARE;
    static constexpr TPosition srcPos = SRCPOS;
};

// What a DataCopyOut function is told of its block. Documentation: MatmulCallBackFunc.
struct DataCopyOutParams {
    DataCopyOutParams() {}
    DataCopyOutParams(uint16_t columns, uint16_t length, uint16_t from, uint32_t to, uint16_t width, bool unitFlag,
                      int row, int column)
        : cBurstNum(columns),
          burstLen(length),
          srcStride(from),
          dstStride(to),
          oriNSize(width),
          enUnitFlag(unitFlag),
          curM(row),
          curN(column) {}

    uint8_t quantMode = 0;
    uint16_t cBurstNum = 0;  // columns of 16 elements
    uint16_t burstLen = 0;   // blocks of 32 bytes in each
    uint16_t srcStride = 0;
    uint32_t dstStride = 0;  // elements of a row of the output, blocks of 32 bytes with NZ
    uint16_t oriNSize = 0;
    bool enUnitFlag = false;
    uint64_t quantScalar = 0;
    int curM = 0;  // which base block
    int curN = 0;
    uint64_t cbufWorkspaceAddr = 0;
};

// Functions of the kernel that replace steps of the computation: they run on the cube core, for each base block.
using MatmulDataCopyOut = void (*)(const __gm__ void* gm, const LocalTensor<int8_t>& co1Local,
                                   const void* dataCopyOutParams, const uint64_t tilingPtr, const uint64_t dataPtr);
using MatmulCopyIn = void (*)(const LocalTensor<int8_t>& matrix, const __gm__ void* gm, int row, int col, int useRow,
                              int useCol, const uint64_t tilingPtr, const uint64_t dataPtr);
template <MatmulDataCopyOut DataCopyOut = nullptr, MatmulCopyIn CopyA1 = nullptr, MatmulCopyIn CopyB1 = nullptr>
struct MatmulCallBackFunc {
    static constexpr MatmulDataCopyOut DataCopyOutPtr = DataCopyOut;
    static constexpr MatmulCopyIn CopyA1Ptr = CopyA1;
    static constexpr MatmulCopyIn CopyB1Ptr = CopyB1;
};

// Which blocks are computed, and in which order. Documentation: MatmulPolicy.
template <const auto& MM_CFG, typename IMPL, typename A_TYPE, typename B_TYPE, typename C_TYPE, typename BIAS_TYPE>
struct MatmulPolicy {
    static constexpr sim::MatmulPolicyKind kKind = sim::MatmulPolicyKind::kAll;
};

// What L0C holds of a product of T.
template <typename T>
struct GetMmDstType {
    using Type = std::conditional_t<sim::kOneOf<T, int8_t, int4b_t>, int32_t,
                                    std::conditional_t<sim::kOneOf<T, half, bfloat16_t>, float, T>>;
};

namespace Impl {
namespace Detail {

using AscendC::MatmulPolicy;
template <const auto& MM_CFG, typename IMPL, typename A_TYPE, typename B_TYPE, typename C_TYPE, typename BIAS_TYPE>
struct TrianUpperMatmulPolicy {
    static constexpr sim::MatmulPolicyKind kKind = sim::MatmulPolicyKind::kUpper;
};
template <const auto& MM_CFG, typename IMPL, typename A_TYPE, typename B_TYPE, typename C_TYPE, typename BIAS_TYPE>
struct TrianLowerMatmulPolicy {
    static constexpr sim::MatmulPolicyKind kKind = sim::MatmulPolicyKind::kLower;
};
// A of 3 x 3 base blocks stays in L1.
template <const auto& MM_CFG, typename IMPL, typename A_TYPE, typename B_TYPE, typename C_TYPE, typename BIAS_TYPE>
struct NBuffer33MatmulPolicy {
    static constexpr sim::MatmulPolicyKind kKind = sim::MatmulPolicyKind::kNBuffer33;
};

}  // namespace Detail
}  // namespace Impl

}  // namespace AscendC

#endif
