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

template <typename T, typename U>
inline constexpr bool kCastableOnA2 =
    (kOneOf<U, AscendC::int4b_t, int8_t, uint8_t> && kOneOf<T, half>) ||
    (kOneOf<U, int16_t> && kOneOf<T, half, float>) ||
    (kOneOf<U, half> && kOneOf<T, AscendC::int4b_t, int8_t, uint8_t, int16_t, int32_t, float>) ||
    (kOneOf<U, bfloat16_t> && kOneOf<T, int32_t, float>) ||
    (kOneOf<U, int32_t> && kOneOf<T, int16_t, half, float, int64_t>) ||
    (kOneOf<U, float> && kOneOf<T, int16_t, half, bfloat16_t, int32_t, float, int64_t>) ||
    (kOneOf<U, int64_t> && kOneOf<T, int32_t, float>);
template <typename T, typename U>
inline constexpr bool kCastableOnM200 =
    (kOneOf<U, int8_t, uint8_t, int16_t> && kOneOf<T, half>) ||
    (kOneOf<U, half> && kOneOf<T, AscendC::int4b_t, int8_t, uint8_t, int16_t, int32_t, float>) ||
    (kOneOf<U, int32_t> && kOneOf<T, int16_t, half, float>) || (kOneOf<U, float> && kOneOf<T, half, int64_t>);
template <typename T, typename U>
inline constexpr bool kCastable = kOnM200 ? kCastableOnM200<T, U> : kCastableOnA2<T, U>;

}  // namespace sim

namespace AscendC {

// The scale of int32_t to half, by Cast and AddDeqRelu. Documentation: 类型转换辅助配置接口/SetDeqScale
inline void SetDeqScale(half scale, sim::Site site = sim::Site::Here()) { sim::SetDeqScaleHalf(scale.bits, site); }

// The scales of int16_t to 8 bits are CastDequant's.
template <typename... Arguments>
void SetDeqScale(float, int16_t, Arguments...) {
    static_assert(sizeof...(Arguments) == 0 && sizeof...(Arguments) != 0,
                  "SetDeqScale: the scales of int16_t to 8 bits are not simulated (类型转换辅助配置接口/SetDeqScale)");
}

// Which rounding modes a pair takes is checked when the call runs, because roundMode is an argument.
template <typename T, typename U>
void Cast(const LocalTensor<T>& dst, const LocalTensor<U>& src, const RoundMode& roundMode, const uint32_t count,
          sim::Site site = sim::Site::Here()) {
    static_assert(sim::kCastable<T, U>,
                  "Cast: this pair of data types is not in the table of 类型转换/Cast for this SoC");
    sim::Cast({"Cast", "类型转换/Cast", site}, sim::kDtype<T>, sim::kDtype<U>, static_cast<uint32_t>(roundMode),
              dst.Place(), src.Place(), count, nullptr);
}

template <typename T, typename U, bool isSetMask = true>
void Cast(const LocalTensor<T>& dst, const LocalTensor<U>& src, const RoundMode& roundMode, const sim::ConstMask& mask,
          const sim::RepeatTime repeatTime, const UnaryRepeatParams& repeatParams, sim::Site site = sim::Site::Here()) {
    static_assert(sim::kCastable<T, U>,
                  "Cast: this pair of data types is not in the table of 类型转换/Cast for this SoC");
    const sim::Repeats repeats = sim::UnaryRepeats(sim::MaskArgument(isSetMask, mask), repeatTime, repeatParams);
    sim::Cast({"Cast", "类型转换/Cast", site}, sim::kDtype<T>, sim::kDtype<U>, static_cast<uint32_t>(roundMode),
              dst.Place(), src.Place(), 0, &repeats);
}

// int32_t to half by the scale of SetDeqScale. Documentation: 复合计算/CastDequant; CastDeq is the name it had before.
// Of int16_t to 8 bits the page says neither how products are rounded nor, for all forms, where the results lie.
#define ASCENDC_SIM_CAST_DEQUANT(Function)                                                                            \
    template <typename T, typename U, bool isVecDeq = true, bool halfBlock = true>                                    \
    void Function(const LocalTensor<T>& dst, const LocalTensor<U>& src, const uint32_t count,                         \
                  sim::Site site = sim::Site::Here()) {                                                               \
        static_assert(sim::kOneOf<T, half> && sim::kOneOf<U, int32_t> && !sim::kOnM200, #Function                     \
                      ": only int32_t to half is simulated, which is not there on ascend310p"                         \
                      " (复合计算/CastDequant)");                                                                     \
        sim::Cast({#Function, "复合计算/CastDequant", site}, sim::kDtype<T>, sim::kDtype<U>,                          \
                  static_cast<uint32_t>(RoundMode::CAST_NONE), dst.Place(), src.Place(), count, nullptr);             \
    }                                                                                                                 \
    template <typename T, typename U, bool isSetMask = true, bool isVecDeq = true, bool halfBlock = true>             \
    void Function(const LocalTensor<T>& dst, const LocalTensor<U>& src, const sim::ConstMask32& mask,                 \
                  const sim::RepeatTime repeatTime, const UnaryRepeatParams& repeatParams,                            \
                  sim::Site site = sim::Site::Here()) {                                                               \
        static_assert(sim::kOneOf<T, half> && sim::kOneOf<U, int32_t> && !sim::kOnM200, #Function                     \
                      ": only int32_t to half is simulated, which is not there on ascend310p"                         \
                      " (复合计算/CastDequant)");                                                                     \
        const sim::Repeats repeats = sim::UnaryRepeats(sim::MaskArgument(isSetMask, mask), repeatTime, repeatParams); \
        sim::Cast({#Function, "复合计算/CastDequant", site}, sim::kDtype<T>, sim::kDtype<U>,                          \
                  static_cast<uint32_t>(RoundMode::CAST_NONE), dst.Place(), src.Place(), 0, &repeats);                \
    }
ASCENDC_SIM_CAST_DEQUANT(CastDequant)
ASCENDC_SIM_CAST_DEQUANT(CastDeq)
#undef ASCENDC_SIM_CAST_DEQUANT

}  // namespace AscendC

#endif
