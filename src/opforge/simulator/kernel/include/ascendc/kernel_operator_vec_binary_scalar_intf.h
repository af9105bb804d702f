// Vector functions of a tensor and a scalar: Adds, Muls, Maxs, Mins, LeakyRelu, ShiftLeft, ShiftRight.
// Documentation: SIMD-API/基础API/Memory矢量计算/基础算术 and 逻辑计算; data types of Atlas A2 and A3.
#ifndef ASCENDC_KERNEL_OPERATOR_VEC_BINARY_SCALAR_INTF_H
#define ASCENDC_KERNEL_OPERATOR_VEC_BINARY_SCALAR_INTF_H

#ifndef ASCENDC_SIM_PUBLIC_HEADER
#define ASCENDC_SIM_PUBLIC_HEADER
#endif
#include "kernel_tensor.h"
#include "sim/repeats.h"

namespace AscendC {

// Each function by its first `count` elements, and by repeats with a mask of lanes or of bits. The scalar has the
// tensors' own type, as the documentation demands: write static_cast<half>(2) for a half tensor.
#define ASCENDC_SIM_SCALAR(Function, page, ...)                                                                     \
    template <typename T>                                                                                           \
    void Function(const LocalTensor<T>& dst, const LocalTensor<T>& src, const T& scalarValue, const int32_t& count, \
                  sim::Site site = sim::Site::Here()) {                                                             \
        static_assert(sim::kOneOf<T, __VA_ARGS__>,                                                                  \
                      #Function ": the data type is not one of " #__VA_ARGS__ " (" page ")");                       \
        sim::BinaryScalar({#Function, page, site}, sim::ScalarOp::k##Function, sim::kDtype<T>, sim::kDtype<T>,      \
                          dst.Place(), src.Place(), sim::ScalarBits(scalarValue), count, nullptr);                  \
    }                                                                                                               \
    template <typename T, bool isSetMask = true>                                                                    \
    void Function(const LocalTensor<T>& dst, const LocalTensor<T>& src, const T& scalarValue, uint64_t mask,        \
                  const uint8_t repeatTime, const UnaryRepeatParams& repeatParams,                                  \
                  sim::Site site = sim::Site::Here()) {                                                             \
        static_assert(sim::kOneOf<T, __VA_ARGS__>,                                                                  \
                      #Function ": the data type is not one of " #__VA_ARGS__ " (" page ")");                       \
        static_assert(isSetMask, #Function ": a mask set outside of the call is not simulated");                    \
        const sim::Repeats repeats = sim::UnaryRepeats(nullptr, mask, repeatTime, repeatParams);                    \
        sim::BinaryScalar({#Function, page, site}, sim::ScalarOp::k##Function, sim::kDtype<T>, sim::kDtype<T>,      \
                          dst.Place(), src.Place(), sim::ScalarBits(scalarValue), 0, &repeats);                     \
    }                                                                                                               \
    template <typename T, bool isSetMask = true>                                                                    \
    void Function(const LocalTensor<T>& dst, const LocalTensor<T>& src, const T& scalarValue, uint64_t mask[],      \
                  const uint8_t repeatTime, const UnaryRepeatParams& repeatParams,                                  \
                  sim::Site site = sim::Site::Here()) {                                                             \
        static_assert(sim::kOneOf<T, __VA_ARGS__>,                                                                  \
                      #Function ": the data type is not one of " #__VA_ARGS__ " (" page ")");                       \
        static_assert(isSetMask, #Function ": a mask set outside of the call is not simulated");                    \
        const sim::Repeats repeats = sim::UnaryRepeats(mask, 0, repeatTime, repeatParams);                          \
        sim::BinaryScalar({#Function, page, site}, sim::ScalarOp::k##Function, sim::kDtype<T>, sim::kDtype<T>,      \
                          dst.Place(), src.Place(), sim::ScalarBits(scalarValue), 0, &repeats);                     \
    }

ASCENDC_SIM_SCALAR(Adds, "基础算术/Adds", int16_t, half, int32_t, float)
ASCENDC_SIM_SCALAR(Muls, "基础算术/Muls", int16_t, half, int32_t, float)
ASCENDC_SIM_SCALAR(Maxs, "基础算术/Maxs", int16_t, half, int32_t, float)
ASCENDC_SIM_SCALAR(Mins, "基础算术/Mins", int16_t, half, int32_t, float)
ASCENDC_SIM_SCALAR(LeakyRelu, "基础算术/LeakyRelu", half, float)
ASCENDC_SIM_SCALAR(ShiftLeft, "逻辑计算/ShiftLeft", int16_t, uint16_t, int32_t, uint32_t)
ASCENDC_SIM_SCALAR(ShiftRight, "逻辑计算/ShiftRight", int16_t, uint16_t, int32_t, uint32_t)

#undef ASCENDC_SIM_SCALAR

}  // namespace AscendC

#endif
