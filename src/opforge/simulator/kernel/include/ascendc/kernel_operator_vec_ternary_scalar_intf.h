// Axpy: dst = scalar * src + dst.
// Documentation: SIMD-API/基础API/Memory矢量计算/复合计算/Axpy; the same data types on all SoCs.
#ifndef ASCENDC_KERNEL_OPERATOR_VEC_TERNARY_SCALAR_INTF_H
#define ASCENDC_KERNEL_OPERATOR_VEC_TERNARY_SCALAR_INTF_H

#ifndef ASCENDC_SIM_PUBLIC_HEADER
#define ASCENDC_SIM_PUBLIC_HEADER
#endif
#include "kernel_tensor.h"
#include "sim/repeats.h"

namespace AscendC {

template <typename T, typename U>
void Axpy(const LocalTensor<T>& dst, const LocalTensor<U>& src, const U& scalarValue, const int32_t& count,
          sim::Site site = sim::Site::Here()) {
    static_assert(sim::kProductPair<T, U>,
                  "Axpy: the data types are not half to half, float to float or half to float (复合计算/Axpy)");
    sim::BinaryScalar({"Axpy", "复合计算/Axpy", site}, sim::ScalarOp::kAxpy, sim::kDtype<T>, sim::kDtype<U>,
                      dst.Place(), src.Place(), sim::ScalarBits(scalarValue), count, nullptr);
}

template <typename T, typename U, bool isSetMask = true>
void Axpy(const LocalTensor<T>& dst, const LocalTensor<U>& src, const U& scalarValue, const sim::Mask& mask,
          const sim::RepeatTime repeatTime, const UnaryRepeatParams& repeatParams, sim::Site site = sim::Site::Here()) {
    static_assert(sim::kProductPair<T, U>,
                  "Axpy: the data types are not half to half, float to float or half to float (复合计算/Axpy)");
    const sim::Repeats repeats = sim::UnaryRepeats(sim::MaskArgument(isSetMask, mask), repeatTime, repeatParams);
    sim::BinaryScalar({"Axpy", "复合计算/Axpy", site}, sim::ScalarOp::kAxpy, sim::kDtype<T>, sim::kDtype<U>,
                      dst.Place(), src.Place(), sim::ScalarBits(scalarValue), 0, &repeats);
}

}  // namespace AscendC

#endif
