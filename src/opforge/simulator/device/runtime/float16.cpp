// The two conversions of float16 that libascendcl has for programs without a type of their own.
#include <cmath>
#include <cstring>
#include <limits>

#include "exports.h"

SIM_EXPORT float aclFloat16ToFloat(aclFloat16 value) {
    const int exponent = value >> 10 & 0x1F;
    const float fraction = static_cast<float>(value & 0x3FF);
    float result = exponent == 0 ? std::ldexp(fraction, -24) : std::ldexp(fraction + 1024.0f, exponent - 25);
    if (exponent == 0x1F) {
        result = fraction == 0 ? std::numeric_limits<float>::infinity() : std::numeric_limits<float>::quiet_NaN();
    }
    return std::copysign(result, (value & 0x8000) != 0 ? -1.0f : 1.0f);
}

// To the nearest, of two as near to the even one.
SIM_EXPORT aclFloat16 aclFloatToFloat16(float value) {
    const auto sign = static_cast<aclFloat16>(std::signbit(value) ? 0x8000 : 0);
    if (std::isnan(value)) {
        return static_cast<aclFloat16>(sign | 0x7E00);
    }
    const float magnitude = std::fabs(value);
    if (magnitude >= 65520.0f) {  // halfway from the largest number to the next
        return static_cast<aclFloat16>(sign | 0x7C00);
    }
    int exponent = 0;
    std::frexp(magnitude, &exponent);  // magnitude is below 2^exponent
    const int unit = exponent < -13 ? -24 : exponent - 11;
    const auto count = static_cast<int>(std::nearbyint(std::ldexp(magnitude, -unit)));
    // Counts of 1024 and more carry into the exponent by themselves.
    return static_cast<aclFloat16>(sign | (((unit + 24) << 10) + count));
}
