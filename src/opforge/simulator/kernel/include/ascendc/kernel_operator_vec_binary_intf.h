// Vector functions of two sources: Add, Sub, Mul, Div, Max, Min, And, Or and the fused ones.
// Documentation: SIMD-API/基础API/Memory矢量计算/基础算术, 逻辑计算 and 复合计算; data types of Atlas A2 and A3.
#ifndef ASCENDC_KERNEL_OPERATOR_VEC_BINARY_INTF_H
#define ASCENDC_KERNEL_OPERATOR_VEC_BINARY_INTF_H

#ifndef ASCENDC_SIM_PUBLIC_HEADER
#define ASCENDC_SIM_PUBLIC_HEADER
#endif
#include "kernel_tensor.h"
#include "sim/repeats.h"

namespace AscendC {

// Each function by its first `count` elements, and by repeats with a mask of lanes or of bits.
#define ASCENDC_SIM_BINARY(Function, page, ...)                                                                       \
    template <typename T>                                                                                             \
    void Function(const LocalTensor<T>& dst, const LocalTensor<T>& src0, const LocalTensor<T>& src1,                  \
                  const int32_t& count, sim::Site site = sim::Site::Here()) {                                         \
        static_assert(sim::kOneOf<T, __VA_ARGS__>,                                                                    \
                      #Function ": the data type is not one of " #__VA_ARGS__ " (" page ")");                         \
        sim::Binary({#Function, page, site}, sim::BinaryOp::k##Function, sim::kDtype<T>, sim::kDtype<T>, dst.Place(), \
                    src0.Place(), src1.Place(), count, nullptr);                                                      \
    }                                                                                                                 \
    template <typename T, bool isSetMask = true>                                                                      \
    void Function(const LocalTensor<T>& dst, const LocalTensor<T>& src0, const LocalTensor<T>& src1, uint64_t mask,   \
                  const uint8_t repeatTime, const BinaryRepeatParams& repeatParams,                                   \
                  sim::Site site = sim::Site::Here()) {                                                               \
        static_assert(sim::kOneOf<T, __VA_ARGS__>,                                                                    \
                      #Function ": the data type is not one of " #__VA_ARGS__ " (" page ")");                         \
        static_assert(isSetMask, #Function ": a mask set outside of the call is not simulated");                      \
        const sim::Repeats repeats = sim::BinaryRepeats(nullptr, mask, repeatTime, repeatParams);                     \
        sim::Binary({#Function, page, site}, sim::BinaryOp::k##Function, sim::kDtype<T>, sim::kDtype<T>, dst.Place(), \
                    src0.Place(), src1.Place(), 0, &repeats);                                                         \
    }                                                                                                                 \
    template <typename T, bool isSetMask = true>                                                                      \
    void Function(const LocalTensor<T>& dst, const LocalTensor<T>& src0, const LocalTensor<T>& src1, uint64_t mask[], \
                  const uint8_t repeatTime, const BinaryRepeatParams& repeatParams,                                   \
                  sim::Site site = sim::Site::Here()) {                                                               \
        static_assert(sim::kOneOf<T, __VA_ARGS__>,                                                                    \
                      #Function ": the data type is not one of " #__VA_ARGS__ " (" page ")");                         \
        static_assert(isSetMask, #Function ": a mask set outside of the call is not simulated");                      \
        const sim::Repeats repeats = sim::BinaryRepeats(mask, 0, repeatTime, repeatParams);                           \
        sim::Binary({#Function, page, site}, sim::BinaryOp::k##Function, sim::kDtype<T>, sim::kDtype<T>, dst.Place(), \
                    src0.Place(), src1.Place(), 0, &repeats);                                                         \
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

// dst = src0 * src1 + dst; half sources may go into a float destination. Documentation: 复合计算/MulAddDst
template <typename T, typename U>
void MulAddDst(const LocalTensor<T>& dst, const LocalTensor<U>& src0, const LocalTensor<U>& src1, const int32_t& count,
               sim::Site site = sim::Site::Here()) {
    static_assert(
        sim::kOneOf<T, half, float> && (std::is_same<T, U>::value || sim::kOneOf<U, half>),
        "MulAddDst: the data types are not half to half, float to float or half to float (复合计算/MulAddDst)");
    sim::Binary({"MulAddDst", "复合计算/MulAddDst", site}, sim::BinaryOp::kMulAddDst, sim::kDtype<T>, sim::kDtype<U>,
                dst.Place(), src0.Place(), src1.Place(), count, nullptr);
}

}  // namespace AscendC

#endif
