// Duplicate: fills a tensor with a scalar.
// Documentation: SIMD-API/基础API/Memory矢量计算/数据填充/Duplicate; the same data types on all SoCs.
#ifndef ASCENDC_KERNEL_OPERATOR_VEC_DUPLICATE_INTF_H
#define ASCENDC_KERNEL_OPERATOR_VEC_DUPLICATE_INTF_H

#ifndef ASCENDC_SIM_PUBLIC_HEADER
#define ASCENDC_SIM_PUBLIC_HEADER
#endif
#include "kernel_tensor.h"
#include "sim/repeats.h"

namespace AscendC {

template <typename T>
void Duplicate(const LocalTensor<T>& dst, const T& scalarValue, const int32_t& count,
               sim::Site site = sim::Site::Here()) {
    static_assert(sim::kOneOf<T, int16_t, uint16_t, half, bfloat16_t, int32_t, uint32_t, float>,
                  "Duplicate: the data type is not one of int16_t, uint16_t, half, bfloat16_t, int32_t, uint32_t, "
                  "float (数据填充/Duplicate)");
    sim::Duplicate({"Duplicate", "数据填充/Duplicate", site}, sim::kDtype<T>, dst.Place(), sim::ScalarBits(scalarValue),
                   count, nullptr);
}

template <typename T, bool isSetMask = true>
void Duplicate(const LocalTensor<T>& dst, const T& scalarValue, const sim::Mask& mask, const sim::RepeatTime repeatTime,
               const uint16_t dstBlockStride, const uint8_t dstRepeatStride, sim::Site site = sim::Site::Here()) {
    static_assert(sim::kOneOf<T, int16_t, uint16_t, half, bfloat16_t, int32_t, uint32_t, float>,
                  "Duplicate: the data type is not one of int16_t, uint16_t, half, bfloat16_t, int32_t, uint32_t, "
                  "float (数据填充/Duplicate)");
    const sim::Repeats repeats = sim::UnaryRepeats(sim::MaskArgument(isSetMask, mask), repeatTime,
                                                   UnaryRepeatParams(dstBlockStride, 1, dstRepeatStride, 8));
    sim::Duplicate({"Duplicate", "数据填充/Duplicate", site}, sim::kDtype<T>, dst.Place(), sim::ScalarBits(scalarValue),
                   0, &repeats);
}

}  // namespace AscendC

#endif
