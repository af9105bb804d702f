// Enumerations and parameter structures of the kernel API.
// Documentation: SIMD-API/基础API/辅助数据结构, SIMD-API/基础API/数据结构
#ifndef ASCENDC_KERNEL_TYPE_H
#define ASCENDC_KERNEL_TYPE_H

#ifndef ASCENDC_SIM_PUBLIC_HEADER
#define ASCENDC_SIM_PUBLIC_HEADER
#endif
#include "../kernel_tiling/data_format.h"
#include "sim/language.h"
#include "sim/dtype.h"
#include "sim/std.h"
#include "sim/engine.h"

// The device compiler's names beside half and float.
using float16_t = half;
using float32_t = float;
#define __bf16 bfloat16_t  // a macro: newer host compilers have a type of this name
// What DTYPE_X is of an input of complex numbers: kernels take its size, and move its bytes as another type.
struct complex64 {
    float real, imag;
};

enum pipe_t {
    PIPE_S = 0,
    PIPE_V,
    PIPE_M,
    PIPE_MTE1,
    PIPE_MTE2,
    PIPE_MTE3,
    PIPE_ALL,
    PIPE_MTE4,
    PIPE_MTE5,
    PIPE_V2,
    PIPE_FIX,
};

// How Fixpipe converts what it takes out of L0C. Documentation: 基础API/矩阵计算（ISASI）/矩阵搬出关键特性说明/随路量化
enum QuantMode_t {
    NoQuant = 0,
    F322F16 = 1,
    VREQ8 = 8,
    REQ8 = 9,
    VDEQF16 = 10,
    DEQF16 = 11,
    F322BF16 = 16,
    VQF322B8_PRE = 23,
    QF322B8_PRE = 24,
    // Modes of Ascend950, which headers for several chips name; Fixpipe refuses them here.
    VQF322F32_PRE = 30,
    QF322F32_PRE = 31,
    VQF322F16_PRE = 32,
    QF322F16_PRE = 33,
    VQF322BF16_PRE = 34,
    QF322BF16_PRE = 35,
};

// How the older products pad what DataCopy moves; only PAD_NONE is simulated.
enum pad_t {
    PAD_NONE = 0,
    PAD_MODE1,
    PAD_MODE2,
    PAD_MODE3,
    PAD_MODE4,
    PAD_MODE5,
    PAD_MODE6,
    PAD_MODE7,
    PAD_MODE8,
};

enum event_t { EVENT_ID0 = 0, EVENT_ID1, EVENT_ID2, EVENT_ID3, EVENT_ID4, EVENT_ID5, EVENT_ID6, EVENT_ID7 };

namespace AscendC {

// Kinds of cores, as g_coreType says them.
constexpr int32_t MIX = 0;
constexpr int32_t AIC = 1;
constexpr int32_t AIV = 2;

}  // namespace AscendC

namespace sim {

// A kernel is compiled once for both kinds of cores: on which one it runs is asked at run time.
struct CoreTypeNow {
    operator int32_t() const { return OnCubeCore() ? AscendC::AIC : OnVectorCore() ? AscendC::AIV : AscendC::MIX; }
};

}  // namespace sim

inline constexpr sim::CoreTypeNow g_coreType{};
// What asc_opc makes of it in a kernel that is compiled for each kind of core by itself: a constant.
inline constexpr int32_t g_coreTypeCube = AscendC::AIC;
inline constexpr int32_t g_coreTypeVector = AscendC::AIV;

// `if ASCEND_IS_AIV { ... }` and nothing else: on the device each is `constexpr (...)`, no value.  Documentation:
// guide/编程指南/语言扩展层/SIMD-BuiltIn关键字
#define ASCEND_IS_AIC ([[maybe_unused]] const bool simOnThisCore = sim::OnCubeCore())
#define ASCEND_IS_AIV ([[maybe_unused]] const bool simOnThisCore = sim::OnVectorCore())
#define ASCEND_IS_NOT_AIC ([[maybe_unused]] const bool simOnThisCore = !sim::OnCubeCore())
#define ASCEND_IS_NOT_AIV ([[maybe_unused]] const bool simOnThisCore = !sim::OnVectorCore())

namespace AscendC {

// Documentation: SIMD-API/基础API/工具接口; the device compiler's own spelling of std::is_same.
template <typename T, typename U>
struct IsSameType : std::is_same<T, U> {};

// The bits of minus infinity; CANN's headers bring them, and kernels use them by this name.
constexpr uint32_t F32_NEG_INF = 0xff800000;

// Constants of CANN's headers that kernels use by name.
#ifndef ASCC_PARAM_BLOCK_CUBE
#define ASCC_PARAM_BLOCK_CUBE
const int32_t BLOCK_CUBE = 16;
#endif
#ifndef ASCC_PARAM_CUBE_MAX_SIZE
#define ASCC_PARAM_CUBE_MAX_SIZE
const int32_t CUBE_MAX_SIZE = 256;
#endif
const int32_t DEFAULT_BLOCK_SIZE = 256;
const uint32_t DROPOUT_MODE_BYTE_MISALIGN = 1;
const uint32_t DROPOUT_MODE_BYTE_ALIGN = 2;
const uint32_t DROPOUT_MODE_BIT_ALIGN = 3;
const uint32_t DROPOUT_MODE_BIT_MISALIGN = 4;
const int32_t HALF_FACTOR = 2;
const int32_t ONE_BYTE_BIT_SIZE = 8;
const uint32_t TOTAL_L0A_SIZE = 64 * 1024;
const uint32_t TOTAL_L0B_SIZE = 64 * 1024;
#if __NPU_ARCH__ == 2002
const uint32_t TOTAL_UB_SIZE = 256 * 1024;
const uint32_t TOTAL_L1_SIZE = 1024 * 1024;
const uint32_t TOTAL_L0C_SIZE = 256 * 1024;
#else
const uint32_t TOTAL_UB_SIZE = 192 * 1024;
const uint32_t TOTAL_L1_SIZE = 512 * 1024 - 128;
const uint32_t TOTAL_L0C_SIZE = 128 * 1024;
#endif

using TEventID = int8_t;
constexpr TEventID INVALID_TEVENTID = static_cast<TEventID>(-1);
using TTagType = int32_t;

enum class TPosition : uint8_t {
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
    C2PIPE2GM,
    C2PIPE2LOCAL,
    MAX,
};
using QuePosition = TPosition;

}  // namespace AscendC

namespace sim {

// Documentation: SIMD-API/通用说明和约束, 表1 (Atlas A2 and A3). Memory::kCount: global memory, or nothing.
constexpr Memory MemoryOf(AscendC::TPosition position) {
    switch (position) {
        case AscendC::TPosition::VECIN:
        case AscendC::TPosition::VECOUT:
        case AscendC::TPosition::VECCALC:
            return Memory::kUb;
        case AscendC::TPosition::A1:
        case AscendC::TPosition::B1:
        case AscendC::TPosition::C1:
        case AscendC::TPosition::TSCM:
            return Memory::kL1;
        case AscendC::TPosition::A2:
            return Memory::kL0A;
        case AscendC::TPosition::B2:
            return Memory::kL0B;
        case AscendC::TPosition::CO1:
            return Memory::kL0C;
        case AscendC::TPosition::C2:
            return Memory::kBiasTable;
        case AscendC::TPosition::C2PIPE2GM:
            return Memory::kFixpipe;
        case AscendC::TPosition::CO2:
            return kOnM200 ? Memory::kUb : Memory::kCount;
        default:
            return Memory::kCount;
    }
}

}  // namespace sim

namespace AscendC {

enum class RoundMode : uint8_t {
    CAST_NONE = 0,
    CAST_RINT,
    CAST_FLOOR,
    CAST_CEIL,
    CAST_ROUND,
    CAST_TRUNC,
    CAST_ODD,
    UNKNOWN = 0xff,
};

enum class CMPMODE : uint8_t { LT = 0, GT, EQ, LE, GE, NE };

enum class SELMODE : uint8_t { VSEL_CMPMASK_SPR = 0, VSEL_TENSOR_SCALAR_MODE, VSEL_TENSOR_TENSOR_MODE };

// What WholeReduceMax and its like write of each repeat. Documentation: 归约计算/ReduceRepeat
enum class ReduceOrder : uint8_t { ORDER_VALUE_INDEX, ORDER_INDEX_VALUE, ORDER_ONLY_VALUE, ORDER_ONLY_INDEX };

enum class HardEvent : uint8_t {
    MTE2_MTE1,
    MTE1_MTE2,
    MTE1_M,
    M_MTE1,
    MTE2_V,
    V_MTE2,
    MTE3_V,
    V_MTE3,
    M_V,
    V_M,
    V_V,
    MTE3_MTE1,
    MTE1_MTE3,
    MTE1_V,
    MTE2_M,
    M_MTE2,
    V_MTE1,
    M_FIX,
    FIX_M,
    MTE3_MTE2,
    MTE2_MTE3,
    S_V,
    V_S,
    S_MTE2,
    MTE2_S,
    S_MTE3,
    MTE3_S,
    MTE2_FIX,
    FIX_MTE2,
    FIX_S,
    M_S,
    FIX_MTE3,
    MTE1_FIX,
    FIX_MTE1,
    FIX_FIX,
    MAX,
};

// What DataSyncBarrier waits for. Documentation: SIMD-API/基础API/同步控制/核内同步/DataSyncBarrier(ISASI)
enum class MemDsbT : uint8_t { ALL = 0, DDR, UB, SEQ };

// The memories of a core. Documentation: SIMD-API/基础API/资源管理/LocalMemAllocator/LocalMemAllocator简介
enum class Hardware : uint8_t { GM, UB, L1, L0A, L0B, L0C, BIAS, FIXBUF, MAX };

// Documentation: SIMD-API/基础API/数据结构/GlobalTensor/SetL2CacheHint
enum class CacheMode { CACHE_MODE_DISABLE = 0, CACHE_MODE_NORMAL = 1, CACHE_MODE_LAST = 2, CACHE_MODE_PERSISTENT = 4 };
enum class CacheRwMode { READ = 1, WRITE = 2, RW = 3 };

// The choice of a type, in the spelling of kernels that were written before AscendC::Std.
template <bool condition, typename IfTrue, typename IfFalse>
struct Conditional {
    using type = IfTrue;
};
template <typename IfTrue, typename IfFalse>
struct Conditional<false, IfTrue, IfFalse> {
    using type = IfFalse;
};

// Documentation: SIMD-API/基础API/辅助数据结构/ShapeInfo
#define K_MAX_SHAPE_DIM 8
// As page "ShapeInfo" has it.
inline constexpr int K_MAX_DIM = 8;

// Up to eight dims: of the storage, and as the user thinks of them.
struct ShapeInfo {
    ShapeInfo() {}
    ShapeInfo(uint8_t dims, const uint32_t sizes[], uint8_t originalDims, const uint32_t originalSizes[],
              DataFormat format)
        : shapeDim(dims), originalShapeDim(originalDims), dataFormat(format) {
        for (int i = 0; i < dims && i < K_MAX_SHAPE_DIM; ++i) {
            shape[i] = sizes[i];
        }
        for (int i = 0; i < originalDims && i < K_MAX_SHAPE_DIM; ++i) {
            originalShape[i] = originalSizes[i];
        }
    }
    ShapeInfo(uint8_t dims, const uint32_t sizes[], DataFormat format) : ShapeInfo(dims, sizes, dims, sizes, format) {}
    ShapeInfo(uint8_t dims, const uint32_t sizes[]) : ShapeInfo(dims, sizes, DataFormat::ND) {}

    // Undefined until a constructor or the kernel sets them, as on the device.
    uint8_t shapeDim;
    uint8_t originalShapeDim;
    uint32_t shape[K_MAX_SHAPE_DIM];
    uint32_t originalShape[K_MAX_SHAPE_DIM];
    DataFormat dataFormat;
};

// Repeat strides in 32-byte blocks; a repeat covers eight blocks.
struct UnaryRepeatParams {
    UnaryRepeatParams() = default;
    UnaryRepeatParams(uint16_t dstBlock, uint16_t srcBlock, uint8_t dstRepeat, uint8_t srcRepeat)
        : dstBlkStride(dstBlock), srcBlkStride(srcBlock), dstRepStride(dstRepeat), srcRepStride(srcRepeat) {}

    uint32_t blockNumber = 8;
    uint16_t dstBlkStride = 1;
    uint16_t srcBlkStride = 1;
    uint8_t dstRepStride = 8;
    uint8_t srcRepStride = 8;
};

struct BinaryRepeatParams {
    BinaryRepeatParams() = default;
    BinaryRepeatParams(uint8_t dstBlock, uint8_t src0Block, uint8_t src1Block, uint8_t dstRepeat, uint8_t src0Repeat,
                       uint8_t src1Repeat)
        : dstBlkStride(dstBlock),
          src0BlkStride(src0Block),
          src1BlkStride(src1Block),
          dstRepStride(dstRepeat),
          src0RepStride(src0Repeat),
          src1RepStride(src1Repeat) {}

    uint32_t blockNumber = 8;
    uint8_t dstBlkStride = 1;
    uint8_t src0BlkStride = 1;
    uint8_t src1BlkStride = 1;
    uint8_t dstRepStride = 8;
    uint8_t src0RepStride = 8;
    uint8_t src1RepStride = 8;
};

// Lengths and gaps in 32-byte blocks for DataCopy; in bytes (GM side, blockLen) for DataCopyPad.
struct DataCopyParams {
    DataCopyParams() {}
    DataCopyParams(uint16_t count, uint16_t length, uint16_t source, uint16_t destination)
        : blockCount(count), blockLen(length), srcGap(source), dstGap(destination) {}

    uint16_t blockCount = 1;
    uint16_t blockLen = 0;
    union {
        uint16_t srcGap = 0;
        uint16_t srcStride;
    };
    union {
        uint16_t dstGap = 0;
        uint16_t dstStride;
    };
};

struct DataCopyExtParams {
    DataCopyExtParams() = default;
    DataCopyExtParams(uint16_t count, uint32_t length, uint32_t source, uint32_t destination, uint32_t reserved)
        : blockCount(count), blockLen(length), srcStride(source), dstStride(destination), rsv(reserved) {}

    uint16_t blockCount = 1;
    uint32_t blockLen = 0;
    uint32_t srcStride = 0;
    uint32_t dstStride = 0;
    uint32_t rsv = 0;
};

struct DataCopyPadParams {
    DataCopyPadParams() = default;
    DataCopyPadParams(bool pad, uint8_t left, uint8_t right, uint64_t value)
        : isPad(pad), leftPadding(left), rightPadding(right), paddingValue(value) {}

    bool isPad = false;
    uint8_t leftPadding = 0;
    uint8_t rightPadding = 0;
    uint64_t paddingValue = 0;
};

template <typename T>
struct DataCopyPadExtParams {
    DataCopyPadExtParams() = default;
    DataCopyPadExtParams(bool pad, uint8_t left, uint8_t right, T value)
        : isPad(pad), leftPadding(left), rightPadding(right), paddingValue(value) {}

    bool isPad = false;
    uint8_t leftPadding = 0;
    uint8_t rightPadding = 0;
    T paddingValue = T(0);
};

// ND to NZ: n rows of d elements become columns of 32 bytes, a column after the other. Strides in elements on the ND
// side and between NZ matrices, in 32 bytes inside of one.
struct Nd2NzParams {
    Nd2NzParams() = default;
    Nd2NzParams(uint16_t matrices, uint16_t rows, uint16_t columns, uint16_t srcMatrix, uint16_t srcRow,
                uint16_t dstColumn, uint16_t dstRow, uint16_t dstMatrix)
        : ndNum(matrices),
          nValue(rows),
          dValue(columns),
          srcNdMatrixStride(srcMatrix),
          srcDValue(srcRow),
          dstNzC0Stride(dstColumn),
          dstNzNStride(dstRow),
          dstNzMatrixStride(dstMatrix) {}

    uint16_t ndNum = 0;
    uint16_t nValue = 0;
    uint16_t dValue = 0;
    uint16_t srcNdMatrixStride = 0;
    uint16_t srcDValue = 0;
    uint16_t dstNzC0Stride = 0;
    uint16_t dstNzNStride = 0;
    uint16_t dstNzMatrixStride = 0;
};

// NZ to ND.
struct Nz2NdParamsFull {
    Nz2NdParamsFull() = default;
    Nz2NdParamsFull(uint16_t matrices, uint16_t rows, uint16_t columns, uint16_t srcMatrix, uint16_t srcColumn,
                    uint16_t dstRow, uint16_t dstMatrix)
        : ndNum(matrices),
          nValue(rows),
          dValue(columns),
          srcNdMatrixStride(srcMatrix),
          srcNStride(srcColumn),
          dstDStride(dstRow),
          dstNdMatrixStride(dstMatrix) {}

    uint16_t ndNum = 1;
    uint16_t nValue = 0;
    uint16_t dValue = 0;
    uint16_t srcNdMatrixStride = 1;  // in 256 elements
    uint16_t srcNStride = 0;         // in 16 elements
    uint16_t dstDStride = 0;         // in elements, as what follows
    uint16_t dstNdMatrixStride = 1;
};

// One dim of a slice: elements startIndex to endIndex, in pieces of burstLen blocks with `stride` elements between
// them.
struct SliceInfo {
    SliceInfo() = default;
    SliceInfo(uint32_t start, uint32_t end, uint32_t gap, uint32_t blocks, uint32_t size = 0)
        : startIndex(start), endIndex(end), stride(gap), burstLen(blocks), shapeValue(size) {}

    uint32_t startIndex = 0;
    uint32_t endIndex = 31;
    uint32_t stride = 0;
    uint32_t burstLen = 32;
    uint32_t shapeValue = 0;
};

// Strides of Copy in 32-byte blocks.
struct CopyRepeatParams {
    CopyRepeatParams() = default;
    CopyRepeatParams(uint16_t dstBlock, uint16_t srcBlock, uint16_t dstRepeat, uint16_t srcRepeat)
        : dstStride(dstBlock), srcStride(srcBlock), dstRepeatSize(dstRepeat), srcRepeatSize(srcRepeat) {}

    uint16_t dstStride = 0;
    uint16_t srcStride = 0;
    uint16_t dstRepeatSize = 8;
    uint16_t srcRepeatSize = 8;
};

enum class BlockMode : uint8_t {
    BLOCK_MODE_NORMAL = 0,
    BLOCK_MODE_MATRIX,
    BLOCK_MODE_VECTOR,
    BLOCK_MODE_SMALL_CHANNEL,
    BLOCK_MODE_DEPTHWISE
};
enum class DeqScale : uint8_t { DEQ_NONE = 0, DEQ, VDEQ, DEQ8, VDEQ8, DEQ16, VDEQ16 };
enum class PaddingMode : uint8_t { Normal = 0, Compact };

// What a transfer of the inference products does on its way (DataCopy with DataCopyEnhancedParams).
struct DataCopyEnhancedParams {
    DataCopyEnhancedParams() = default;
    DataCopyEnhancedParams(BlockMode block, DeqScale scale, uint64_t value, uint8_t store, bool relu, pad_t pad,
                           uint64_t padded)
        : blockMode(block),
          deqScale(scale),
          deqValue(value),
          sidStoreMode(store),
          isRelu(relu),
          padMode(pad),
          padValue(padded) {}

    BlockMode blockMode = BlockMode::BLOCK_MODE_NORMAL;
    DeqScale deqScale = DeqScale::DEQ_NONE;
    uint64_t deqValue = 0;
    uint8_t sidStoreMode = 0;
    bool isRelu = false;
    pad_t padMode = pad_t::PAD_NONE;
    uint64_t padValue = 0;
};

}  // namespace AscendC

namespace sim {

// A position that lies in the memory.
constexpr AscendC::TPosition PositionOf(AscendC::Hardware hard) {
    switch (hard) {
        case AscendC::Hardware::L1:
            return AscendC::TPosition::A1;
        case AscendC::Hardware::L0A:
            return AscendC::TPosition::A2;
        case AscendC::Hardware::L0B:
            return AscendC::TPosition::B2;
        case AscendC::Hardware::L0C:
            return AscendC::TPosition::CO1;
        case AscendC::Hardware::BIAS:
            return AscendC::TPosition::C2;
        case AscendC::Hardware::FIXBUF:
            return AscendC::TPosition::C2PIPE2GM;
        default:
            return AscendC::TPosition::VECCALC;
    }
}
constexpr Memory MemoryOf(AscendC::Hardware hard) { return MemoryOf(PositionOf(hard)); }

}  // namespace sim

#endif
