// Vector functions of one source: Abs, Exp, Ln, Sqrt, Rsqrt, Reciprocal, Relu, Not.
// Documentation: SIMD-API/基础API/Memory矢量计算/基础算术 and 逻辑计算; the same data types on all SoCs.
#ifndef ASCENDC_KERNEL_OPERATOR_VEC_UNARY_INTF_H
#define ASCENDC_KERNEL_OPERATOR_VEC_UNARY_INTF_H

#ifndef ASCENDC_SIM_PUBLIC_HEADER
#define ASCENDC_SIM_PUBLIC_HEADER
#endif
#include "kernel_tensor.h"
#include "sim/repeats.h"

namespace AscendC {

// Each function by its first `count` elements, and by repeats with a mask of lanes or of bits. The first once more with
// the type that its page gives it, for operators that hand it to templates of theirs. A call never takes that one,
// because the compiler deduces no reference for `Count` from an argument. Likewise the form with a mask: a call does
// not deduce `Void`, which the type of a pointer does.
#define ASCENDC_SIM_UNARY(Function, page, ...)                                                                        \
    template <typename T>                                                                                             \
    void Function(const LocalTensor<T>& dst, const LocalTensor<T>& src, const int32_t& count,                         \
                  sim::Site site = sim::Site::Here()) {                                                               \
        static_assert(sim::kOneOf<T, __VA_ARGS__>,                                                                    \
                      #Function ": the data type is not one of " #__VA_ARGS__ " (" page ")");                         \
        sim::Unary({#Function, page, site}, sim::UnaryOp::k##Function, sim::kDtype<T>, dst.Place(), src.Place(),      \
                   count, nullptr);                                                                                   \
    }                                                                                                                 \
    template <typename T, typename Count, std::enable_if_t<std::is_same_v<Count, const int32_t&>, int> = 0>           \
    void Function(const LocalTensor<T>& dst, const LocalTensor<T>& src, Count count) {                                \
        Function(dst, src, count, sim::Site::Here());                                                                 \
    }                                                                                                                 \
    template <typename T, bool isSetMask = true>                                                                      \
    void Function(const LocalTensor<T>& dst, const LocalTensor<T>& src, const sim::Mask& mask,                        \
                  const sim::RepeatTime repeatTime, const UnaryRepeatParams& repeatParams,                            \
                  sim::Site site = sim::Site::Here()) {                                                               \
        static_assert(sim::kOneOf<T, __VA_ARGS__>,                                                                    \
                      #Function ": the data type is not one of " #__VA_ARGS__ " (" page ")");                         \
        const sim::Repeats repeats = sim::UnaryRepeats(sim::MaskArgument(isSetMask, mask), repeatTime, repeatParams); \
        sim::Unary({#Function, page, site}, sim::UnaryOp::k##Function, sim::kDtype<T>, dst.Place(), src.Place(), 0,   \
                   &repeats);                                                                                         \
    }                                                                                                                 \
    template <typename T, bool isSetMask = true, typename Void, std::enable_if_t<std::is_void_v<Void>, int> = 0>      \
    Void Function(const LocalTensor<T>& dst, const LocalTensor<T>& src, uint64_t mask, const uint8_t repeatTime,      \
                  const UnaryRepeatParams& repeatParams) {                                                            \
        Function<T, isSetMask>(dst, src, mask, repeatTime, repeatParams, sim::Site::Here());                          \
    }

ASCENDC_SIM_UNARY(Abs, "基础算术/Abs", half, float)
ASCENDC_SIM_UNARY(Exp, "基础算术/Exp", half, float)
ASCENDC_SIM_UNARY(Ln, "基础算术/Ln", half, float)
ASCENDC_SIM_UNARY(Sqrt, "基础算术/Sqrt", half, float)
ASCENDC_SIM_UNARY(Rsqrt, "基础算术/Rsqrt", half, float)
ASCENDC_SIM_UNARY(Reciprocal, "基础算术/Reciprocal", half, float)
ASCENDC_SIM_UNARY(Relu, "基础算术/Relu", half, int32_t, float)
ASCENDC_SIM_UNARY(Not, "逻辑计算/Not", int16_t, uint16_t)

#undef ASCENDC_SIM_UNARY

}  // namespace AscendC

#endif
