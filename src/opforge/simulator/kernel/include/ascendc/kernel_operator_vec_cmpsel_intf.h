// Compare, Compares (CompareScalar), Select, and the register that holds what was compared.
// Documentation: SIMD-API/基础API/Memory矢量计算/比较与选择; int32_t is Atlas A2's and A3's only.
#ifndef ASCENDC_KERNEL_OPERATOR_VEC_CMPSEL_INTF_H
#define ASCENDC_KERNEL_OPERATOR_VEC_CMPSEL_INTF_H

#ifndef ASCENDC_SIM_PUBLIC_HEADER
#define ASCENDC_SIM_PUBLIC_HEADER
#endif
#include "kernel_tensor.h"
#include "sim/repeats.h"

namespace sim {

template <typename T>
inline constexpr bool kComparable = kListed<T, A2<half, float, int32_t>, M200<half, float>>;

}  // namespace sim

namespace AscendC {

// Bit i of dst is the result for element i. `count` elements must fill whole 256-byte repeats.
template <typename T, typename U>
void Compare(const LocalTensor<U>& dst, const LocalTensor<T>& src0, const LocalTensor<T>& src1, CMPMODE cmpMode,
             uint32_t count, sim::Site site = sim::Site::Here()) {
    static_assert(sim::kComparable<T>,
                  "Compare: the data type is not one of half, float, int32_t (比较与选择/Compare)");
    static_assert(sim::kOneOf<U, int8_t, uint8_t>, "Compare: the result is not int8_t or uint8_t (比较与选择/Compare)");
    sim::Compare({"Compare", "比较与选择/Compare", site}, static_cast<uint32_t>(cmpMode), sim::kDtype<T>, &dst.Place(),
                 src0.Place(), &src1.Place(), 0, count, nullptr);
}

// On these SoCs the mask selects nothing: a repeat compares 256 bytes.
template <typename T, typename U, bool isSetMask = true>
void Compare(const LocalTensor<U>& dst, const LocalTensor<T>& src0, const LocalTensor<T>& src1, CMPMODE cmpMode,
             const sim::ConstMask& mask, const sim::RepeatTime repeatTime, const BinaryRepeatParams& repeatParams,
             sim::Site site = sim::Site::Here()) {
    static_assert(sim::kComparable<T>,
                  "Compare: the data type is not one of half, float, int32_t (比较与选择/Compare)");
    static_assert(sim::kOneOf<U, int8_t, uint8_t>, "Compare: the result is not int8_t or uint8_t (比较与选择/Compare)");
    const sim::Repeats repeats = sim::BinaryRepeats(sim::MaskArgument(isSetMask, mask), repeatTime, repeatParams);
    sim::Compare({"Compare", "比较与选择/Compare", site}, static_cast<uint32_t>(cmpMode), sim::kDtype<T>, &dst.Place(),
                 src0.Place(), &src1.Place(), 0, 0, &repeats);
}

// The first 256 bytes, into the register that GetCmpMask and Select read.
template <typename T, bool isSetMask = true>
void Compare(const LocalTensor<T>& src0, const LocalTensor<T>& src1, CMPMODE cmpMode, const sim::ConstMask& mask,
             const BinaryRepeatParams& repeatParams, sim::Site site = sim::Site::Here()) {
    static_assert(sim::kOneOf<T, half, float>,
                  "Compare: the data type is not one of half, float (比较与选择/Compare（结果存入寄存器）)");
    const sim::Repeats repeats = sim::BinaryRepeats(sim::MaskArgument(isSetMask, mask), 1, repeatParams);
    sim::Compare({"Compare", "比较与选择/Compare（结果存入寄存器）", site}, static_cast<uint32_t>(cmpMode),
                 sim::kDtype<T>, nullptr, src0.Place(), &src1.Place(), 0, 0, &repeats);
}

template <typename T>
void GetCmpMask(const LocalTensor<T>& dst, sim::Site site = sim::Site::Here()) {
    sim::ReadCmpMask({"GetCmpMask", "比较与选择/GetCmpMask(ISASI)", site}, dst.Place());
}

template <typename T>
void SetCmpMask(const LocalTensor<T>& src, sim::Site site = sim::Site::Here()) {
    sim::WriteCmpMask({"SetCmpMask", "比较与选择/SetCmpMask(ISASI)", site}, src.Place());
}

template <typename T, typename U>
void Compares(const LocalTensor<U>& dst, const LocalTensor<T>& src0, const T src1Scalar, CMPMODE cmpMode,
              uint32_t count, sim::Site site = sim::Site::Here()) {
    static_assert(sim::kComparable<T>,
                  "Compares: the data type is not one of half, float, int32_t (比较与选择/Compares)");
    static_assert(sim::kOneOf<U, uint8_t>, "Compares: the result is not uint8_t (比较与选择/Compares)");
    sim::Compare({"Compares", "比较与选择/Compares", site}, static_cast<uint32_t>(cmpMode), sim::kDtype<T>,
                 &dst.Place(), src0.Place(), nullptr, sim::ScalarBits(src1Scalar), count, nullptr);
}

template <typename T, typename U, bool isSetMask = true>
void Compares(const LocalTensor<U>& dst, const LocalTensor<T>& src0, const T src1Scalar, CMPMODE cmpMode,
              const sim::ConstMask& mask, const sim::RepeatTime repeatTime, const UnaryRepeatParams& repeatParams,
              sim::Site site = sim::Site::Here()) {
    static_assert(sim::kComparable<T>,
                  "Compares: the data type is not one of half, float, int32_t (比较与选择/Compares)");
    static_assert(sim::kOneOf<U, uint8_t>, "Compares: the result is not uint8_t (比较与选择/Compares)");
    const sim::Repeats repeats = sim::UnaryRepeats(sim::MaskArgument(isSetMask, mask), repeatTime, repeatParams);
    sim::Compare({"Compares", "比较与选择/Compares", site}, static_cast<uint32_t>(cmpMode), sim::kDtype<T>,
                 &dst.Place(), src0.Place(), nullptr, sim::ScalarBits(src1Scalar), 0, &repeats);
}

// The older name of Compares.
template <typename T, typename U>
void CompareScalar(const LocalTensor<U>& dst, const LocalTensor<T>& src0, const T src1Scalar, CMPMODE cmpMode,
                   uint32_t count, sim::Site site = sim::Site::Here()) {
    Compares(dst, src0, src1Scalar, cmpMode, count, site);
}

template <typename T, typename U, bool isSetMask = true>
void CompareScalar(const LocalTensor<U>& dst, const LocalTensor<T>& src0, const T src1Scalar, CMPMODE cmpMode,
                   const sim::ConstMask& mask, const sim::RepeatTime repeatTime, const UnaryRepeatParams& repeatParams,
                   sim::Site site = sim::Site::Here()) {
    Compares<T, U, isSetMask>(dst, src0, src1Scalar, cmpMode, mask, repeatTime, repeatParams, site);
}

// dst takes src0 where the bit of selMask is 1, else src1. A mask of int8_t, as Compare may write it, is one of bytes:
// only debug builds of the device's headers assert another type (asc-devkit 82b89a1,
// dav_c220/kernel_operator_vec_cmpsel_impl.h:164).
template <typename T, typename U>
void Select(const LocalTensor<T>& dst, const LocalTensor<U>& selMask, const LocalTensor<T>& src0,
            const LocalTensor<T>& src1, SELMODE selMode, uint32_t count, sim::Site site = sim::Site::Here()) {
    static_assert(sim::kOneOf<T, half, float>, "Select: the data type is not one of half, float (比较与选择/Select)");
    static_assert(sim::kOneOf<U, int8_t, uint8_t, uint16_t, uint32_t, uint64_t>,
                  "Select: selMask is not of an unsigned type (比较与选择/Select)");
    sim::Select({"Select", "比较与选择/Select", site}, static_cast<uint32_t>(selMode), sim::kDtype<T>, dst.Place(),
                &selMask.Place(), src0.Place(), &src1.Place(), nullptr, count, nullptr);
}

template <typename T, typename U>
void Select(const LocalTensor<T>& dst, const LocalTensor<U>& selMask, const LocalTensor<T>& src0, T src1,
            SELMODE selMode, uint32_t count, sim::Site site = sim::Site::Here()) {
    static_assert(sim::kOneOf<T, half, float>, "Select: the data type is not one of half, float (比较与选择/Select)");
    static_assert(sim::kOneOf<U, int8_t, uint8_t, uint16_t, uint32_t, uint64_t>,
                  "Select: selMask is not of an unsigned type (比较与选择/Select)");
    const uint64_t scalar = sim::ScalarBits(src1);
    sim::Select({"Select", "比较与选择/Select", site}, static_cast<uint32_t>(selMode), sim::kDtype<T>, dst.Place(),
                &selMask.Place(), src0.Place(), nullptr, &scalar, count, nullptr);
}

// By repeats: lanes outside of `mask` keep what dst had.
template <typename T, typename U, bool isSetMask = true>
void Select(const LocalTensor<T>& dst, const LocalTensor<U>& selMask, const LocalTensor<T>& src0,
            const LocalTensor<T>& src1, SELMODE selMode, const sim::Mask& mask, const sim::RepeatTime repeatTime,
            const BinaryRepeatParams& repeatParams, sim::Site site = sim::Site::Here()) {
    static_assert(sim::kOneOf<T, half, float>, "Select: the data type is not one of half, float (比较与选择/Select)");
    static_assert(sim::kOneOf<U, int8_t, uint8_t, uint16_t, uint32_t, uint64_t>,
                  "Select: selMask is not of an unsigned type (比较与选择/Select)");
    const sim::Repeats repeats = sim::BinaryRepeats(sim::MaskArgument(isSetMask, mask), repeatTime, repeatParams);
    sim::Select({"Select", "比较与选择/Select", site}, static_cast<uint32_t>(selMode), sim::kDtype<T>, dst.Place(),
                &selMask.Place(), src0.Place(), &src1.Place(), nullptr, 0, &repeats);
}

template <typename T, typename U, bool isSetMask = true>
void Select(const LocalTensor<T>& dst, const LocalTensor<U>& selMask, const LocalTensor<T>& src0, T src1,
            SELMODE selMode, const sim::Mask& mask, const sim::RepeatTime repeatTime,
            const BinaryRepeatParams& repeatParams, sim::Site site = sim::Site::Here()) {
    static_assert(sim::kOneOf<T, half, float>, "Select: the data type is not one of half, float (比较与选择/Select)");
    static_assert(sim::kOneOf<U, int8_t, uint8_t, uint16_t, uint32_t, uint64_t>,
                  "Select: selMask is not of an unsigned type (比较与选择/Select)");
    const sim::Repeats repeats = sim::BinaryRepeats(sim::MaskArgument(isSetMask, mask), repeatTime, repeatParams);
    const uint64_t scalar = sim::ScalarBits(src1);
    sim::Select({"Select", "比较与选择/Select", site}, static_cast<uint32_t>(selMode), sim::kDtype<T>, dst.Place(),
                &selMask.Place(), src0.Place(), nullptr, &scalar, 0, &repeats);
}

// The mask is SetVectorMask's, the choice SetCmpMask's: the bits themselves (mode 0) or the address of the bits (mode
// 2).
template <typename T, SELMODE selMode>
void Select(const LocalTensor<T>& dst, const LocalTensor<T>& src0, const LocalTensor<T>& src1,
            const sim::RepeatTime repeatTime, const BinaryRepeatParams& repeatParams,
            sim::Site site = sim::Site::Here()) {
    static_assert(sim::kOneOf<T, half, float>, "Select: the data type is not one of half, float (比较与选择/Select)");
    const sim::Repeats repeats =
        sim::BinaryRepeats(sim::MaskArgument(false, MASK_PLACEHOLDER), repeatTime, repeatParams);
    sim::Select({"Select", "比较与选择/Select", site}, static_cast<uint32_t>(selMode), sim::kDtype<T>, dst.Place(),
                nullptr, src0.Place(), &src1.Place(), nullptr, 0, &repeats);
}

// Mode 1: src1 is the scalar that SetCmpMask has taken from a tensor.
template <typename T, typename U>
void Select(const LocalTensor<T>& dst, const LocalTensor<U>& selMask, const LocalTensor<T>& src0,
            const sim::RepeatTime repeatTime, const BinaryRepeatParams& repeatParams,
            sim::Site site = sim::Site::Here()) {
    static_assert(sim::kOneOf<T, half, float>, "Select: the data type is not one of half, float (比较与选择/Select)");
    static_assert(sim::kOneOf<U, int8_t, uint8_t, uint16_t, uint32_t, uint64_t>,
                  "Select: selMask is not of an unsigned type (比较与选择/Select)");
    const sim::Repeats repeats =
        sim::BinaryRepeats(sim::MaskArgument(false, MASK_PLACEHOLDER), repeatTime, repeatParams);
    sim::Select({"Select", "比较与选择/Select", site}, static_cast<uint32_t>(SELMODE::VSEL_TENSOR_SCALAR_MODE),
                sim::kDtype<T>, dst.Place(), &selMask.Place(), src0.Place(), nullptr, nullptr, 0, &repeats);
}

}  // namespace AscendC

#endif
