// The rooms of reductions, broadcasts, running sums, selections and AntiQuant, by their shapes.
// Pages: SIMD-API/高阶API: 归约操作, 张量变换/GetBroadCastMaxMinTmpSize, 数学计算/CumSum, 数据过滤, 量化操作
#include <algorithm>

#include "lib/adv_tiling_api.h"
#include "sim_adv_row_rooms.h"

namespace AscendC {
namespace {

uint64_t Elements(const TensorShape& shape) { return static_cast<uint64_t>(shape.GetShapeSize()); }

// All dims but the last are rows.
uint64_t ColumnsOf(const TensorShape& shape) {
    return shape.GetDimNum() == 0 ? 0 : static_cast<uint64_t>(shape.GetDim(shape.GetDimNum() - 1));
}
uint64_t RowsOf(const TensorShape& shape) { return ColumnsOf(shape) == 0 ? 0 : Elements(shape) / ColumnsOf(shape); }

void Sizes(const sim_adv_sizes& sizes, uint32_t& most, uint32_t& least) {
    most = static_cast<uint32_t>(sizes.most);
    least = static_cast<uint32_t>(sizes.least);
}

sim_adv_sizes ReduceSizes(sim_adv_reduce_kind kind, const TensorShape& shape, ReducePattern pattern, bool reuse) {
    const uint32_t typeSize = kind == sim_adv_reduce_kind::truth ? 1 : 4;
    return pattern == ReducePattern::RA ? sim_adv_reduce_columns(RowsOf(shape), ColumnsOf(shape), typeSize, reuse)
                                        : sim_adv_reduce_rows(kind, RowsOf(shape), ColumnsOf(shape), reuse);
}

// One of the two sources is a scalar, of the dim 1.
sim_adv_sizes SelectSizes(const TensorShape& first, const TensorShape& second, const TensorShape& mask, bool reuse) {
    const TensorShape& tensor = Elements(first) >= Elements(second) ? first : second;
    return sim_adv_select(RowsOf(tensor), ColumnsOf(tensor), ColumnsOf(mask), reuse);
}

sim_adv_sizes AntiQuantSizes(const TensorShape& shape, const TensorShape& scale, bool transposed, TensorDataType out) {
    const sim_adv_scales scales = Elements(scale) == 1 ? sim_adv_scales::one
                                  : transposed         ? sim_adv_scales::rows
                                                       : sim_adv_scales::columns;
    return sim_adv_anti_quant(scales, RowsOf(shape), ColumnsOf(shape), out == ge::DT_FLOAT16);
}

}  // namespace

#define SIM_REDUCE(Function, kind)                                                                                    \
    void Get##Function##MaxMinTmpSize(const TensorShape& srcShape, const TensorDataType, ReducePattern pattern, bool, \
                                      bool isReuseSource, uint32_t& maxValue, uint32_t& minValue) {                   \
        Sizes(ReduceSizes(sim_adv_reduce_kind::kind, srcShape, pattern, isReuseSource), maxValue, minValue);          \
    }
SIM_REDUCE(ReduceSum, sum)
SIM_REDUCE(ReduceMean, sum)
SIM_REDUCE(ReduceProd, product)
SIM_REDUCE(ReduceMax, extreme)
SIM_REDUCE(ReduceMin, extreme)
SIM_REDUCE(ReduceAll, truth)
SIM_REDUCE(ReduceAny, truth)

void GetCumSumMaxMinTmpSize(const TensorShape& srcShape, const uint32_t typeSize, const bool isLastAxis, const bool,
                            uint32_t& maxValue, uint32_t& minValue) {
    Sizes(sim_adv_cumulative(RowsOf(srcShape), ColumnsOf(srcShape), typeSize, isLastAxis), maxValue, minValue);
}

// Rows of a first axis that is spread out are whole blocks, and on Ascend310P the rows of a last axis are so many;
// others leave the sizes as they were.
void GetBroadCastMaxMinTmpSize(const platform_ascendc::PlatformAscendC& ascendcPlatform, const TensorShape& srcShape,
                               const TensorShape& dstShape, uint32_t typeSize, const bool, uint32_t& maxValue,
                               uint32_t& minValue) {
    const uint64_t from = Elements(srcShape);
    const bool last = srcShape.GetDimNum() != 0 && ColumnsOf(srcShape) == 1;
    if (!last && ColumnsOf(dstShape) * std::max(typeSize, 2u) % 32 != 0 && RowsOf(srcShape) != RowsOf(dstShape)) {
        return;
    }
    const bool m200 = ascendcPlatform.GetSocVersion() == platform_ascendc::SocVersion::ASCEND310P;
    const uint64_t rows = RowsOf(dstShape);
    if (m200 && last && from != 1 && rows * typeSize % 32 != 0 && !(typeSize == 1 && rows % 16 == 0)) {
        return;
    }
    Sizes(sim_adv_broadcast(from, rows, ColumnsOf(dstShape), last, typeSize, m200), maxValue, minValue);
}

#define SIM_SELECT(Function)                                                                                       \
    void Get##Function##MaxMinTmpSize(const TensorShape& src0Shape, const TensorShape& src1Shape, const uint32_t,  \
                                      const TensorShape& maskShape, const uint32_t, const bool reuse,              \
                                      uint32_t& maxValue, uint32_t& minValue) {                                    \
        Sizes(SelectSizes(src0Shape, src1Shape, maskShape, reuse), maxValue, minValue);                            \
    }                                                                                                              \
    uint32_t Get##Function##MaxTmpSize(const TensorShape& src0Shape, const TensorShape& src1Shape, const uint32_t, \
                                       const TensorShape& maskShape, const uint32_t, const bool reuse) {           \
        return static_cast<uint32_t>(SelectSizes(src0Shape, src1Shape, maskShape, reuse).most);                    \
    }                                                                                                              \
    uint32_t Get##Function##MinTmpSize(const TensorShape& src0Shape, const TensorShape& src1Shape, const uint32_t, \
                                       const TensorShape& maskShape, const uint32_t, const bool reuse) {           \
        return static_cast<uint32_t>(SelectSizes(src0Shape, src1Shape, maskShape, reuse).least);                   \
    }
SIM_SELECT(Select)
SIM_SELECT(SelectWithBytesMask)

void GetAscendAntiQuantMaxMinTmpSize(const TensorShape& srcShape, const TensorShape& scaleShape, bool isTranspose,
                                     TensorDataType, TensorDataType outputDataType, uint32_t& maxValue,
                                     uint32_t& minValue) {
    Sizes(AntiQuantSizes(srcShape, scaleShape, isTranspose, outputDataType), maxValue, minValue);
}

uint32_t GetAscendAntiQuantMaxTmpSize(const TensorShape& srcShape, const TensorShape& scaleShape, bool isTranspose,
                                      TensorDataType, TensorDataType outputDataType) {
    return static_cast<uint32_t>(AntiQuantSizes(srcShape, scaleShape, isTranspose, outputDataType).most);
}

uint32_t GetAscendAntiQuantMinTmpSize(const TensorShape& srcShape, const TensorShape& scaleShape, bool isTranspose,
                                      TensorDataType, TensorDataType outputDataType) {
    return static_cast<uint32_t>(AntiQuantSizes(srcShape, scaleShape, isTranspose, outputDataType).least);
}

}  // namespace AscendC
