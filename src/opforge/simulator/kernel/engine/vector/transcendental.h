// exp and ln of a float, computed in double so that the rounding to float is the only error that shows; written without
// branches so that a loop over them vectorises.
#ifndef OPFORGE_SIM_KERNEL_VECTOR_TRANSCENDENTAL_H
#define OPFORGE_SIM_KERNEL_VECTOR_TRANSCENDENTAL_H

#include <cstdint>

namespace sim {

inline float ExpOf(float value) {
    // clamped to where the float result is already 0 or infinite; a NaN passes both comparisons unchanged
    const double x0 = static_cast<double>(value);
    const double x1 = x0 > 90.0 ? 90.0 : x0;
    const double x = x1 < -110.0 ? -110.0 : x1;
    constexpr double kRound = 0x1.8p52;  // adding it rounds to an integer in the low bits
    const double shifted = x * 0x1.71547652b82fep0 + kRound;
    const double n = shifted - kRound;
    const double r = (x - n * 0x1.62e42fefa39efp-1) - n * 0x1.abc9e3b39803fp-56;
    // Taylor series on |r| <= ln(2)/2, relative error below 1e-12
    double p = 1.0 / 39916800.0;
    p = p * r + 1.0 / 3628800.0;
    p = p * r + 1.0 / 362880.0;
    p = p * r + 1.0 / 40320.0;
    p = p * r + 1.0 / 5040.0;
    p = p * r + 1.0 / 720.0;
    p = p * r + 1.0 / 120.0;
    p = p * r + 1.0 / 24.0;
    p = p * r + 1.0 / 6.0;
    p = p * r + 0.5;
    p = p * r + 1.0;
    p = p * r + 1.0;
    const uint64_t exponent = (__builtin_bit_cast(uint64_t, shifted) + 1023u) << 52;
    const double result = p * __builtin_bit_cast(double, exponent);
    return value != value ? value : static_cast<float>(result);
}

inline float LnOf(float value) {
    const double x = static_cast<double>(value);
    const uint64_t bits = __builtin_bit_cast(uint64_t, x);
    // x = m * 2^e with m in [sqrt(1/2), sqrt(2)); every float, subnormal or not, is normal in double
    const uint64_t shifted = bits - 0x3fe6a09e667f3bcdull;
    const double e = static_cast<double>(static_cast<int32_t>(static_cast<uint32_t>(shifted >> 32)) >> 20);
    const uint64_t mantissa = (shifted & 0x000fffffffffffffull) + 0x3fe6a09e667f3bcdull;
    const double m = __builtin_bit_cast(double, mantissa);
    const double s = (m - 1.0) / (m + 1.0);
    const double s2 = s * s;
    // ln(m) = 2 artanh(s), |s| <= 0.172
    double p = 1.0 / 17.0;
    p = p * s2 + 1.0 / 15.0;
    p = p * s2 + 1.0 / 13.0;
    p = p * s2 + 1.0 / 11.0;
    p = p * s2 + 1.0 / 9.0;
    p = p * s2 + 1.0 / 7.0;
    p = p * s2 + 1.0 / 5.0;
    p = p * s2 + 1.0 / 3.0;
    p = p * s2 + 1.0;
    const float result = static_cast<float>(e * 0x1.62e42fefa39efp-1 + 2.0 * s * p);
    const float infinity = __builtin_inff();
    const float special = value == 0.0f ? -infinity : (value > 0.0f ? value : __builtin_nanf(""));
    const bool ordinary = value > 0.0f && value < infinity;
    return ordinary ? result : (value != value ? value : special);
}

}  // namespace sim

#endif
