// The sizes of interfaces/sim_adv_rooms.h, which the kernel engine asks for, and the tiling of softmax.
#include "lib/adv_tiling_api.h"

#include <algorithm>

#include "sim_adv_rooms.h"

namespace AscendC {
namespace {

void Sizes(const char* function, const TensorShape& shape, uint32_t typeSize, uint32_t& most, uint32_t& least) {
    const sim_adv_room& room = *sim_adv_room_of(function);
    least = static_cast<uint32_t>(sim_adv_least(room, typeSize));
    most = static_cast<uint32_t>(sim_adv_most(room, typeSize, static_cast<uint64_t>(shape.GetShapeSize())));
}

void Factor(const char* function, uint32_t typeSize, uint32_t& nodes, uint32_t& extra) {
    nodes = sim_adv_nodes(*sim_adv_room_of(function), typeSize);
    extra = 0;
}

uint32_t RowsMost(uint64_t elements) { return static_cast<uint32_t>(sim_adv_rows_most(elements)); }
uint32_t RowsMost(const TensorShape& shape) { return RowsMost(static_cast<uint64_t>(shape.GetShapeSize())); }

void RowSizes(uint64_t elements, uint32_t& most, uint32_t& least) {
    most = RowsMost(elements);
    least = SIM_ADV_STEP_BYTES;
}
void RowSizes(const TensorShape& shape, uint32_t& most, uint32_t& least) {
    RowSizes(static_cast<uint64_t>(shape.GetShapeSize()), most, least);
}

// All dims but the last are rows; as many rows a step as the room has floats for, and one at least.
tiling::SoftMaxTiling SplitRows(const TensorShape& shape, uint32_t blockTypeSize, uint32_t room) {
    tiling::SoftMaxTiling t;
    const size_t rank = shape.GetDimNum();
    t.srcK = rank == 0 ? 0 : static_cast<uint32_t>(shape.GetDim(rank - 1));
    t.srcM = rank == 0 ? 0 : 1;
    for (size_t i = 0; i + 1 < rank; ++i) {
        t.srcM *= static_cast<uint32_t>(shape.GetDim(i));
    }
    t.srcSize = t.srcM * t.srcK;
    t.outMaxM = t.srcM;
    t.outMaxK = blockTypeSize == 0 ? 0 : 32 / blockTypeSize;
    t.outMaxSize = t.outMaxM * t.outMaxK;
    if (t.srcSize == 0) {
        return t;
    }
    const uint32_t fitting = room / (t.srcK * static_cast<uint32_t>(sizeof(float)));
    t.splitM = std::clamp(fitting, 1u, t.srcM);
    t.splitK = t.srcK;
    t.splitSize = t.splitM * t.splitK;
    t.reduceM = t.splitM;
    t.reduceK = t.outMaxK;
    t.reduceSize = t.reduceM * t.reduceK;
    t.rangeM = t.srcM / t.splitM;
    t.tailM = t.srcM % t.splitM;
    t.tailSplitSize = t.tailM * t.splitK;
    t.tailReduceSize = t.tailM * t.reduceK;
    return t;
}

template <typename Class>
void Fill(const tiling::SoftMaxTiling& from, Class& to) {
#define SIM_SET(type, field) to.set_##field(from.field);
    SIM_SOFTMAX_TILING_FIELDS(SIM_SET)
#undef SIM_SET
}
void Fill(const tiling::SoftMaxTiling& from, tiling::SoftMaxTiling& to) { to = from; }
void Fill(const tiling::SoftMaxTiling& from, tiling::LogSoftMaxTiling& to) {
#define SIM_SET(type, field) to.field = from.field;
    SIM_SOFTMAX_TILING_FIELDS(SIM_SET)
#undef SIM_SET
}

// Page: 激活函数/SoftMax接口/SoftMax, isBasicBlock
bool IsBasic(uint32_t splitM, uint32_t splitK, uint32_t typeSize) {
    return typeSize != 0 && splitK != 0 && splitK < 2048 && splitK >= 256 / typeSize && splitK % 64 == 0 &&
           splitM != 0 && splitM % 8 == 0;
}

}  // namespace

#define SIM_SIZES(Function, two, four)                                                                  \
    void Get##Function##MaxMinTmpSize(const TensorShape& srcShape, const uint32_t typeSize, const bool, \
                                      uint32_t& maxValue, uint32_t& minValue) {                         \
        Sizes(#Function, srcShape, typeSize, maxValue, minValue);                                       \
    }
#define SIM_FACTOR(Function, two, four)                                                                                \
    void Get##Function##TmpBufferFactorSize(const uint32_t typeSize, uint32_t& maxLiveNodeCount, uint32_t& extraBuf) { \
        Factor(#Function, typeSize, maxLiveNodeCount, extraBuf);                                                       \
    }
SIM_ADV_PLAIN_ROOMS(SIM_SIZES)
SIM_ADV_PLAIN_ROOMS(SIM_FACTOR)
SIM_ADV_SIZE_ROOMS(SIM_SIZES)
SIM_ADV_FACTOR_ROOMS(SIM_FACTOR)

bool GetExpMaxMinTmpSize(const TensorShape& srcShape, const uint32_t typeSize, const bool, uint32_t& maxValue,
                         uint32_t& minValue) {
    Sizes("Exp", srcShape, typeSize, maxValue, minValue);
    return true;
}

void GetGeluMaxMinTmpSize(const TensorShape& srcShape, const uint32_t typeSize, uint32_t& maxValue,
                          uint32_t& minValue) {
    Sizes("Gelu", srcShape, typeSize, maxValue, minValue);
}

uint32_t GetGeluMaxTmpSize(const TensorShape& srcShape, const uint32_t typeSize) {
    uint32_t most = 0;
    uint32_t least = 0;
    GetGeluMaxMinTmpSize(srcShape, typeSize, most, least);
    return most;
}

uint32_t GetGeluMinTmpSize(const TensorShape& srcShape, const uint32_t typeSize) {
    uint32_t most = 0;
    uint32_t least = 0;
    GetGeluMaxMinTmpSize(srcShape, typeSize, most, least);
    return least;
}

void GetSwiGLUMaxMinTmpSize(const TensorShape& srcShape, const uint32_t typeSize, uint32_t& maxValue,
                            uint32_t& minValue, const bool) {
    Sizes("SwiGLU", srcShape, typeSize, maxValue, minValue);
}

void GetSiluTmpSize(const TensorShape& srcShape, const uint32_t typeSize, const bool, uint32_t& maxValue,
                    uint32_t& minValue) {
    Sizes("Silu", srcShape, typeSize, maxValue, minValue);
}

void GetSwishTmpSize(const TensorShape& srcShape, const uint32_t typeSize, const bool, uint32_t& maxValue,
                     uint32_t& minValue) {
    Sizes("Swish", srcShape, typeSize, maxValue, minValue);
}

// A shape of one operand that is a scalar has the dim 1.
void GetPowerMaxMinTmpSize(const TensorShape& srcShape1, const TensorShape& srcShape2, const bool,
                           const uint32_t typeSize, const bool, uint32_t& maxValue, uint32_t& minValue) {
    const bool first = srcShape1.GetShapeSize() >= srcShape2.GetShapeSize();
    Sizes("Power", first ? srcShape1 : srcShape2, typeSize, maxValue, minValue);
}

void GetPowerTmpBufferFactorSize(const bool, const bool, const bool, const uint32_t typeSize,
                                 uint32_t& maxLiveNodeCount, uint32_t& extraBuffer) {
    Factor("Power", typeSize, maxLiveNodeCount, extraBuffer);
}

void GetRoundMaxMinTmpSize(const platform_ascendc::PlatformAscendC&, const TensorShape& srcShape,
                           const uint32_t typeSize, const bool, uint32_t& maxValue, uint32_t& minValue) {
    Sizes("Round", srcShape, typeSize, maxValue, minValue);
}

void GetRoundTmpBufferFactorSize(const platform_ascendc::PlatformAscendC&, const uint32_t typeSize,
                                 uint32_t& maxLiveNodeCount, uint32_t& extraBuf) {
    Factor("Round", typeSize, maxLiveNodeCount, extraBuf);
}

void GetSumMaxMinTmpSize(const uint32_t n, const uint32_t, const bool, uint32_t& maxSize, uint32_t& minSize) {
    RowSizes(n, maxSize, minSize);
}

void GetMeanMaxMinTmpSize(const uint32_t n, const uint32_t, const uint32_t, const bool, uint32_t& maxSize,
                          uint32_t& minSize) {
    RowSizes(n, maxSize, minSize);
}

void GetCumSumMaxMinTmpSize(const TensorShape& srcShape, const uint32_t, const bool, const bool, uint32_t& maxValue,
                            uint32_t& minValue) {
    RowSizes(srcShape, maxValue, minValue);
}

void GetBroadCastMaxMinTmpSize(const platform_ascendc::PlatformAscendC&, const TensorShape&,
                               const TensorShape& dstShape, uint32_t, const bool, uint32_t& maxValue,
                               uint32_t& minValue) {
    RowSizes(dstShape, maxValue, minValue);
}

#define SIM_REDUCE(Function)                                                                                        \
    void Get##Function##MaxMinTmpSize(const TensorShape& srcShape, const TensorDataType, ReducePattern, bool, bool, \
                                      uint32_t& maxValue, uint32_t& minValue) {                                     \
        RowSizes(srcShape, maxValue, minValue);                                                                     \
    }
SIM_REDUCE(ReduceSum)
SIM_REDUCE(ReduceMean)
SIM_REDUCE(ReduceProd)
SIM_REDUCE(ReduceMax)
SIM_REDUCE(ReduceMin)
SIM_REDUCE(ReduceAll)
SIM_REDUCE(ReduceAny)

// One of the two sources is a scalar, of the dim 1.
#define SIM_SELECT(Function)                                                                                        \
    void Get##Function##MaxMinTmpSize(const TensorShape& src0Shape, const TensorShape& src1Shape, const uint32_t,   \
                                      const TensorShape&, const uint32_t, const bool, uint32_t& maxValue,           \
                                      uint32_t& minValue) {                                                         \
        RowSizes(src0Shape.GetShapeSize() >= src1Shape.GetShapeSize() ? src0Shape : src1Shape, maxValue, minValue); \
    }                                                                                                               \
    uint32_t Get##Function##MaxTmpSize(const TensorShape& src0Shape, const TensorShape& src1Shape, const uint32_t,  \
                                       const TensorShape&, const uint32_t, const bool) {                            \
        return std::max(RowsMost(src0Shape), RowsMost(src1Shape));                                                  \
    }                                                                                                               \
    uint32_t Get##Function##MinTmpSize(const TensorShape&, const TensorShape&, const uint32_t, const TensorShape&,  \
                                       const uint32_t, const bool) {                                                \
        return SIM_ADV_STEP_BYTES;                                                                                  \
    }
SIM_SELECT(Select)
SIM_SELECT(SelectWithBytesMask)

void GetAscendQuantMaxMinTmpSize(const TensorShape& srcShape, const uint32_t, uint32_t& maxValue, uint32_t& minValue) {
    RowSizes(srcShape, maxValue, minValue);
}

void GetAscendDequantMaxMinTmpSize(const TensorShape& srcShape, const uint32_t, uint32_t& maxValue,
                                   uint32_t& minValue) {
    RowSizes(srcShape, maxValue, minValue);
}

void GetAscendAntiQuantMaxMinTmpSize(const TensorShape& srcShape, const TensorShape&, bool, TensorDataType,
                                     TensorDataType, uint32_t& maxValue, uint32_t& minValue) {
    RowSizes(srcShape, maxValue, minValue);
}

uint32_t GetAscendAntiQuantMaxTmpSize(const TensorShape& srcShape, const TensorShape&, bool, TensorDataType,
                                      TensorDataType) {
    return RowsMost(srcShape);
}

uint32_t GetAscendAntiQuantMinTmpSize(const TensorShape&, const TensorShape&, bool, TensorDataType, TensorDataType) {
    return SIM_ADV_STEP_BYTES;
}

uint32_t GetSoftMaxMaxTmpSize(const TensorShape& srcShape, const uint32_t, const bool) { return RowsMost(srcShape); }
uint32_t GetSoftMaxMinTmpSize(const TensorShape&, const uint32_t, const bool) { return SIM_ADV_STEP_BYTES; }
uint32_t GetSoftMaxFlashMaxTmpSize(const TensorShape& srcShape, const uint32_t, const bool, const bool) {
    return RowsMost(srcShape);
}
uint32_t GetSoftMaxFlashMinTmpSize(const TensorShape&, const uint32_t, const bool, const bool) {
    return SIM_ADV_STEP_BYTES;
}
uint32_t GetSoftMaxFlashV2MaxTmpSize(const TensorShape& srcShape, const uint32_t, const uint32_t, const bool,
                                     const bool, const bool) {
    return RowsMost(srcShape);
}
uint32_t GetSoftMaxFlashV2MinTmpSize(const TensorShape&, const uint32_t, const uint32_t, const bool, const bool,
                                     const bool) {
    return SIM_ADV_STEP_BYTES;
}
void GetSoftMaxFlashV3MaxMinTmpSize(const TensorShape& srcShape, const uint32_t, const uint32_t, uint32_t& maxValue,
                                    uint32_t& minValue, const bool, const bool) {
    RowSizes(srcShape, maxValue, minValue);
}
uint32_t GetSoftMaxGradMaxTmpSize(const TensorShape& srcShape, const uint32_t, const bool, const bool) {
    return RowsMost(srcShape);
}
uint32_t GetSoftMaxGradMinTmpSize(const TensorShape&, const uint32_t, const bool, const bool) {
    return SIM_ADV_STEP_BYTES;
}
uint32_t GetLogSoftMaxMaxTmpSize(const TensorShape srcShape, const uint32_t, const bool) { return RowsMost(srcShape); }
uint32_t GetLogSoftMaxMinTmpSize(const TensorShape, const uint32_t, const bool) { return SIM_ADV_STEP_BYTES; }

#define SIM_SOFTMAX(Tiling, LogTiling, M, K)                                                                   \
    void SoftMaxTilingFunc(const TensorShape& srcShape, const uint32_t dataTypeSize, const uint32_t room,      \
                           Tiling& softmaxTiling) {                                                            \
        Fill(SplitRows(srcShape, dataTypeSize, room), softmaxTiling);                                          \
    }                                                                                                          \
    void SoftMaxFlashTilingFunc(const TensorShape& srcShape, const uint32_t dataTypeSize, const uint32_t room, \
                                Tiling& softmaxFlashTiling, const bool) {                                      \
        Fill(SplitRows(srcShape, dataTypeSize, room), softmaxFlashTiling);                                     \
    }                                                                                                          \
    void SoftMaxFlashV2TilingFunc(const TensorShape& srcShape, const uint32_t, const uint32_t dataTypeSize2,   \
                                  const uint32_t room, Tiling& softmaxFlashTiling, const bool, const bool,     \
                                  const bool) {                                                                \
        Fill(SplitRows(srcShape, dataTypeSize2, room), softmaxFlashTiling);                                    \
    }                                                                                                          \
    void SoftMaxFlashV3TilingFunc(const TensorShape& srcShape, const uint32_t, const uint32_t dataTypeSize2,   \
                                  const uint32_t room, Tiling& softmaxFlashV3Tiling, const bool, const bool) { \
        Fill(SplitRows(srcShape, dataTypeSize2, room), softmaxFlashV3Tiling);                                  \
    }                                                                                                          \
    void SoftMaxGradTilingFunc(const TensorShape& srcShape, const uint32_t dataTypeSize, const uint32_t room,  \
                               Tiling& softmaxGradTiling, const bool) {                                        \
        Fill(SplitRows(srcShape, dataTypeSize, room), softmaxGradTiling);                                      \
    }                                                                                                          \
    bool IsBasicBlockInSoftMax(Tiling& tiling, const uint32_t dataTypeSize) {                                  \
        return IsBasic(tiling.M, tiling.K, dataTypeSize);                                                      \
    }                                                                                                          \
    void LogSoftMaxTilingFunc(const TensorShape srcShape, const uint32_t dataTypeSize, const uint32_t room,    \
                              LogTiling& softmaxTiling) {                                                      \
        Fill(SplitRows(srcShape, dataTypeSize, room), softmaxTiling);                                          \
    }
SIM_SOFTMAX(optiling::SoftMaxTiling, optiling::LogSoftMaxTiling, get_splitM(), get_splitK())
SIM_SOFTMAX(AscendC::tiling::SoftMaxTiling, AscendC::tiling::LogSoftMaxTiling, splitM, splitK)

}  // namespace AscendC
