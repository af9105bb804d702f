// The rooms and tilings of Pad, UnPad, DropOut and TransData.
// Pages: SIMD-API/高阶API/张量变换: Pad-Tiling, UnPad-Tiling, GetTransDataMaxMinTmpSize;
// 数据过滤/GetDropOutMaxMinTmpSize
#include "lib/adv_tiling_api.h"
#include "sim_adv_rooms.h"

namespace AscendC {
namespace {

uint32_t Dim(const TensorShape& shape, size_t i) { return static_cast<uint32_t>(shape.GetDim(i)); }

// A row may end at no multiple of 32 bytes.
uint64_t Padded(const TensorShape& shape, uint32_t typeSize) {
    if (shape.GetDimNum() != 2 || typeSize == 0) {
        return 0;
    }
    const uint32_t block = 32 / typeSize;
    return uint64_t{Dim(shape, 0)} * ((Dim(shape, 1) + block - 1) / block * block);
}

void Sizes(uint64_t elements, uint32_t& most, uint32_t& least) {
    most = static_cast<uint32_t>(sim_adv_rows_most(elements));
    least = SIM_ADV_STEP_BYTES;
}

// Without a matrix a tiling holds no shape, which the kernel refuses.
tiling::PadTiling PadOf(const TensorShape& shape, const TensorShape& origin, uint32_t typeSize) {
    tiling::PadTiling t;
    if (shape.GetDimNum() != 2 || origin.GetDimNum() != 2 || typeSize == 0) {
        return t;
    }
    const uint32_t block = 32 / typeSize;
    t.srcHeight = Dim(shape, 0);
    t.srcWidth = Dim(shape, 1);
    t.srcOriWidth = Dim(origin, 1);
    t.blocksPerRow = (t.srcWidth + block - 1) / block;
    t.widthWithoutLastBlock = t.blocksPerRow == 0 ? 0 : (t.blocksPerRow - 1) * block;
    return t;
}

tiling::UnPadTiling UnPadOf(const TensorShape& shape) {
    tiling::UnPadTiling t;
    if (shape.GetDimNum() == 2) {
        t.srcHeight = Dim(shape, 0);
        t.srcWidth = Dim(shape, 1);
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

void GetPadMaxMinTmpSize(const TensorShape& srcShape, const uint32_t typeSize, uint32_t& maxValue, uint32_t& minValue) {
    Sizes(Padded(srcShape, typeSize), maxValue, minValue);
}

void GetUnPadMaxMinTmpSize(const platform_ascendc::PlatformAscendC&, const TensorShape& srcShape,
                           const uint32_t typeSize, uint32_t& maxValue, uint32_t& minValue) {
    Sizes(Padded(srcShape, typeSize), maxValue, minValue);
}

void GetDropOutMaxMinTmpSize(const TensorShape& srcShape, const uint32_t, const bool, uint32_t& maxValue,
                             uint32_t& minValue) {
    Sizes(static_cast<uint64_t>(srcShape.GetShapeSize()), maxValue, minValue);
}

uint32_t GetDropOutMaxTmpSize(const TensorShape& srcShape, const uint32_t, const bool) {
    return static_cast<uint32_t>(sim_adv_rows_most(static_cast<uint64_t>(srcShape.GetShapeSize())));
}

uint32_t GetDropOutMinTmpSize(const TensorShape&, const uint32_t, const bool) { return SIM_ADV_STEP_BYTES; }

bool GetTransDataMaxMinTmpSize(const platform_ascendc::PlatformAscendC&, const TensorShape& srcShape,
                               const TensorShape& dstShape, const TensorDataType dataType,
                               const TransDataConfig& config, uint32_t& maxValue, uint32_t& minValue) {
    const bool back = config.dstFormat == DataFormat::NCDHW;
    const DataFormat plain = back ? config.dstFormat : config.srcFormat;
    const DataFormat other = back ? config.srcFormat : config.dstFormat;
    const size_t dims = other == DataFormat::FRACTAL_Z_3D ? 7 : 6;
    if (plain != DataFormat::NCDHW || (other != DataFormat::FRACTAL_Z_3D && other != DataFormat::NDC1HWC0) ||
        srcShape.GetDimNum() != (back ? dims : 5) || dstShape.GetDimNum() != (back ? 5 : dims) ||
        (dataType != ge::DT_FLOAT16 && dataType != ge::DT_FLOAT && dataType != ge::DT_BF16 &&
         dataType != ge::DT_INT16 && dataType != ge::DT_UINT16)) {
        return false;
    }
    maxValue = SIM_ADV_STEP_BYTES;
    minValue = SIM_ADV_STEP_BYTES;
    return true;
}

#define SIM_PAD(space)                                                                                             \
    void PadTilingFunc(const TensorShape srcShape, const TensorShape oriSrcShape, const uint32_t,                  \
                       const uint32_t typeSize, space::PadTiling& tiling) {                                        \
        Fill(PadOf(srcShape, oriSrcShape, typeSize), tiling);                                                      \
    }                                                                                                              \
    void UnPadTilingFunc(const TensorShape srcShape, const uint32_t, const uint32_t, space::UnPadTiling& tiling) { \
        Fill(UnPadOf(srcShape), tiling);                                                                           \
    }
SIM_PAD(optiling)
SIM_PAD(AscendC::tiling)
#undef SIM_PAD

}  // namespace AscendC
