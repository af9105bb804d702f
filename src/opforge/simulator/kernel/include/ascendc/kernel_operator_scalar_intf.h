// Functions of the scalar unit.
// Documentation: SIMD-API/基础API/标量计算
#ifndef ASCENDC_KERNEL_OPERATOR_SCALAR_INTF_H
#define ASCENDC_KERNEL_OPERATOR_SCALAR_INTF_H

#ifndef ASCENDC_SIM_PUBLIC_HEADER
#define ASCENDC_SIM_PUBLIC_HEADER
#endif
#include "kernel_tensor.h"
#include "kernel_operator_block_sync_intf.h"

namespace sim {

// To the neighbour whose last bit is 1, unless the value is exact.
inline half HalfOdd(float value) {
    uint16_t bits = HalfBits(value);
    if (value != value || HalfValue(bits) == value) {
        return half(FromBits{}, bits);
    }
    if ((value < 0 ? -HalfValue(bits) : HalfValue(bits)) > (value < 0 ? -value : value)) {
        --bits;
    }
    return half(FromBits{}, static_cast<uint16_t>(bits | 1));
}

// Beyond int32_t's range it ends there, and NaN is 0. Written out: a kernel is linked without the mathematical library.
template <AscendC::RoundMode roundMode>
int32_t Int32Of(float value) {
    using AscendC::RoundMode;
    if (value != value) {
        return 0;
    }
    if (value >= 2147483648.0f) {
        return 2147483647;
    }
    if (value < -2147483648.0f) {
        return -2147483647 - 1;
    }
    const int32_t whole = static_cast<int32_t>(value);
    const float rest = value - static_cast<float>(whole);  // exact, and 0 where floats are whole numbers
    const int32_t away = rest < 0 ? -1 : 1;
    const float size = rest < 0 ? -rest : rest;
    const bool odd = whole % 2 != 0;
    const bool step = roundMode == RoundMode::CAST_CEIL    ? rest > 0
                      : roundMode == RoundMode::CAST_FLOOR ? rest < 0
                      : roundMode == RoundMode::CAST_ROUND ? size >= 0.5f
                                                           : size > 0.5f || (size == 0.5f && odd);
    return step ? whole + away : whole;
}

template <typename T>
inline constexpr bool kInteger = kOneOf<T, int8_t, uint8_t, int16_t, uint16_t, int32_t, uint32_t, int64_t, uint64_t>;

}  // namespace sim

// The device compiler's own, in no namespace. The empty pack lets a source's functions of these names be preferred.
// Documentation: 标量计算/标量计算
template <typename T, typename... None>
constexpr std::enable_if_t<std::is_arithmetic<T>::value && sizeof...(None) == 0, T> min(T a, T b, None...) {
    return b < a ? b : a;
}
template <typename T, typename... None>
constexpr std::enable_if_t<std::is_arithmetic<T>::value && sizeof...(None) == 0, T> max(T a, T b, None...) {
    return a < b ? b : a;
}

namespace AscendC {

// Documentation: 标量计算/GetBitCount
template <int countValue>
int64_t GetBitCount(uint64_t valueIn) {
    static_assert(countValue == 0 || countValue == 1, "GetBitCount: countValue is 0 or 1 (标量计算/GetBitCount)");
    const int64_t ones = __builtin_popcountll(valueIn);
    return countValue == 1 ? ones : 64 - ones;
}
// The older name.
template <int countValue>
int64_t ScalarGetCountOfValue(uint64_t valueIn) {
    return GetBitCount<countValue>(valueIn);
}

// Documentation: 标量计算/CountLeadingZero
inline int64_t CountLeadingZero(uint64_t valueIn) { return valueIn == 0 ? 64 : __builtin_clzll(valueIn); }
// The older name.
inline int64_t ScalarCountLeadingZero(uint64_t valueIn) { return CountLeadingZero(valueIn); }

// Bits behind the sign that are like it; -1 of 0 and of -1. Documentation: 标量计算/CountBitsCntSameAsSignBit
inline int64_t CountBitsCntSameAsSignBit(int64_t valueIn) {
    return valueIn == 0 || valueIn == -1 ? -1 : __builtin_clrsbll(valueIn);
}

// The place of the first such bit from the lowest, or -1. Documentation: 标量计算/GetSFFValue
template <int countValue>
int64_t GetSFFValue(uint64_t valueIn) {
    static_assert(countValue == 0 || countValue == 1, "GetSFFValue: countValue is 0 or 1 (标量计算/GetSFFValue)");
    return __builtin_ffsll(static_cast<int64_t>(countValue == 1 ? valueIn : ~valueIn)) - 1;
}
// The older name.
template <int countValue>
int64_t ScalarGetSFFValue(uint64_t valueIn) {
    return GetSFFValue<countValue>(valueIn);
}

// x / divisor is (high half of x * magic, plus x) >> shift, with `bits` those of T. The device's headers have no page
// for it. Documentation: guide/编程指南/编程模型/AI-Core-SIMD编程/基于Tensor的CPP编程/CPPTensor编程概述
template <typename T>
void GetUintDivMagicAndShift(T& magic, T& shift, T divisor) {
    static_assert(sim::kOneOf<T, uint32_t, uint64_t>,
                  "GetUintDivMagicAndShift: the data type is not one of uint32_t, uint64_t");
    constexpr int bits = 8 * sizeof(T);
    const bool power = (divisor & (divisor - 1)) == 0;
    shift = static_cast<T>(64 - CountLeadingZero(divisor) - (power ? 1 : 0));
    const unsigned __int128 rest = (static_cast<unsigned __int128>(1) << shift) - divisor;
    magic = static_cast<T>((rest << bits) / divisor + 1);
}

// Documentation: 标量计算/Cast（float转half-int32_t）
template <typename T, typename U, RoundMode roundMode>
U Cast(T valueIn) {
    static_assert((std::is_same<T, float>::value && std::is_same<U, half>::value && roundMode == RoundMode::CAST_ODD) ||
                      (std::is_same<T, float>::value && std::is_same<U, int32_t>::value &&
                       (roundMode == RoundMode::CAST_ROUND || roundMode == RoundMode::CAST_CEIL ||
                        roundMode == RoundMode::CAST_FLOOR || roundMode == RoundMode::CAST_RINT)),
                  "Cast: float to half takes CAST_ODD, float to int32_t CAST_ROUND, CAST_CEIL, CAST_FLOOR or CAST_RINT "
                  "(标量计算/Cast（float转half-int32_t）)");
    if constexpr (std::is_same<U, half>::value) {
        return sim::HalfOdd(valueIn);
    } else {
        return sim::Int32Of<roundMode>(valueIn);
    }
}
// The older name.
template <typename T, typename U, RoundMode roundMode>
U ScalarCast(T valueIn) {
    return Cast<T, U, roundMode>(valueIn);
}
// Documentation: 标量计算/Cast（float转bfloat16_t）, Cast（多类型转float）
inline bfloat16_t Cast(const float& fVal) { return ToBfloat16(fVal); }
inline float Cast(const bfloat16_t& bVal) { return ToFloat(bVal); }

// Documentation: 标量计算/CeilDivision; 0 by a divisor of 0.
inline int32_t CeilDivision(int32_t num1, int32_t num2) {
    return num2 == 0 ? 0 : static_cast<int32_t>((int64_t{num1} + num2 - 1) / num2);
}
// What kernels call beside it, of the device's headers and without pages of their own.
inline constexpr uint32_t DivCeil(uint32_t a, uint32_t b) { return (a + b - 1) / b; }
inline constexpr uint32_t AlignUp(uint32_t a, uint32_t b) { return DivCeil(a, b) * b; }
inline uint32_t Ceil(uint32_t a, uint32_t b) { return DivCeil(a, b); }
template <typename T>
T Ceil(const T num1, const T num2) {
    return (num1 + num2 - 1) / num2;
}

// Documentation: 标量计算/Nop; all pipes wait.
template <int count = 1>
void Nop(sim::Site site = sim::Site::Here()) {
    static_assert(count >= 0, "Nop: a number of cycles (标量计算/Nop)");
    sim::Barrier(sim::Pipe::kCount, true, site);
}

// Global memory past the data cache. Documentation: 标量计算/ReadGmByPassDCache(ISASI), WriteGmByPassDCache(ISASI)
template <typename T>
T ReadGmByPassDCache(__gm__ T* addr, sim::Site site = sim::Site::Here()) {
    static_assert(sim::kInteger<T>,
                  "ReadGmByPassDCache: the data type is not an integer (标量计算/ReadGmByPassDCache(ISASI))");
    const uint64_t bits = sim::ReadGmPast(reinterpret_cast<uint64_t>(addr), sizeof(T), site);
    T value;
    __builtin_memcpy(&value, &bits, sizeof(T));
    return value;
}
template <typename T>
void WriteGmByPassDCache(__gm__ T* addr, T value, sim::Site site = sim::Site::Here()) {
    static_assert(sim::kInteger<T>,
                  "WriteGmByPassDCache: the data type is not an integer (标量计算/WriteGmByPassDCache(ISASI))");
    sim::WriteGmPast(reinterpret_cast<uint64_t>(addr), sizeof(T), sim::ScalarBits(value), site);
}

}  // namespace AscendC

#endif
