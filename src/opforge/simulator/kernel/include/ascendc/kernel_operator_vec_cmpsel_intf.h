// Compare, Compares (CompareScalar) and Select.
// Documentation: SIMD-API/基础API/Memory矢量计算/比较与选择; data types of Atlas A2 and A3.
#ifndef ASCENDC_KERNEL_OPERATOR_VEC_CMPSEL_INTF_H
#define ASCENDC_KERNEL_OPERATOR_VEC_CMPSEL_INTF_H

#ifndef ASCENDC_SIM_PUBLIC_HEADER
#define ASCENDC_SIM_PUBLIC_HEADER
#endif
#include "kernel_tensor.h"

namespace AscendC {

// Bit i of dst is the result for element i. `count` elements must fill whole 256-byte repeats.
template <typename T, typename U>
void Compare(const LocalTensor<U>& dst, const LocalTensor<T>& src0, const LocalTensor<T>& src1, CMPMODE cmpMode,
             uint32_t count, sim::Site site = sim::Site::Here()) {
    static_assert(sim::kOneOf<T, half, float, int32_t>,
                  "Compare: the data type is not one of half, float, int32_t (比较与选择/Compare)");
    static_assert(sim::kOneOf<U, int8_t, uint8_t>, "Compare: the result is not int8_t or uint8_t (比较与选择/Compare)");
    sim::Compare({"Compare", "比较与选择/Compare", site}, static_cast<uint32_t>(cmpMode), sim::kDtype<T>, dst.Place(),
                 src0.Place(), src1.Place(), count);
}

template <typename T, typename U>
void Compares(const LocalTensor<U>& dst, const LocalTensor<T>& src0, const T src1Scalar, CMPMODE cmpMode,
              uint32_t count, sim::Site site = sim::Site::Here()) {
    static_assert(sim::kOneOf<T, half, float, int32_t>,
                  "Compares: the data type is not one of half, float, int32_t (比较与选择/Compares)");
    static_assert(sim::kOneOf<U, uint8_t>, "Compares: the result is not uint8_t (比较与选择/Compares)");
    sim::CompareScalar({"Compares", "比较与选择/Compares", site}, static_cast<uint32_t>(cmpMode), sim::kDtype<T>,
                       dst.Place(), src0.Place(), sim::ScalarBits(src1Scalar), count);
}

// The older name of Compares.
template <typename T, typename U>
void CompareScalar(const LocalTensor<U>& dst, const LocalTensor<T>& src0, const T src1Scalar, CMPMODE cmpMode,
                   uint32_t count, sim::Site site = sim::Site::Here()) {
    Compares(dst, src0, src1Scalar, cmpMode, count, site);
}

// dst takes src0 where the bit of selMask is 1, else src1.
template <typename T, typename U>
void Select(const LocalTensor<T>& dst, const LocalTensor<U>& selMask, const LocalTensor<T>& src0,
            const LocalTensor<T>& src1, SELMODE selMode, uint32_t count, sim::Site site = sim::Site::Here()) {
    static_assert(sim::kOneOf<T, half, float>, "Select: the data type is not one of half, float (比较与选择/Select)");
    static_assert(sim::kOneOf<U, uint8_t, uint16_t, uint32_t, uint64_t>,
                  "Select: selMask is not of an unsigned type (比较与选择/Select)");
    sim::SelectTensor({"Select", "比较与选择/Select", site}, static_cast<uint32_t>(selMode), sim::kDtype<T>,
                      dst.Place(), selMask.Place(), src0.Place(), src1.Place(), count);
}

template <typename T, typename U>
void Select(const LocalTensor<T>& dst, const LocalTensor<U>& selMask, const LocalTensor<T>& src0, T src1,
            SELMODE selMode, uint32_t count, sim::Site site = sim::Site::Here()) {
    static_assert(sim::kOneOf<T, half, float>, "Select: the data type is not one of half, float (比较与选择/Select)");
    static_assert(sim::kOneOf<U, uint8_t, uint16_t, uint32_t, uint64_t>,
                  "Select: selMask is not of an unsigned type (比较与选择/Select)");
    sim::SelectScalar({"Select", "比较与选择/Select", site}, static_cast<uint32_t>(selMode), sim::kDtype<T>,
                      dst.Place(), selMask.Place(), src0.Place(), sim::ScalarBits(src1), count);
}

}  // namespace AscendC

#endif
