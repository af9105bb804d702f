// Vector functions of a tensor and a scalar: Adds, Muls, Maxs, Mins, LeakyRelu, ShiftLeft, ShiftRight.
// Documentation: SIMD-API/基础API/Memory矢量计算/基础算术 and 逻辑计算; shifts are Atlas A2's and A3's.
#ifndef ASCENDC_KERNEL_OPERATOR_VEC_BINARY_SCALAR_INTF_H
#define ASCENDC_KERNEL_OPERATOR_VEC_BINARY_SCALAR_INTF_H

#ifndef ASCENDC_SIM_PUBLIC_HEADER
#define ASCENDC_SIM_PUBLIC_HEADER
#endif
#include "kernel_tensor.h"
#include "sim/repeats.h"

namespace sim {

// Shifts are not there on the inference products.
inline constexpr bool IsShift(ScalarOp op) { return op == ScalarOp::kShiftLeft || op == ScalarOp::kShiftRight; }

}  // namespace sim

namespace AscendC {

// Each function by its first `count` elements, and by repeats with a mask of lanes or of bits. The scalar has the
// tensors' own type, as the documentation demands: write static_cast<half>(2) for a half tensor.
#define ASCENDC_SIM_SCALAR(Function, page, ...)           \
    ASCENDC_SIM_SCALAR_COUNT(Function, page, __VA_ARGS__) \
    ASCENDC_SIM_SCALAR_REPEATS(Function, page, __VA_ARGS__)
#define ASCENDC_SIM_SCALAR_COUNT(Function, page, ...)                                                               \
    template <typename T, bool isSetMask = true>                                                                    \
    void Function(const LocalTensor<T>& dst, const LocalTensor<T>& src, const T& scalarValue, const int32_t& count, \
                  sim::Site site = sim::Site::Here()) {                                                             \
        ASCENDC_SIM_SCALAR_TYPES(Function, page, __VA_ARGS__)                                                       \
        const sim::Repeats repeats = sim::RegisterRepeats(sizeof(T), sizeof(T));                                    \
        sim::BinaryScalar({#Function, page, site}, sim::ScalarOp::k##Function, sim::kDtype<T>, sim::kDtype<T>,      \
                          dst.Place(), src.Place(), sim::ScalarBits(scalarValue), count,                            \
                          isSetMask ? nullptr : &repeats);                                                          \
    }
#define ASCENDC_SIM_SCALAR_TYPES(Function, page, ...)                                                                  \
    static_assert(sim::kOneOf<T, __VA_ARGS__>, #Function ": the data type is not one of " #__VA_ARGS__ " (" page ")"); \
    static_assert(sim::kNotOnM200<T> || !sim::IsShift(sim::ScalarOp::k##Function),                                     \
                  #Function ": not there on ascend310p (" page ")");
#define ASCENDC_SIM_SCALAR_REPEATS(Function, page, ...)                                                               \
    template <typename T, bool isSetMask = true>                                                                      \
    void Function(const LocalTensor<T>& dst, const LocalTensor<T>& src, const T& scalarValue, const sim::Mask& mask,  \
                  const sim::RepeatTime repeatTime, const UnaryRepeatParams& repeatParams,                            \
                  sim::Site site = sim::Site::Here()) {                                                               \
        ASCENDC_SIM_SCALAR_TYPES(Function, page, __VA_ARGS__)                                                         \
        const sim::Repeats repeats = sim::UnaryRepeats(sim::MaskArgument(isSetMask, mask), repeatTime, repeatParams); \
        sim::BinaryScalar({#Function, page, site}, sim::ScalarOp::k##Function, sim::kDtype<T>, sim::kDtype<T>,        \
                          dst.Place(), src.Place(), sim::ScalarBits(scalarValue), 0, &repeats);                       \
    }

ASCENDC_SIM_SCALAR(Adds, "基础算术/Adds", int16_t, half, int32_t, float)
ASCENDC_SIM_SCALAR(Muls, "基础算术/Muls", int16_t, half, int32_t, float)
ASCENDC_SIM_SCALAR(Maxs, "基础算术/Maxs", int16_t, half, int32_t, float)
ASCENDC_SIM_SCALAR(Mins, "基础算术/Mins", int16_t, half, int32_t, float)
ASCENDC_SIM_SCALAR(LeakyRelu, "基础算术/LeakyRelu", half, float)
ASCENDC_SIM_SCALAR(ShiftLeft, "逻辑计算/ShiftLeft", int16_t, uint16_t, int32_t, uint32_t)
ASCENDC_SIM_SCALAR_COUNT(ShiftRight, "逻辑计算/ShiftRight", int16_t, uint16_t, int32_t, uint32_t)

#undef ASCENDC_SIM_SCALAR
#undef ASCENDC_SIM_SCALAR_COUNT
#undef ASCENDC_SIM_SCALAR_REPEATS
#undef ASCENDC_SIM_SCALAR_TYPES

// roundEn adds the highest bit that is shifted out; it is said for signed types only.
template <typename T, bool isSetMask = true>
void ShiftRight(const LocalTensor<T>& dst, const LocalTensor<T>& src, const T& scalarValue, const sim::Mask& mask,
                const sim::RepeatTime repeatTime, const UnaryRepeatParams& repeatParams, bool roundEn = false,
                sim::Site site = sim::Site::Here()) {
    static_assert(sim::kOneOf<T, int16_t, uint16_t, int32_t, uint32_t>,
                  "ShiftRight: the data type is not one of int16_t, uint16_t, int32_t, uint32_t (逻辑计算/ShiftRight)");
    static_assert(sim::kNotOnM200<T>, "ShiftRight: not there on ascend310p (逻辑计算/ShiftRight)");
    const sim::Repeats repeats = sim::UnaryRepeats(sim::MaskArgument(isSetMask, mask), repeatTime, repeatParams);
    sim::BinaryScalar({"ShiftRight", "逻辑计算/ShiftRight", site}, sim::ScalarOp::kShiftRight, sim::kDtype<T>,
                      sim::kDtype<T>, dst.Place(), src.Place(), sim::ScalarBits(scalarValue), 0, &repeats, roundEn);
}

}  // namespace AscendC

#endif
