// Enumerations and parameter structures of the kernel API.
// Documentation: SIMD-API/基础API/辅助数据结构, SIMD-API/基础API/数据结构
#ifndef ASCENDC_KERNEL_TYPE_H
#define ASCENDC_KERNEL_TYPE_H

#ifndef ASCENDC_SIM_PUBLIC_HEADER
#define ASCENDC_SIM_PUBLIC_HEADER
#endif
#include "sim/language.h"
#include "sim/dtype.h"
#include "sim/engine.h"

enum pipe_t {
    PIPE_S = 0,
    PIPE_V,
    PIPE_M,
    PIPE_MTE1,
    PIPE_MTE2,
    PIPE_MTE3,
    PIPE_ALL,
    PIPE_FIX = 10,
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
    operator int32_t() const { return OnCubeCore() ? AscendC::AIC : AscendC::AIV; }
};

}  // namespace sim

inline constexpr sim::CoreTypeNow g_coreType{};

// `if ASCEND_IS_AIV { ... }`. Documentation: guide/编程指南/语言扩展层/SIMD-BuiltIn关键字
#define ASCEND_IS_AIC (sim::OnCubeCore())
#define ASCEND_IS_AIV (!sim::OnCubeCore())
#define ASCEND_IS_NOT_AIC (!sim::OnCubeCore())
#define ASCEND_IS_NOT_AIV (sim::OnCubeCore())

namespace AscendC {

// Documentation: SIMD-API/基础API/工具接口; the device compiler's own spelling of std::is_same.
template <typename T, typename U>
struct IsSameType : std::is_same<T, U> {};

namespace Std {
using std::conditional;
using std::conditional_t;
using std::enable_if;
using std::enable_if_t;
using std::is_same;
using std::is_same_v;
}  // namespace Std

using TEventID = int8_t;
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
    CAST_HYBRID,
};

enum class CMPMODE : uint8_t { LT = 0, GT, EQ, LE, GE, NE };

enum class SELMODE : uint8_t { VSEL_CMPMASK_SPR = 0, VSEL_TENSOR_SCALAR_MODE, VSEL_TENSOR_TENSOR_MODE };

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
    MAX,
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

}  // namespace AscendC

#endif
