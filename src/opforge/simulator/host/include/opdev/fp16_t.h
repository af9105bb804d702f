// op::fp16_t: half precision for programs on the host. It rounds to nearest, ties to even. Its arithmetic knows neither
// infinity nor NaN: there an exponent of 31 is one like others, and a division by 0 gives 65504. Programs fill their
// inputs so: rand() / RAND_MAX is 1.
// Public: opbase include/nnopbase/opdev/fp16_t.h, src/nnopbase/common/utils/fp16_t.cpp
#ifndef OPFORGE_OPDEV_FP16_T_H
#define OPFORGE_OPDEV_FP16_T_H

#include <cmath>
#include <cstdint>
#include <limits>
#include <ostream>
#include <type_traits>

namespace op {

struct bfloat16;

typedef struct tagFp16 {
    uint16_t val;

    tagFp16() : val(0) {}
    // From a number; from uint16_t as its bits.
    template <typename T>
    tagFp16(const T& value) : val(Rounded(static_cast<double>(value))) {}
    tagFp16(const bfloat16& value);
    constexpr tagFp16(const uint16_t& bits) : val(bits) {}
    tagFp16(const tagFp16& other) = default;
    tagFp16& operator=(const tagFp16& other) = default;
    template <typename T, typename = std::enable_if_t<std::is_arithmetic<T>::value>>
    tagFp16& operator=(const T& value) {
        val = Rounded(static_cast<double>(value));
        return *this;
    }

    float toFloat() const {
        const int exponent = val >> 10 & 0x1f, fraction = val & 0x3ff;
        float magnitude = 0;
        if (exponent == 0x1f) {
            magnitude =
                fraction != 0 ? std::numeric_limits<float>::quiet_NaN() : std::numeric_limits<float>::infinity();
        } else {
            magnitude = std::ldexp(static_cast<float>(exponent == 0 ? fraction : fraction + 0x400),
                                   exponent == 0 ? -24 : exponent - 25);
        }
        return val >> 15 != 0 ? -magnitude : magnitude;
    }
    double toDouble() const { return toFloat(); }
    int IsInf() { return (val & 0x7fff) != 0x7c00 ? 0 : val >> 15 != 0 ? -1 : 1; }

    operator float() const { return toFloat(); }
    operator bfloat16() const;
    operator double() const { return toFloat(); }
    operator int8_t() const { return static_cast<int8_t>(toFloat()); }
    operator uint8_t() const { return static_cast<uint8_t>(toFloat()); }
    operator int16_t() const { return static_cast<int16_t>(toFloat()); }
    operator uint16_t() const { return static_cast<uint16_t>(toFloat()); }
    operator int32_t() const { return static_cast<int32_t>(toFloat()); }
    operator uint32_t() const { return static_cast<uint32_t>(toFloat()); }
    operator int64_t() const { return static_cast<int64_t>(toFloat()); }
    operator uint64_t() const { return static_cast<uint64_t>(toFloat()); }
    operator bool() const { return (val & 0x7fff) != 0; }

    tagFp16 operator+(const tagFp16 other) { return OfNumber(Number() + other.Number()); }
    tagFp16 operator-(const tagFp16 other) { return OfNumber(Number() - other.Number()); }
    tagFp16 operator*(const tagFp16 other) { return OfNumber(Number() * other.Number()); }
    tagFp16 operator/(const tagFp16 other) {
        if (other.Number() == 0) {
            return tagFp16(static_cast<uint16_t>(((val ^ other.val) & 0x8000) | 0x7bff));
        }
        return Number() == 0 ? tagFp16() : tagFp16(static_cast<float>(Number() / other.Number()));
    }
    tagFp16 operator+=(const tagFp16 other) { return *this = *this + other; }
    tagFp16 operator-=(const tagFp16 other) { return *this = *this - other; }
    tagFp16 operator*=(const tagFp16 other) { return *this = *this * other; }
    tagFp16 operator/=(const tagFp16 other) { return *this = *this / other; }
    bool operator==(const tagFp16& other) const { return toFloat() == other.toFloat(); }
    bool operator!=(const tagFp16& other) const { return toFloat() != other.toFloat(); }
    bool operator>(const tagFp16& other) const { return toFloat() > other.toFloat(); }
    bool operator>=(const tagFp16& other) const { return toFloat() >= other.toFloat(); }
    bool operator<(const tagFp16& other) const { return toFloat() < other.toFloat(); }
    bool operator<=(const tagFp16& other) const { return toFloat() <= other.toFloat(); }

private:
    double Number() const {
        const int exponent = val >> 10 & 0x1f, fraction = val & 0x3ff;
        const double magnitude =
            std::ldexp(exponent == 0 ? fraction : fraction + 0x400, exponent == 0 ? -24 : exponent - 25);
        return val >> 15 != 0 ? -magnitude : magnitude;
    }
    static tagFp16 OfNumber(double value) {
        if (std::fabs(value) < 65520) {
            return tagFp16(value);
        }
        const double fraction = std::nearbyint(std::ldexp(std::fabs(value), 10 - std::ilogb(value)));
        const auto bits = static_cast<uint16_t>(static_cast<uint16_t>(fraction) & 0x3ff);
        return tagFp16(static_cast<uint16_t>((std::signbit(value) ? 0xfc00 : 0x7c00) | bits));
    }
    static uint16_t Rounded(double value) {
        const uint16_t sign = std::signbit(value) ? 0x8000 : 0;
        const double magnitude = std::fabs(value);
        if (std::isnan(value)) {
            return sign | 0x7e00;
        }
        if (magnitude >= 65520) {  // half of the last place above 65504
            return sign | 0x7c00;
        }
        const int exponent = magnitude < 0x1p-14 ? -14 : std::ilogb(magnitude);
        const auto fraction = static_cast<uint16_t>(std::nearbyint(std::ldexp(magnitude, 10 - exponent)));
        return sign | static_cast<uint16_t>(fraction + ((exponent + 14) << 10));
    }
} fp16_t;

inline std::ostream& operator<<(std::ostream& stream, const fp16_t& value) { return stream << value.toFloat(); }

}  // namespace op

#include "opdev/bfloat16.h"

#endif
