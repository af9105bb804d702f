// Vector functions of two sources: Add, Sub, Mul, Div, Max, Min, And, Or and the fused ones.
// Documentation: SIMD-API/基础API/Memory矢量计算/基础算术, 逻辑计算 and 复合计算; the same data types on all SoCs.
#ifndef ASCENDC_KERNEL_OPERATOR_VEC_BINARY_INTF_H
#define ASCENDC_KERNEL_OPERATOR_VEC_BINARY_INTF_H

#ifndef ASCENDC_SIM_PUBLIC_HEADER
#define ASCENDC_SIM_PUBLIC_HEADER
#endif
#include "kernel_tensor.h"
#include "sim/repeats.h"

namespace sim {

// The type of the elements that `count` counts.
template <BinaryOp op, typename T>
using Counted =
    std::conditional_t<(op == BinaryOp::kAnd || op == BinaryOp::kOr) && kHalves<T> == 2 && !kOnM200, int16_t, T>;

// How many of them an element of `count` is.
template <typename Each, typename T>
inline constexpr int32_t kEachOf = kOn950 ? static_cast<int32_t>(sizeof(T) / sizeof(Each)) : 1;

}  // namespace sim

namespace AscendC {

// Each function by its first `count` elements, and by repeats with a mask of lanes or of bits. The first once more with
// the type that its page gives it, for operators that hand it to templates of theirs. A call never takes that one,
// because the compiler deduces no reference for `Count` from an argument. Likewise the form with a mask: a call does
// not deduce `Void`, which the type of a pointer does.
#define ASCENDC_SIM_BINARY(Function, page, ...)                                                                        \
    template <typename T>                                                                                              \
    void Function(const LocalTensor<T>& dst, const LocalTensor<T>& src0, const LocalTensor<T>& src1,                   \
                  const int32_t& count, sim::Site site = sim::Site::Here()) {                                          \
        using Each = sim::Counted<sim::BinaryOp::k##Function, T>;                                                      \
        static_assert(sim::kOneOf<Each, __VA_ARGS__>,                                                                  \
                      #Function ": the data type is not one of " #__VA_ARGS__ " (" page ")");                          \
        sim::Binary({#Function, page, site}, sim::BinaryOp::k##Function, sim::kDtype<Each>, sim::kDtype<Each>,         \
                    dst.Place(), src0.Place(), src1.Place(), count * sim::kEachOf<Each, T>, nullptr);                  \
    }                                                                                                                  \
    template <typename T, typename Count, std::enable_if_t<std::is_same_v<Count, const int32_t&>, int> = 0>            \
    void Function(const LocalTensor<T>& dst, const LocalTensor<T>& src0, const LocalTensor<T>& src1, Count count) {    \
        Function(dst, src0, src1, count, sim::Site::Here());                                                           \
    }                                                                                                                  \
    template <typename T, bool isSetMask = true>                                                                       \
    void Function(const LocalTensor<T>& dst, const LocalTensor<T>& src0, const LocalTensor<T>& src1,                   \
                  const sim::Mask& mask, const sim::RepeatTime repeatTime, const BinaryRepeatParams& repeatParams,     \
                  sim::Site site = sim::Site::Here()) {                                                                \
        static_assert(sim::kOneOf<T, __VA_ARGS__>,                                                                     \
                      #Function ": the data type is not one of " #__VA_ARGS__ " (" page ")");                          \
        const sim::Repeats repeats = sim::BinaryRepeats(sim::MaskArgument(isSetMask, mask), repeatTime, repeatParams); \
        sim::Binary({#Function, page, site}, sim::BinaryOp::k##Function, sim::kDtype<T>, sim::kDtype<T>, dst.Place(),  \
                    src0.Place(), src1.Place(), 0, &repeats);                                                          \
    }                                                                                                                  \
    template <typename T, bool isSetMask = true, typename Void, std::enable_if_t<std::is_void_v<Void>, int> = 0>       \
    Void Function(const LocalTensor<T>& dst, const LocalTensor<T>& src0, const LocalTensor<T>& src1, uint64_t mask,    \
                  const uint8_t repeatTime, const BinaryRepeatParams& repeatParams) {                                  \
        Function<T, isSetMask>(dst, src0, src1, mask, repeatTime, repeatParams, sim::Site::Here());                    \
    }

ASCENDC_SIM_BINARY(Add, "基础算术/Add", int16_t, half, int32_t, float)
ASCENDC_SIM_BINARY(Sub, "基础算术/Sub", int16_t, half, int32_t, float)
ASCENDC_SIM_BINARY(Mul, "基础算术/Mul", int16_t, half, int32_t, float)
ASCENDC_SIM_BINARY(Div, "基础算术/Div", half, float)
ASCENDC_SIM_BINARY(Max, "基础算术/Max", int16_t, half, int32_t, float)
ASCENDC_SIM_BINARY(Min, "基础算术/Min", int16_t, half, int32_t, float)
ASCENDC_SIM_BINARY(And, "逻辑计算/And", int16_t, uint16_t)
ASCENDC_SIM_BINARY(Or, "逻辑计算/Or", int16_t, uint16_t)
ASCENDC_SIM_BINARY(AddRelu, "复合计算/AddRelu", int16_t, half, float)
ASCENDC_SIM_BINARY(SubRelu, "复合计算/SubRelu", int16_t, half, float)
ASCENDC_SIM_BINARY(FusedMulAdd, "复合计算/FusedMulAdd", half, float)
ASCENDC_SIM_BINARY(MulAddRelu, "复合计算/MulAddRelu", half, float)

#undef ASCENDC_SIM_BINARY

// Functions whose destination has a type of its own. `kPairs` is true for the pairs of the page's table.
#define ASCENDC_SIM_CONVERTING(Function, Count, MaskParameter, kPairs, page, said)                                     \
    template <typename T, typename U>                                                                                  \
    void Function(const LocalTensor<T>& dst, const LocalTensor<U>& src0, const LocalTensor<U>& src1,                   \
                  const Count count, sim::Site site = sim::Site::Here()) {                                             \
        static_assert(kPairs, #Function ": the data types are not " said " (" page ")");                               \
        sim::Binary({#Function, page, site}, sim::BinaryOp::k##Function, sim::kDtype<T>, sim::kDtype<U>, dst.Place(),  \
                    src0.Place(), src1.Place(), count, nullptr);                                                       \
    }                                                                                                                  \
    template <typename T, typename U, bool isSetMask = true>                                                           \
    void Function(const LocalTensor<T>& dst, const LocalTensor<U>& src0, const LocalTensor<U>& src1,                   \
                  const sim::MaskParameter& mask, const sim::RepeatTime repeatTime,                                    \
                  const BinaryRepeatParams& repeatParams, sim::Site site = sim::Site::Here()) {                        \
        static_assert(kPairs, #Function ": the data types are not " said " (" page ")");                               \
        const sim::Repeats repeats = sim::BinaryRepeats(sim::MaskArgument(isSetMask, mask), repeatTime, repeatParams); \
        sim::Binary({#Function, page, site}, sim::BinaryOp::k##Function, sim::kDtype<T>, sim::kDtype<U>, dst.Place(),  \
                    src0.Place(), src1.Place(), 0, &repeats);                                                          \
    }

// dst = src0 * src1 + dst
ASCENDC_SIM_CONVERTING(MulAddDst, int32_t&, ConstMask, (sim::kProductPair<T, U>), "复合计算/MulAddDst",
                       "half to half, float to float or half to float")
ASCENDC_SIM_CONVERTING(AddReluCast, uint32_t, Mask, (sim::kReluCastPair<T, U>), "复合计算/AddReluCast",
                       "half to int8_t, int16_t to int8_t or float to half")
ASCENDC_SIM_CONVERTING(SubReluCast, uint32_t, Mask, (sim::kReluCastPair<T, U>), "复合计算/SubReluCast",
                       "half to int8_t, int16_t to int8_t or float to half")
ASCENDC_SIM_CONVERTING(MulCast, uint32_t, Mask, (sim::kOneOf<T, int8_t, uint8_t> && sim::kOneOf<U, half>),
                       "复合计算/MulCast", "half to int8_t or half to uint8_t")
// The scale is that of SetDeqScale.
ASCENDC_SIM_CONVERTING(AddDeqRelu, int32_t&, Mask, (sim::kOneOf<T, half> && sim::kOneOf<U, int32_t>),
                       "复合计算/AddDeqRelu", "int32_t to half")

#undef ASCENDC_SIM_CONVERTING

}  // namespace AscendC

#endif
