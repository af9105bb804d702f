// Cast between data types, with the rounding modes each pair documents.
// Documentation: SIMD-API/基础API/Memory矢量计算/类型转换/Cast (table for Atlas A2 and A3),
// SIMD-API/基础API/数据结构/precision_conversion
#ifndef ASCENDC_KERNEL_OPERATOR_VEC_VCONV_INTF_H
#define ASCENDC_KERNEL_OPERATOR_VEC_VCONV_INTF_H

#ifndef ASCENDC_SIM_PUBLIC_HEADER
#define ASCENDC_SIM_PUBLIC_HEADER
#endif
#include "kernel_tensor.h"
#include "sim/repeats.h"

namespace sim {

// int4b_t and int32_t to half (which needs SetDeqScale) are not simulated.
template <typename T, typename U>
inline constexpr bool kCastable =
    (kOneOf<U, int8_t, uint8_t> && kOneOf<T, half>) || (kOneOf<U, int16_t> && kOneOf<T, half, float>) ||
    (kOneOf<U, half> && kOneOf<T, int8_t, uint8_t, int16_t, int32_t, float>) ||
    (kOneOf<U, bfloat16_t> && kOneOf<T, int32_t, float>) ||
    (kOneOf<U, int32_t> && kOneOf<T, int16_t, float, int64_t>) ||
    (kOneOf<U, float> && kOneOf<T, int16_t, half, bfloat16_t, int32_t, float, int64_t>) ||
    (kOneOf<U, int64_t> && kOneOf<T, int32_t, float>);

}  // namespace sim

namespace AscendC {

// Which rounding modes a pair takes is checked when the call runs, because roundMode is an argument.
template <typename T, typename U>
void Cast(const LocalTensor<T>& dst, const LocalTensor<U>& src, const RoundMode& roundMode, const uint32_t count,
          sim::Site site = sim::Site::Here()) {
    static_assert(sim::kCastable<T, U>,
                  "Cast: this pair of data types is not in the table of 类型转换/Cast for Atlas A2");
    sim::Cast({"Cast", "类型转换/Cast", site}, sim::kDtype<T>, sim::kDtype<U>, static_cast<uint32_t>(roundMode),
              dst.Place(), src.Place(), count, nullptr);
}

template <typename T, typename U, bool isSetMask = true>
void Cast(const LocalTensor<T>& dst, const LocalTensor<U>& src, const RoundMode& roundMode, const uint64_t mask,
          const uint8_t repeatTime, const UnaryRepeatParams& repeatParams, sim::Site site = sim::Site::Here()) {
    static_assert(sim::kCastable<T, U>,
                  "Cast: this pair of data types is not in the table of 类型转换/Cast for Atlas A2");
    static_assert(isSetMask, "Cast: a mask set outside of the call is not simulated");
    const sim::Repeats repeats = sim::UnaryRepeats(nullptr, mask, repeatTime, repeatParams);
    sim::Cast({"Cast", "类型转换/Cast", site}, sim::kDtype<T>, sim::kDtype<U>, static_cast<uint32_t>(roundMode),
              dst.Place(), src.Place(), 0, &repeats);
}

template <typename T, typename U, bool isSetMask = true>
void Cast(const LocalTensor<T>& dst, const LocalTensor<U>& src, const RoundMode& roundMode, const uint64_t mask[],
          const uint8_t repeatTime, const UnaryRepeatParams& repeatParams, sim::Site site = sim::Site::Here()) {
    static_assert(sim::kCastable<T, U>,
                  "Cast: this pair of data types is not in the table of 类型转换/Cast for Atlas A2");
    static_assert(isSetMask, "Cast: a mask set outside of the call is not simulated");
    const sim::Repeats repeats = sim::UnaryRepeats(mask, 0, repeatTime, repeatParams);
    sim::Cast({"Cast", "类型转换/Cast", site}, sim::kDtype<T>, sim::kDtype<U>, static_cast<uint32_t>(roundMode),
              dst.Place(), src.Place(), 0, &repeats);
}

}  // namespace AscendC

#endif
