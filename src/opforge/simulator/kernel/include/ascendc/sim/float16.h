// half and bfloat16_t as the scalar unit sees them: storage types that compute in float and round to nearest even.
// Documentation: SIMD-API/基础API/数据结构/内置数据类型
#include "private.h"
#ifndef ASCENDC_SIM_FLOAT16_H
#define ASCENDC_SIM_FLOAT16_H

#include <stdint.h>
#include <type_traits>

namespace sim {

// Shifts right by `shift` and rounds to nearest, ties to even.
constexpr uint32_t ShiftRoundEven(uint32_t value, uint32_t shift) {
    const uint32_t kept = value >> shift;
    const uint32_t rest = value & ((1u << shift) - 1u);
    const uint32_t tie = 1u << (shift - 1u);
    return kept + ((rest > tie || (rest == tie && (kept & 1u) != 0u)) ? 1u : 0u);
}

constexpr uint16_t HalfBits(float value) {
    const uint32_t bits = __builtin_bit_cast(uint32_t, value);
    const uint32_t sign = (bits >> 16) & 0x8000u;
    const uint32_t magnitude = bits & 0x7fffffffu;
    if (magnitude > 0x7f800000u) {
        return static_cast<uint16_t>(sign | 0x7e00u | ((magnitude >> 13) & 0x3ffu));
    }
    if (magnitude >= 0x477ff000u) {  // 65520 and above round to infinity
        return static_cast<uint16_t>(sign | 0x7c00u);
    }
    if (magnitude < 0x33000000u) {  // below half of the smallest subnormal
        return static_cast<uint16_t>(sign);
    }
    if (magnitude < 0x38800000u) {  // subnormal in half
        const uint32_t exponent = magnitude >> 23;
        const uint32_t mantissa = (magnitude & 0x7fffffu) | 0x800000u;
        return static_cast<uint16_t>(sign | ShiftRoundEven(mantissa, 126u - exponent));
    }
    return static_cast<uint16_t>(sign | ShiftRoundEven(magnitude - 0x38000000u, 13u));
}

constexpr float HalfValue(uint16_t half) {
    const uint32_t sign = static_cast<uint32_t>(half & 0x8000u) << 16;
    const uint32_t magnitude = half & 0x7fffu;
    if (magnitude >= 0x7c00u) {
        const uint32_t quiet = magnitude > 0x7c00u ? 0x400000u : 0u;
        return __builtin_bit_cast(float, sign | 0x7f800000u | quiet | ((magnitude & 0x3ffu) << 13));
    }
    if (magnitude >= 0x400u) {
        return __builtin_bit_cast(float, sign | ((magnitude << 13) + 0x38000000u));
    }
    const float tiny = static_cast<float>(magnitude) * 0x1p-24f;
    return sign != 0u ? -tiny : tiny;
}

constexpr uint16_t BfloatBits(float value) {
    const uint32_t bits = __builtin_bit_cast(uint32_t, value);
    if ((bits & 0x7fffffffu) > 0x7f800000u) {
        return static_cast<uint16_t>((bits >> 16) | 0x40u);
    }
    return static_cast<uint16_t>(ShiftRoundEven(bits, 16u));
}

constexpr float BfloatValue(uint16_t bits) { return __builtin_bit_cast(float, static_cast<uint32_t>(bits) << 16); }

struct FromBits {};

}  // namespace sim

struct half {
    uint16_t bits;

    half() = default;
    constexpr half(sim::FromBits, uint16_t raw) : bits(raw) {}
    template <typename T, std::enable_if_t<std::is_arithmetic<T>::value, int> = 0>
    constexpr half(T value) : bits(sim::HalfBits(static_cast<float>(value))) {}
    constexpr operator float() const { return sim::HalfValue(bits); }
    half& operator+=(half other) { return *this = half(float(*this) + float(other)); }
    half& operator-=(half other) { return *this = half(float(*this) - float(other)); }
    half& operator*=(half other) { return *this = half(float(*this) * float(other)); }
    half& operator/=(half other) { return *this = half(float(*this) / float(other)); }
};

// Casts only: the scalar unit of Ascend910B has no bfloat16 arithmetic; ToFloat and ToBfloat16 convert. A value becomes
// a float where one is expected, as CANN's compiler has it.
struct bfloat16_t {
    uint16_t bits;

    bfloat16_t() = default;
    constexpr bfloat16_t(sim::FromBits, uint16_t raw) : bits(raw) {}
    template <typename T, std::enable_if_t<std::is_arithmetic<T>::value, int> = 0>
    constexpr bfloat16_t(T value) : bits(sim::BfloatBits(static_cast<float>(value))) {}
    constexpr operator float() const { return sim::BfloatValue(bits); }

    friend bfloat16_t operator+(bfloat16_t, bfloat16_t) = delete;
    friend bfloat16_t operator-(bfloat16_t, bfloat16_t) = delete;
    friend bfloat16_t operator*(bfloat16_t, bfloat16_t) = delete;
    friend bfloat16_t operator/(bfloat16_t, bfloat16_t) = delete;
};

namespace AscendC {

// Documentation: SIMD-API/基础API/标量计算/标量计算, ToBfloat16 and ToFloat.
inline constexpr float ToFloat(const bfloat16_t& value) { return sim::BfloatValue(value.bits); }
inline constexpr bfloat16_t ToBfloat16(const float& value) {
    return bfloat16_t(sim::FromBits{}, sim::BfloatBits(value));
}

}  // namespace AscendC

#endif
