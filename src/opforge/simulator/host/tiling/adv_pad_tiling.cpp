// The rooms and tilings of Pad, UnPad, DropOut and TransData.
// Pages: SIMD-API/高阶API/张量变换: Pad-Tiling, UnPad-Tiling, GetTransDataMaxMinTmpSize;
// 数据过滤/GetDropOutMaxMinTmpSize
#include <algorithm>

#include "shape_lengths.h"
#include "sim_adv_row_rooms.h"

namespace AscendC {
namespace {

// The room in two halves of as many blocks of sixteen rows as it has kilobytes for. Every field has the value that
// CANN's public library gives (measured: tests/fidelity/tiling).
template <typename Tiling>
void SetBuffers(Tiling& t, uint32_t room, uint32_t block) {
    t.tmpBuffer1BlockNum = room / 1024;
    t.tmpBuffer1RowNum = t.tmpBuffer1BlockNum * 16;
    t.tmpBuffer2Offset = t.tmpBuffer1RowNum * block;
    t.widthTiling = t.tmpBuffer1RowNum;
}

// Without a matrix, or in a room that is too small, a tiling holds no shape, which the kernel refuses.
tiling::PadTiling PadOf(const TensorShape& shape, const TensorShape& origin, uint32_t room, uint32_t typeSize) {
    tiling::PadTiling t;
    if (shape.GetDimNum() != 2 || origin.GetDimNum() != 2 || typeSize == 0 || room < SIM_ADV_PAD_BYTES) {
        return t;
    }
    constexpr uint32_t kMostRows = 255;
    constexpr uint32_t kMostRepeats = 254;
    constexpr uint32_t kRowsARepeat = 8;
    const uint32_t block = 32 / typeSize;
    t.srcHeight = Dim(shape, 0);
    t.srcWidth = Dim(shape, 1);
    t.srcOriWidth = Dim(origin, 1);
    t.blocksPerRow = t.srcWidth / block;
    t.widthWithoutLastBlock = t.srcWidth - block;
    t.heightTiling = kMostRows;
    t.heightFractal = t.srcHeight / kMostRows;
    t.heightFractalTail = t.srcHeight % kMostRows;
    t.mainLoopOffset = kMostRows * t.srcWidth;
    t.tailBlockOffset = t.widthWithoutLastBlock;
    SetBuffers(t, room, block);
    t.widthFractal = t.srcWidth / t.widthTiling;
    t.widthFractalTail = t.srcWidth % t.widthTiling;
    t.widthFractalTailAlingned = Up(t.widthFractalTail, 16);
    t.brcbTiling = t.tmpBuffer1RowNum;
    t.brcbFractal = t.srcHeight * t.srcWidth / t.brcbTiling;
    t.brcbFractalTail = t.srcHeight * t.srcWidth % t.brcbTiling;
    t.maxRepeatTimes = kMostRepeats;
    t.brcbTilingRepeatTimes = t.brcbTiling / kRowsARepeat / kMostRepeats;
    t.brcbTilingRepeatTimesTail = t.brcbTiling / kRowsARepeat % kMostRepeats;
    t.brcbFractalTailRepeatTimes = t.brcbFractalTail / kRowsARepeat / kMostRepeats;
    t.brcbFractalTailRepeatTimesTail = t.brcbFractalTail / kRowsARepeat % kMostRepeats;
    return t;
}

tiling::UnPadTiling UnPadOf(const TensorShape& shape, uint32_t room, uint32_t typeSize) {
    tiling::UnPadTiling t;
    if (shape.GetDimNum() != 2 || typeSize == 0) {
        return t;
    }
    t.srcHeight = Dim(shape, 0);
    t.srcWidth = Dim(shape, 1);
    SetBuffers(t, room, 32 / typeSize);
    if (t.srcWidth != 0 && t.widthTiling != 0) {
        t.widthFractal = (t.srcWidth + t.widthTiling - 1) / t.widthTiling;
        t.widthFractalTail = t.srcWidth - (t.widthFractal - 1) * t.widthTiling;
    }
    return t;
}

#define SIM_SET(type, field) to.set_##field(from.field);
#define SIM_FILL(Tiling, FIELDS)                                                    \
    void Fill(const tiling::Tiling& from, optiling::Tiling& to) { FIELDS(SIM_SET) } \
    void Fill(const tiling::Tiling& from, tiling::Tiling& to) { to = from; }
SIM_FILL(PadTiling, SIM_PAD_TILING_FIELDS)
SIM_FILL(UnPadTiling, SIM_UN_PAD_TILING_FIELDS)
#undef SIM_FILL
#undef SIM_SET

}  // namespace

void GetPadMaxMinTmpSize(const TensorShape& srcShape, const uint32_t, uint32_t& maxValue, uint32_t& minValue) {
    minValue = SIM_ADV_PAD_BYTES;
    maxValue = static_cast<uint32_t>(sim_adv_pad_most(static_cast<uint64_t>(srcShape.GetShapeSize())));
}

// Atlas A2 and A3 need none.
void GetUnPadMaxMinTmpSize(const platform_ascendc::PlatformAscendC& ascendcPlatform, const TensorShape& srcShape,
                           const uint32_t typeSize, uint32_t& maxValue, uint32_t& minValue) {
    GetPadMaxMinTmpSize(srcShape, typeSize, maxValue, minValue);
    if (ascendcPlatform.GetSocVersion() != platform_ascendc::SocVersion::ASCEND310P) {
        maxValue = minValue = 0;
    }
}

void GetDropOutMaxMinTmpSize(const TensorShape& srcShape, const uint32_t typeSize, const bool, uint32_t& maxValue,
                             uint32_t& minValue) {
    const sim_adv_sizes sizes =
        sim_adv_sizes_of(*sim_adv_room_of("DropOut"), typeSize, static_cast<uint64_t>(srcShape.GetShapeSize()), false);
    maxValue = static_cast<uint32_t>(sizes.most);
    minValue = static_cast<uint32_t>(sizes.least);
}

uint32_t GetDropOutMaxTmpSize(const TensorShape& srcShape, const uint32_t typeSize, const bool isReuseSource) {
    uint32_t most = 0, least = 0;
    GetDropOutMaxMinTmpSize(srcShape, typeSize, isReuseSource, most, least);
    return most;
}

uint32_t GetDropOutMinTmpSize(const TensorShape& srcShape, const uint32_t typeSize, const bool isReuseSource) {
    uint32_t most = 0, least = 0;
    GetDropOutMaxMinTmpSize(srcShape, typeSize, isReuseSource, most, least);
    return least;
}

bool GetTransDataMaxMinTmpSize(const platform_ascendc::PlatformAscendC& ascendcPlatform, const TensorShape& srcShape,
                               const TensorShape& dstShape, const TensorDataType dataType,
                               const TransDataConfig& config, uint32_t& maxValue, uint32_t& minValue) {
    const bool back = config.dstFormat == DataFormat::NCDHW;
    const DataFormat plain = back ? config.dstFormat : config.srcFormat;
    const DataFormat other = back ? config.srcFormat : config.dstFormat;
    const size_t dims = other == DataFormat::FRACTAL_Z_3D ? 7 : 6;
    if (ascendcPlatform.GetSocVersion() == platform_ascendc::SocVersion::ASCEND310P || plain != DataFormat::NCDHW ||
        (other != DataFormat::FRACTAL_Z_3D && other != DataFormat::NDC1HWC0) ||
        srcShape.GetDimNum() != (back ? dims : 5) || dstShape.GetDimNum() != (back ? 5 : dims) ||
        (dataType != ge::DT_FLOAT16 && dataType != ge::DT_FLOAT && dataType != ge::DT_BF16 &&
         dataType != ge::DT_INT16 && dataType != ge::DT_UINT16)) {
        return false;
    }
    const TensorShape& plainShape = back ? dstShape : srcShape;
    const auto dim = [&](size_t i) { return static_cast<uint64_t>(plainShape.GetDim(i)); };
    const bool fractal = other == DataFormat::FRACTAL_Z_3D;
    const sim_adv_sizes sizes = sim_adv_trans_data(dim(0), dim(1), dim(2), dim(3) * dim(4), fractal, back);
    maxValue = static_cast<uint32_t>(sizes.most);
    minValue = static_cast<uint32_t>(sizes.least);
    return true;
}

#define SIM_PAD(space)                                                                                 \
    void PadTilingFunc(const TensorShape srcShape, const TensorShape oriSrcShape, const uint32_t room, \
                       const uint32_t typeSize, space::PadTiling& tiling) {                            \
        Fill(PadOf(srcShape, oriSrcShape, room, typeSize), tiling);                                    \
    }                                                                                                  \
    void UnPadTilingFunc(const TensorShape srcShape, const uint32_t room, const uint32_t typeSize,     \
                         space::UnPadTiling& tiling) {                                                 \
        Fill(UnPadOf(srcShape, room, typeSize), tiling);                                               \
    }
SIM_PAD(optiling)
SIM_PAD(AscendC::tiling)
#undef SIM_PAD

}  // namespace AscendC
