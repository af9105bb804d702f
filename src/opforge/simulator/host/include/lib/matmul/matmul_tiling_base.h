// matmul_tiling::MatmulApiTilingBase: what the tilings of a matrix product are told, and what all of them answer.
// Pages: SIMD-API/高阶API/矩阵计算/Matmul-Tiling类, one for each function.
//
// Functions return 0, or -1 with the reason on stderr ("MatmulApi Tiling: ..."), where a failing op's message finds it.
// Sizes are in elements unless they say bytes; -1 leaves a value to the tiling.
#ifndef OPFORGE_LIB_MATMUL_MATMUL_TILING_BASE_H
#define OPFORGE_LIB_MATMUL_MATMUL_TILING_BASE_H

#include <cstdint>

#include "kernel_tiling/kernel_tiling.h"
#include "lib/matmul/matmul_tilingdata.h"
#include "tiling/platform/platform_ascendc.h"

namespace matmul_tiling {

using half = double;  // a name for tiling functions; its size is not that of a float16

// ge::DataType's numbers, but for bfloat16, which has two names here.
enum class DataType : int32_t {
    DT_FLOAT = 0,
    DT_FLOAT16 = 1,
    DT_INT8 = 2,
    DT_INT32 = 3,
    DT_UINT8 = 4,
    DT_INT16 = 6,
    DT_UINT16 = 7,
    DT_UINT32 = 8,
    DT_INT64 = 9,
    DT_UINT64 = 10,
    DT_DOUBLE = 11,
    DT_BOOL = 12,
    DT_STRING = 13,
    DT_DUAL_SUB_INT8 = 14,
    DT_DUAL_SUB_UINT8 = 15,
    DT_COMPLEX64 = 16,
    DT_COMPLEX128 = 17,
    DT_QINT8 = 18,
    DT_QINT16 = 19,
    DT_QINT32 = 20,
    DT_QUINT8 = 21,
    DT_QUINT16 = 22,
    DT_RESOURCE = 23,
    DT_STRING_REF = 24,
    DT_DUAL = 25,
    DT_VARIANT = 26,
    DT_BF16 = 27,
    DT_UNDEFINED = 28,
    DT_INT4 = 29,
    DT_UINT1 = 30,
    DT_INT2 = 31,
    DT_UINT2 = 32,
    DT_BFLOAT16 = 33,
    DT_HIFLOAT8 = 34,
    DT_FLOAT8_E4M3FN = 35,
    DT_FLOAT8_E5M2 = 36,
    DT_FLOAT4_E2M1 = 37,
    DT_FLOAT8_E8M0 = 38,
    DT_FLOAT4_E1M2 = 39,
    DT_MAX = 40
};

enum class TPosition : int32_t {
    GM,
    A1,
    A2,
    B1,
    B2,
    C1,
    C2,
    CO1,
    CO2,
    VECIN,
    VECOUT,
    VECCALC,
    LCM = VECCALC,
    SPM,
    SHM = SPM,
    TSCM,
    MAX
};

enum class CubeFormat : int32_t { ND = 0, NZ, ZN, ZZ, NN, ND_ALIGN, SCALAR, VECTOR, ROW_MAJOR = ND, COLUMN_MAJOR = 8 };

enum class MatrixTraverse : int32_t { NOSET = 0, FIRSTM = 1, FIRSTN = 2 };
enum class MatrixMadType : int32_t { NORMAL = 0, HF32 = 1, MXMODE = 2 };
enum class DequantType : int32_t { SCALAR = 0, TENSOR = 1 };
enum class ScheduleType : int32_t { INNER_PRODUCT = 0, OUTER_PRODUCT = 1, N_BUFFER_33 = 2 };

// Bytes.
struct SysTilingTempBufSize {
    int32_t ubSize = 0;
    int32_t l1Size = 0;
    int32_t l0cSize = 0;
};

// One core's memories, bytes, for programs that have no PlatformAscendC.
struct PlatformInfo {
    platform_ascendc::SocVersion socVersion;
    uint64_t l1Size = 0;
    uint64_t l0CSize = 0;
    uint64_t ubSize = 0;
    uint64_t l0ASize = 0;
    uint64_t l0BSize = 0;
};

struct MatmulConfigParams {
    int32_t mmConfigType;  // of the Matmul object: 0 CFG_NORM, 1 CFG_MDL
    bool enableL1CacheUB;
    ScheduleType scheduleType;
    MatrixTraverse traverse;
    bool enVecND2NZ;
    MatmulConfigParams(int32_t mmConfigTypeIn = 1, bool enableL1CacheUBIn = false,
                       ScheduleType scheduleTypeIn = ScheduleType::INNER_PRODUCT,
                       MatrixTraverse traverseIn = MatrixTraverse::NOSET, bool enVecND2NZIn = false)
        : mmConfigType(mmConfigTypeIn),
          enableL1CacheUB(enableL1CacheUBIn),
          scheduleType(scheduleTypeIn),
          traverse(traverseIn),
          enVecND2NZ(enVecND2NZIn) {}
};

// What a tiling object was told.
struct MatrixRequest {
    bool set = false;
    TPosition position = TPosition::GM;
    CubeFormat format = CubeFormat::ND;
    DataType type = DataType::DT_FLOAT;
    bool transposed = false;
};

struct Sizes {
    int32_t m;
    int32_t n;
    int32_t k;
};

// The axes of a matrix of a batch. Page "IterateBatch".
struct BatchAxes {
    int32_t b;
    int32_t s;
    int32_t n;
    int32_t g;
    int32_t d;
};

struct TilingRequest {
    platform_ascendc::SocVersion soc;
    int64_t l1, l0a, l0b, l0c, ub, bias_table;  // bytes
    MatrixRequest a, b, c, bias;
    bool has_bias = false;
    int32_t cores = 0;  // of the SoC, of the kind of which it has more; 0: not known
    int32_t dim = 0;    // 0: SetDim was not called
    Sizes shape = {-1, -1, -1};
    int32_t whole_m = -1, whole_n = -1, whole_ka = -1, whole_kb = -1;
    Sizes single = {-1, -1, -1};
    Sizes single_max = {-1, -1, -1};
    Sizes single_min = {-1, -1, -1};
    Sizes single_multiple = {-1, -1, -1};
    Sizes base = {-1, -1, -1};
    Sizes base_max = {-1, -1, -1};
    Sizes base_min = {-1, -1, -1};
    bool split_k = false;
    MatrixTraverse traverse = MatrixTraverse::NOSET;
    MatmulConfigParams config;
    BatchAxes axes_a = {0, 0, 0, 0, 0};
    BatchAxes axes_b = {0, 0, 0, 0, 0};
    BatchAxes axes_c = {0, 0, 0, 0, 0};
    int32_t batches = 0;
    bool in_layouts = false;        // SetALayout, SetBLayout or SetCLayout, not SetBatchInfoForNormal
    const char* refused = nullptr;  // a feature that was asked for and is not simulated
};

class __attribute__((visibility("default"))) MatmulApiTilingBase {
public:
    // Atlas A2's sizes. Page "Matmul Tiling类构造函数": only Atlas A2 and A3 may construct without a platform.
    MatmulApiTilingBase();
    explicit MatmulApiTilingBase(const platform_ascendc::PlatformAscendC& ascendcPlatform);
    explicit MatmulApiTilingBase(const PlatformInfo& platform);
    virtual ~MatmulApiTilingBase();

    int32_t SetAType(TPosition pos, CubeFormat type, DataType dataType, bool isTrans = false);
    int32_t SetBType(TPosition pos, CubeFormat type, DataType dataType, bool isTrans = false);
    int32_t SetCType(TPosition pos, CubeFormat type, DataType dataType);
    int32_t SetBiasType(TPosition pos, CubeFormat type, DataType dataType);
    int32_t SetDequantType(DequantType dequantType);
    virtual int32_t SetShape(int32_t m, int32_t n, int32_t k);
    int32_t SetOrgShape(int32_t orgMIn, int32_t orgNIn, int32_t orgKIn);
    int32_t SetOrgShape(int32_t orgMIn, int32_t orgNIn, int32_t orgKaIn, int32_t orgKbIn);
    int32_t EnableBias(bool isBiasIn = false);
    int32_t SetBias(bool isBiasIn = false) { return EnableBias(isBiasIn); }
    // baseM and baseN multiples of 16; baseK must stay -1, as the page says.
    int32_t SetFixSplit(int32_t baseMIn = -1, int32_t baseNIn = -1, int32_t baseKIn = -1);
    // Bytes that the product may use.
    int32_t SetBufferSpace(int32_t l1Size = -1, int32_t l0CSize = -1, int32_t ubSize = -1, int32_t btSize = -1);
    int32_t SetTraverse(MatrixTraverse traverse);
    int32_t SetMadType(MatrixMadType madType);
    int32_t SetSplitRange(int32_t maxBaseM = -1, int32_t maxBaseN = -1, int32_t maxBaseK = -1, int32_t minBaseM = -1,
                          int32_t minBaseN = -1, int32_t minBaseK = -1);
    // Reserved by the page: takes any values and changes nothing.
    int32_t SetDoubleBuffer(bool a, bool b, bool c, bool bias, bool transND2NZ = true, bool transNZ2ND = true);
    void SetMatmulConfigParams(int32_t mmConfigTypeIn = 1, bool enableL1CacheUBIn = false,
                               ScheduleType scheduleTypeIn = ScheduleType::INNER_PRODUCT,
                               MatrixTraverse traverseIn = MatrixTraverse::NOSET, bool enVecND2NZIn = false);
    void SetMatmulConfigParams(const MatmulConfigParams& configParams);
    // Not simulated: these, asked for, make GetTiling fail.
    int32_t SetSparse(bool isSparseIn = false);
    int32_t SetScaleAType(TPosition scalePos, CubeFormat scaleType, bool isScaleTrans = false);
    int32_t SetScaleBType(TPosition scalePos, CubeFormat scaleType, bool isScaleTrans = true);
    // For IterateBatch. Pages "SetALayout", "SetBatchInfoForNormal", "SetBatchNum".
    int32_t SetALayout(int32_t b, int32_t s, int32_t n, int32_t g, int32_t d);
    int32_t SetBLayout(int32_t b, int32_t s, int32_t n, int32_t g, int32_t d);
    int32_t SetCLayout(int32_t b, int32_t s, int32_t n, int32_t g, int32_t d);
    int32_t SetBatchInfoForNormal(int32_t batchA, int32_t batchB, int32_t m, int32_t n, int32_t k);
    int32_t SetBatchNum(int32_t batch);

    // After GetTiling; before it what SetFixSplit fixed, or -1.
    int32_t GetBaseM() const;
    int32_t GetBaseN() const;
    int32_t GetBaseK() const;

    // -1 where these settings have no tiling; tiling is untouched then.
    virtual int64_t GetTiling(optiling::TCubeTiling& tiling) = 0;
    virtual int64_t GetTiling(AscendC::tiling::TCubeTiling& tiling) = 0;

protected:
    int64_t Solve(bool many_cores, AscendC::tiling::TCubeTiling* tiling);
    int64_t Solve(bool many_cores, optiling::TCubeTiling* tiling);

    TilingRequest request_;
    bool solved_ = false;
    AscendC::tiling::TCubeTiling result_;

private:
    int32_t KeepLayout(const char* function, BatchAxes* axes, int32_t b, int32_t s, int32_t n, int32_t g, int32_t d);
    int32_t Refuse(const char* what);
};

}  // namespace matmul_tiling
#endif
