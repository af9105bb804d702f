// The sizes of interfaces/sim_adv_rooms.h, which the kernel engine asks for, and the tiling of softmax.
#include "lib/adv_tiling_api.h"

#include <algorithm>
#include <cstring>

#include "sim_adv_rooms.h"

namespace AscendC {
namespace {

uint64_t Elements(const TensorShape& shape) { return static_cast<uint64_t>(shape.GetShapeSize()); }

void Sizes(const sim_adv_sizes& sizes, uint32_t& most, uint32_t& least) {
    most = static_cast<uint32_t>(sizes.most);
    least = static_cast<uint32_t>(sizes.least);
}
void Sizes(const char* function, const TensorShape& shape, uint32_t typeSize, bool reuse, uint32_t& most,
           uint32_t& least) {
    Sizes(sim_adv_sizes_of(*sim_adv_room_of(function), typeSize, Elements(shape), reuse), most, least);
    if (std::strcmp(function, "Acosh") == 0 && typeSize == 4) {
        most = std::max(most, 4 * least);
    }
}

void Factor(const char* function, uint32_t typeSize, uint32_t& nodes, uint32_t& extra) {
    const sim_adv_room& room = *sim_adv_room_of(function);
    nodes = sim_adv_nodes(room, typeSize);
    // Two functions say other nodes than their sizes have.
    if (std::strcmp(function, "Axpy") == 0 && typeSize == 4) {
        nodes = 1;
    } else if (std::strcmp(function, "Lgamma") == 0 && typeSize == 2) {
        nodes /= 2;
    }
    extra = 0;
}

// All dims but the last are rows.
uint64_t ColumnsOf(const TensorShape& shape) {
    return shape.GetDimNum() == 0 ? 0 : static_cast<uint64_t>(shape.GetDim(shape.GetDimNum() - 1));
}
uint64_t RowsOf(const TensorShape& shape) { return ColumnsOf(shape) == 0 ? 0 : Elements(shape) / ColumnsOf(shape); }

typedef sim_adv_softmax_kind Kind;
sim_adv_sizes SoftMaxSizes(Kind kind, const TensorShape& shape, uint32_t typeSize, uint32_t sumSize) {
    return sim_adv_softmax(kind, RowsOf(shape), ColumnsOf(shape), typeSize, sumSize);
}

// Rows of a step where a room has place for `fitting`: in whole eights.
uint32_t RowsOfStep(uint32_t rows, uint32_t fitting) {
    return fitting >= rows ? rows : fitting < 8 ? fitting : fitting / 8 * 8;
}

// The same in basic blocks: the largest whole eights that divide the rows; halved until 255 repeats of 64 elements do.
uint32_t RowsOfBasicStep(uint32_t rows, uint32_t columns, uint32_t fitting) {
    uint32_t step = std::min(fitting, rows) / 8 * 8;
    if (step <= 8) {
        return step;
    }
    while (rows % step != 0) {
        step -= 8;
    }
    while (step * columns > SIM_ADV_BASIC_ELEMENTS) {
        step /= 2;
    }
    return step;
}

// As many rows a step as the room has `rowBytes` for; a room without place for one leaves no split.
tiling::SoftMaxTiling SplitRows(const TensorShape& shape, uint32_t blockTypeSize, uint64_t room, uint64_t rowBytes,
                                bool basic) {
    tiling::SoftMaxTiling t;
    t.srcK = static_cast<uint32_t>(ColumnsOf(shape));
    t.srcM = static_cast<uint32_t>(RowsOf(shape));
    t.srcSize = t.srcM * t.srcK;
    t.outMaxM = t.srcM;
    t.outMaxK = blockTypeSize == 0 ? 0 : 32 / blockTypeSize;
    t.outMaxSize = t.outMaxM * t.outMaxK;
    if (t.srcSize == 0) {
        return t;
    }
    const uint32_t fitting = static_cast<uint32_t>(room / rowBytes);
    basic = basic && fitting >= 8 && t.srcM % 8 == 0 && t.srcK % 64 == 0;
    t.splitM = basic ? RowsOfBasicStep(t.srcM, t.srcK, fitting) : RowsOfStep(t.srcM, fitting);
    t.splitK = t.srcK;
    t.splitSize = t.splitM * t.splitK;
    t.reduceM = t.splitM;
    t.reduceK = t.outMaxK;
    t.reduceSize = t.reduceM * t.reduceK;
    if (t.splitM != 0) {
        t.rangeM = t.srcM / t.splitM;
        t.tailM = t.srcM % t.splitM;
    }
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

#define SIM_SIZES(Function, two, four, step, saved)                                                           \
    void Get##Function##MaxMinTmpSize(const TensorShape& srcShape, const uint32_t typeSize, const bool reuse, \
                                      uint32_t& maxValue, uint32_t& minValue) {                               \
        Sizes(#Function, srcShape, typeSize, reuse, maxValue, minValue);                                      \
    }
#define SIM_FACTOR(Function, two, four, step, saved)                                                                   \
    void Get##Function##TmpBufferFactorSize(const uint32_t typeSize, uint32_t& maxLiveNodeCount, uint32_t& extraBuf) { \
        Factor(#Function, typeSize, maxLiveNodeCount, extraBuf);                                                       \
    }
SIM_ADV_PLAIN_ROOMS(SIM_SIZES)
SIM_ADV_PLAIN_ROOMS(SIM_FACTOR)
SIM_ADV_SIZE_ROOMS(SIM_SIZES)
SIM_ADV_FACTOR_ROOMS(SIM_FACTOR)

// The page reserves isReuseSource, which is false; with true CANN's function leaves the sizes as they were.
void GetReGluMaxMinTmpSize(const TensorShape& srcShape, const uint32_t typeSize, const bool isReuseSource,
                           uint32_t& maxValue, uint32_t& minValue) {
    if (isReuseSource) {
        return;
    }
    Sizes("ReGlu", srcShape, typeSize, false, maxValue, minValue);
    if (typeSize == 4) {
        maxValue = minValue = SIM_ADV_STEP_BYTES;
    }
}

bool GetExpMaxMinTmpSize(const TensorShape& srcShape, const uint32_t typeSize, const bool isReuseSource,
                         uint32_t& maxValue, uint32_t& minValue) {
    Sizes("Exp", srcShape, typeSize, isReuseSource, maxValue, minValue);
    return true;
}

void GetGeluMaxMinTmpSize(const TensorShape& srcShape, const uint32_t typeSize, uint32_t& maxValue,
                          uint32_t& minValue) {
    Sizes("Gelu", srcShape, typeSize, false, maxValue, minValue);
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
    Sizes("SwiGLU", srcShape, typeSize, false, maxValue, minValue);
}

void GetSiluTmpSize(const TensorShape& srcShape, const uint32_t typeSize, const bool, uint32_t& maxValue,
                    uint32_t& minValue) {
    Sizes("Silu", srcShape, typeSize, false, maxValue, minValue);
}

void GetSwishTmpSize(const TensorShape& srcShape, const uint32_t typeSize, const bool, uint32_t& maxValue,
                     uint32_t& minValue) {
    Sizes("Swish", srcShape, typeSize, false, maxValue, minValue);
}

static bool OnM200(const platform_ascendc::PlatformAscendC& platform) {
    return platform.GetSocVersion() == platform_ascendc::SocVersion::ASCEND310P;
}
// For the functions that are given no platform.
static bool OnM200() {
    const platform_ascendc::PlatformAscendC* platform = platform_ascendc::PlatformAscendCManager::GetInstance();
    return platform != nullptr && OnM200(*platform);
}

// A shape of one operand that is a scalar has the dim 1.
void GetPowerMaxMinTmpSize(const TensorShape& srcShape1, const TensorShape& srcShape2, const bool typeIsInt,
                           const uint32_t typeSize, const bool, uint32_t& maxValue, uint32_t& minValue) {
    const uint64_t first = Elements(srcShape1);
    const uint64_t second = Elements(srcShape2);
    Sizes(sim_adv_power(typeIsInt, first != 1 && second != 1, typeSize, std::max(first, second), OnM200()), maxValue,
          minValue);
}

void GetPowerTmpBufferFactorSize(const bool baseIsTensor, const bool expIsTensor, const bool typeIsInt,
                                 const uint32_t typeSize, uint32_t& maxLiveNodeCount, uint32_t& extraBuffer) {
    const sim_adv_sizes sizes = sim_adv_power(typeIsInt, baseIsTensor && expIsTensor, typeSize, 0, OnM200());
    extraBuffer = typeIsInt ? 0 : 256;
    maxLiveNodeCount = static_cast<uint32_t>((sizes.least - extraBuffer) / 64 / typeSize);
}

// On Ascend310P Round has a row of its own.
void GetRoundMaxMinTmpSize(const platform_ascendc::PlatformAscendC& ascendcPlatform, const TensorShape& srcShape,
                           const uint32_t typeSize, const bool, uint32_t& maxValue, uint32_t& minValue) {
    Sizes(OnM200(ascendcPlatform) ? "RoundM200" : "Round", srcShape, typeSize, false, maxValue, minValue);
}

void GetRoundTmpBufferFactorSize(const platform_ascendc::PlatformAscendC& ascendcPlatform, const uint32_t typeSize,
                                 uint32_t& maxLiveNodeCount, uint32_t& extraBuf) {
    Factor(OnM200(ascendcPlatform) ? "RoundM200" : "Round", typeSize, maxLiveNodeCount, extraBuf);
}

void GetSumMaxMinTmpSize(const uint32_t n, const uint32_t typeSize, const bool, uint32_t& maxSize, uint32_t& minSize) {
    minSize = maxSize = static_cast<uint32_t>(sim_adv_sum(n, typeSize));
}

void GetMeanMaxMinTmpSize(const uint32_t n, const uint32_t srcTypeSize, const uint32_t accTypeSize, const bool,
                          uint32_t& maxSize, uint32_t& minSize) {
    minSize = maxSize = static_cast<uint32_t>(sim_adv_mean(n, srcTypeSize, accTypeSize));
}

void GetReduceXorSumMaxMinTmpSize(const TensorShape& srcShape, const uint32_t, const bool isReuseSource,
                                  uint32_t& maxValue, uint32_t& minValue) {
    Sizes(sim_adv_xor_sum(Elements(srcShape), isReuseSource), maxValue, minValue);
}

void GetAscendQuantMaxMinTmpSize(const TensorShape& srcShape, const uint32_t, uint32_t& maxValue, uint32_t& minValue) {
    Sizes(sim_adv_quant(Elements(srcShape)), maxValue, minValue);
}

void GetAscendDequantMaxMinTmpSize(const TensorShape& srcShape, const uint32_t, uint32_t& maxValue,
                                   uint32_t& minValue) {
    Sizes(sim_adv_dequant(RowsOf(srcShape), ColumnsOf(srcShape)), maxValue, minValue);
}

uint32_t GetSoftMaxMaxTmpSize(const TensorShape& srcShape, const uint32_t dataTypeSize, const bool) {
    return static_cast<uint32_t>(SoftMaxSizes(Kind::plain, srcShape, dataTypeSize, dataTypeSize).most);
}
uint32_t GetSoftMaxMinTmpSize(const TensorShape& srcShape, const uint32_t dataTypeSize, const bool) {
    return static_cast<uint32_t>(SoftMaxSizes(Kind::plain, srcShape, dataTypeSize, dataTypeSize).least);
}
static sim_adv_sizes FlashSizes(const TensorShape& shape, uint32_t typeSize, bool update) {
    return SoftMaxSizes(update ? Kind::flash_update : Kind::plain, shape, typeSize, typeSize);
}
uint32_t GetSoftMaxFlashMaxTmpSize(const TensorShape& srcShape, const uint32_t dataTypeSize, const bool isUpdate,
                                   const bool) {
    return static_cast<uint32_t>(FlashSizes(srcShape, dataTypeSize, isUpdate).most);
}
uint32_t GetSoftMaxFlashMinTmpSize(const TensorShape& srcShape, const uint32_t dataTypeSize, const bool isUpdate,
                                   const bool) {
    return static_cast<uint32_t>(FlashSizes(srcShape, dataTypeSize, isUpdate).least);
}
static sim_adv_sizes FlashV2Sizes(const TensorShape& shape, uint32_t typeSize, uint32_t sumSize, bool basic) {
    return basic && ColumnsOf(shape) % 64 == 0
               ? sim_adv_softmax_basic(RowsOf(shape), ColumnsOf(shape), typeSize, sumSize)
               : SoftMaxSizes(Kind::flash_v2, shape, typeSize, sumSize);
}
uint32_t GetSoftMaxFlashV2MaxTmpSize(const TensorShape& srcShape, const uint32_t dataTypeSize1,
                                     const uint32_t dataTypeSize2, const bool, const bool isBasicBlock, const bool) {
    return static_cast<uint32_t>(FlashV2Sizes(srcShape, dataTypeSize1, dataTypeSize2, isBasicBlock).most);
}
uint32_t GetSoftMaxFlashV2MinTmpSize(const TensorShape& srcShape, const uint32_t dataTypeSize1,
                                     const uint32_t dataTypeSize2, const bool, const bool isBasicBlock, const bool) {
    return static_cast<uint32_t>(FlashV2Sizes(srcShape, dataTypeSize1, dataTypeSize2, isBasicBlock).least);
}
void GetSoftMaxFlashV3MaxMinTmpSize(const TensorShape& srcShape, const uint32_t dataTypeSize1,
                                    const uint32_t dataTypeSize2, uint32_t& maxValue, uint32_t& minValue, const bool,
                                    const bool) {
    Sizes(SoftMaxSizes(Kind::flash_v3, srcShape, dataTypeSize1, dataTypeSize2), maxValue, minValue);
}
static sim_adv_sizes GradSizes(const TensorShape& shape, uint32_t typeSize, bool front) {
    return SoftMaxSizes(front && typeSize == 4 ? Kind::plain : Kind::grad, shape, typeSize, typeSize);
}
uint32_t GetSoftMaxGradMaxTmpSize(const TensorShape& srcShape, const uint32_t dataTypeSize, const bool isFront,
                                  const bool) {
    return static_cast<uint32_t>(GradSizes(srcShape, dataTypeSize, isFront).most);
}
uint32_t GetSoftMaxGradMinTmpSize(const TensorShape& srcShape, const uint32_t dataTypeSize, const bool isFront,
                                  const bool) {
    return static_cast<uint32_t>(GradSizes(srcShape, dataTypeSize, isFront).least);
}
uint32_t GetLogSoftMaxMaxTmpSize(const TensorShape srcShape, const uint32_t dataTypeSize, const bool) {
    return static_cast<uint32_t>(SoftMaxSizes(Kind::plain, srcShape, dataTypeSize, dataTypeSize).most);
}
uint32_t GetLogSoftMaxMinTmpSize(const TensorShape srcShape, const uint32_t dataTypeSize, const bool) {
    return static_cast<uint32_t>(SoftMaxSizes(Kind::plain, srcShape, dataTypeSize, dataTypeSize).least);
}

static tiling::SoftMaxTiling SplitFlashV2(const TensorShape& shape, uint32_t typeSize, uint32_t sumSize, uint32_t room,
                                          bool basic) {
    basic = basic && RowsOf(shape) % 8 == 0 && ColumnsOf(shape) % 64 == 0;
    const sim_adv_sizes sizes = FlashV2Sizes(shape, typeSize, sumSize, basic);
    if (!basic) {
        return SplitRows(shape, sumSize, room, sizes.least, false);
    }
    return SplitRows(shape, sumSize, room < sizes.least ? room : std::min<uint64_t>(room, sizes.most), sizes.least / 8,
                     true);
}

#define SIM_SOFTMAX(Tiling, LogTiling, M, K)                                                                       \
    void SoftMaxTilingFunc(const TensorShape& srcShape, const uint32_t dataTypeSize, const uint32_t room,          \
                           Tiling& softmaxTiling) {                                                                \
        const sim_adv_sizes row = SoftMaxSizes(Kind::plain, srcShape, dataTypeSize, dataTypeSize);                 \
        Fill(SplitRows(srcShape, dataTypeSize, room, row.least, true), softmaxTiling);                             \
    }                                                                                                              \
    void SoftMaxFlashTilingFunc(const TensorShape& srcShape, const uint32_t dataTypeSize, const uint32_t room,     \
                                Tiling& softmaxFlashTiling, const bool isUpdate) {                                 \
        const sim_adv_sizes row = FlashSizes(srcShape, dataTypeSize, isUpdate);                                    \
        Fill(SplitRows(srcShape, dataTypeSize, room, row.least, true), softmaxFlashTiling);                        \
    }                                                                                                              \
    void SoftMaxFlashV2TilingFunc(const TensorShape& srcShape, const uint32_t dataTypeSize1,                       \
                                  const uint32_t dataTypeSize2, const uint32_t room, Tiling& softmaxFlashTiling,   \
                                  const bool, const bool isBasicBlock, const bool) {                               \
        Fill(SplitFlashV2(srcShape, dataTypeSize1, dataTypeSize2, room, isBasicBlock), softmaxFlashTiling);        \
    }                                                                                                              \
    void SoftMaxFlashV3TilingFunc(const TensorShape& srcShape, const uint32_t dataTypeSize1,                       \
                                  const uint32_t dataTypeSize2, const uint32_t room, Tiling& softmaxFlashV3Tiling, \
                                  const bool, const bool) {                                                        \
        const sim_adv_sizes row = SoftMaxSizes(Kind::flash_v3, srcShape, dataTypeSize1, dataTypeSize2);            \
        Fill(SplitRows(srcShape, dataTypeSize2, room, row.least, false), softmaxFlashV3Tiling);                    \
    }                                                                                                              \
    void SoftMaxGradTilingFunc(const TensorShape& srcShape, const uint32_t dataTypeSize, const uint32_t room,      \
                               Tiling& softmaxGradTiling, const bool isFront) {                                    \
        const sim_adv_sizes row = GradSizes(srcShape, dataTypeSize, isFront);                                      \
        Fill(SplitRows(srcShape, dataTypeSize, room, row.least, true), softmaxGradTiling);                         \
    }                                                                                                              \
    bool IsBasicBlockInSoftMax(Tiling& tiling, const uint32_t dataTypeSize) {                                      \
        return IsBasic(tiling.M, tiling.K, dataTypeSize);                                                          \
    }                                                                                                              \
    void LogSoftMaxTilingFunc(const TensorShape srcShape, const uint32_t dataTypeSize, const uint32_t room,        \
                              LogTiling& softmaxTiling) {                                                          \
        const sim_adv_sizes row = SoftMaxSizes(Kind::plain, srcShape, dataTypeSize, dataTypeSize);                 \
        Fill(SplitRows(srcShape, dataTypeSize, room, row.least, true), softmaxTiling);                             \
    }
SIM_SOFTMAX(optiling::SoftMaxTiling, optiling::LogSoftMaxTiling, get_splitM(), get_splitK())
SIM_SOFTMAX(AscendC::tiling::SoftMaxTiling, AscendC::tiling::LogSoftMaxTiling, splitM, splitK)

}  // namespace AscendC
