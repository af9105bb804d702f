// op::bfloat16: the 16 bits of a float's first half, for programs on the host, rounded to nearest, ties to even.
// Public: opbase include/nnopbase/opdev/bfloat16.h
#ifndef OPFORGE_OPDEV_BFLOAT16_H
#define OPFORGE_OPDEV_BFLOAT16_H

#include <cstring>

#include "opdev/fp16_t.h"

namespace op {

struct bfloat16 {
    struct from_bits_t {};
    static constexpr from_bits_t from_bits() { return {}; }

    uint16_t value;
    static constexpr uint16_t NAN_VALUE = 0x7fc0;

    bfloat16() : value(0) {}
    constexpr bfloat16(uint16_t bits, from_bits_t) : value(bits) {}
    bfloat16(float number) : value(Rounded(number)) {}
    template <class T>
    bfloat16(const T& number) : value(Rounded(static_cast<float>(number))) {}
    template <typename T>
    bfloat16& operator=(T number) {
        value = Rounded(static_cast<float>(number));
        return *this;
    }

    operator float() const {
        const uint32_t bits = static_cast<uint32_t>(value) << 16;
        float number = 0;
        std::memcpy(&number, &bits, sizeof(number));
        return number;
    }
    operator double() const { return float(*this); }
    operator bool() const { return (value & 0x7fff) != 0; }
    operator char() const { return static_cast<char>(float(*this)); }
    operator signed char() const { return static_cast<signed char>(float(*this)); }
    operator unsigned char() const { return static_cast<unsigned char>(float(*this)); }
    operator short() const { return static_cast<short>(float(*this)); }
    operator unsigned short() const { return static_cast<unsigned short>(float(*this)); }
    operator int() const { return static_cast<int>(float(*this)); }
    operator unsigned int() const { return static_cast<unsigned int>(float(*this)); }
    operator long() const { return static_cast<long>(float(*this)); }
    operator unsigned long() const { return static_cast<unsigned long>(float(*this)); }
    operator long long() const { return static_cast<long long>(float(*this)); }
    operator unsigned long long() const { return static_cast<unsigned long long>(float(*this)); }

    static bfloat16 round_to_bfloat16(float number) { return bfloat16(number); }
    static constexpr bfloat16 epsilon() { return bfloat16(0x3c00, from_bits()); }
    static constexpr bfloat16 highest() { return bfloat16(0x7f7f, from_bits()); }
    static constexpr bfloat16 lowest() { return bfloat16(0xff7f, from_bits()); }
    static constexpr bfloat16 min_positive_normal() { return bfloat16(0x0080, from_bits()); }
    bool IsZero() const { return (value & 0x7fff) == 0; }

private:
    static uint16_t Rounded(float number) {
        if (std::isnan(number)) {
            return NAN_VALUE;
        }
        uint32_t bits = 0;
        std::memcpy(&bits, &number, sizeof(bits));
        return static_cast<uint16_t>((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
    }
};

inline std::ostream& operator<<(std::ostream& stream, const bfloat16& number) { return stream << float(number); }
inline bfloat16 operator+(bfloat16 a, bfloat16 b) { return float(a) + float(b); }
inline bfloat16 operator-(bfloat16 a, bfloat16 b) { return float(a) - float(b); }
inline bfloat16 operator*(bfloat16 a, bfloat16 b) { return float(a) * float(b); }
inline bfloat16 operator/(bfloat16 a, bfloat16 b) { return float(a) / float(b); }
inline bfloat16 operator-(bfloat16 a) { return bfloat16(a.value ^ 0x8000, bfloat16::from_bits()); }
inline bool operator==(bfloat16 a, bfloat16 b) { return a.value == b.value; }
inline bool operator!=(bfloat16 a, bfloat16 b) { return a.value != b.value; }
inline bool operator<(bfloat16 a, bfloat16 b) { return float(a) < float(b); }
inline bool operator<=(bfloat16 a, bfloat16 b) { return float(a) <= float(b); }
inline bool operator>(bfloat16 a, bfloat16 b) { return float(a) > float(b); }
inline bool operator>=(bfloat16 a, bfloat16 b) { return float(a) >= float(b); }
inline bfloat16& operator+=(bfloat16& a, bfloat16 b) { return a = a + b; }
inline bfloat16& operator-=(bfloat16& a, bfloat16 b) { return a = a - b; }
inline bfloat16& operator*=(bfloat16& a, bfloat16 b) { return a = a * b; }
inline bfloat16& operator/=(bfloat16& a, bfloat16 b) { return a = a / b; }

inline tagFp16::tagFp16(const bfloat16& number) : val(Rounded(static_cast<double>(float(number)))) {}
inline tagFp16::operator bfloat16() const { return bfloat16(toFloat()); }

}  // namespace op

#endif
