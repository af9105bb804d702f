#include "convert.h"

#include <cmath>
#include <cstring>
#include <limits>

namespace scalar {

namespace {

// A number as it was given: integers stay exact.
struct Number {
    enum class Kind { kSigned, kUnsigned, kReal } kind;
    int64_t integer;
    uint64_t natural;
    double real;

    double AsReal() const {
        switch (kind) {
            case Kind::kSigned:
                return static_cast<double>(integer);
            case Kind::kUnsigned:
                return static_cast<double>(natural);
            default:
                return real;
        }
    }
};

template <typename T>
T Read(const void* value) {
    T read;
    std::memcpy(&read, value, sizeof(read));
    return read;
}

double HalfToReal(uint16_t bits) {
    const int exponent = (bits >> 10) & 0x1F;
    const int fraction = bits & 0x3FF;
    const double sign = (bits & 0x8000) != 0 ? -1.0 : 1.0;
    if (exponent == 31) {
        return fraction == 0 ? sign * std::numeric_limits<double>::infinity()
                             : std::numeric_limits<double>::quiet_NaN();
    }
    return exponent == 0 ? sign * std::ldexp(fraction, -24) : sign * std::ldexp(fraction + 1024, exponent - 25);
}

uint16_t RealToHalf(double value) {
    const uint16_t sign = std::signbit(value) ? 0x8000 : 0;
    const double magnitude = std::fabs(value);
    if (std::isnan(value)) {
        return 0x7E00;
    }
    if (magnitude >= 65520.0) {  // half way above the largest finite value
        return sign | 0x7C00;
    }
    int exponent = 0;
    std::frexp(magnitude, &exponent);
    // Units of the last place: 2^-24 for subnormals.
    const int unit = magnitude < std::ldexp(1.0, -14) ? -24 : exponent - 11;
    const long steps = std::lrint(std::ldexp(magnitude, -unit));  // round to nearest even, the default mode
    if (unit == -24) {
        return static_cast<uint16_t>(sign | steps);  // 1024 steps are the smallest normal number
    }
    return static_cast<uint16_t>(sign | (((unit + 25) << 10) + (steps - 1024)));
}

uint16_t RealToBfloat(double value) {
    const float single = static_cast<float>(value);
    uint32_t bits = Read<uint32_t>(&single);
    if (std::isnan(single)) {
        return 0x7FC0;
    }
    bits += 0x7FFF + ((bits >> 16) & 1);
    return static_cast<uint16_t>(bits >> 16);
}

bool ReadNumber(const void* value, ge::DataType type, Number* number) {
    const auto integer = [number](int64_t read) { *number = Number{Number::Kind::kSigned, read, 0, 0}; };
    const auto natural = [number](uint64_t read) { *number = Number{Number::Kind::kUnsigned, 0, read, 0}; };
    const auto real = [number](double read) { *number = Number{Number::Kind::kReal, 0, 0, read}; };
    switch (type) {
        case ge::DT_BOOL:
            natural(Read<uint8_t>(value) != 0 ? 1 : 0);
            return true;
        case ge::DT_INT8:
            integer(Read<int8_t>(value));
            return true;
        case ge::DT_INT16:
            integer(Read<int16_t>(value));
            return true;
        case ge::DT_INT32:
            integer(Read<int32_t>(value));
            return true;
        case ge::DT_INT64:
            integer(Read<int64_t>(value));
            return true;
        case ge::DT_UINT8:
            natural(Read<uint8_t>(value));
            return true;
        case ge::DT_UINT16:
            natural(Read<uint16_t>(value));
            return true;
        case ge::DT_UINT32:
            natural(Read<uint32_t>(value));
            return true;
        case ge::DT_UINT64:
            natural(Read<uint64_t>(value));
            return true;
        case ge::DT_FLOAT:
            real(Read<float>(value));
            return true;
        case ge::DT_DOUBLE:
            real(Read<double>(value));
            return true;
        case ge::DT_FLOAT16:
            real(HalfToReal(Read<uint16_t>(value)));
            return true;
        case ge::DT_BF16: {
            const uint32_t bits = static_cast<uint32_t>(Read<uint16_t>(value)) << 16;
            real(Read<float>(&bits));
            return true;
        }
        default:
            return false;
    }
}

template <typename T>
void WriteInteger(const Number& number, void* result) {
    T value;
    if (number.kind == Number::Kind::kSigned) {
        value = static_cast<T>(number.integer);
    } else if (number.kind == Number::Kind::kUnsigned) {
        value = static_cast<T>(number.natural);
    } else if (std::isnan(number.real)) {
        value = 0;
    } else if (number.real >= std::ldexp(1.0, std::numeric_limits<T>::digits)) {
        value = std::numeric_limits<T>::max();
    } else if (number.real <= static_cast<double>(std::numeric_limits<T>::min())) {
        value = std::numeric_limits<T>::min();
    } else {
        value = static_cast<T>(number.real);
    }
    std::memcpy(result, &value, sizeof(value));
}

template <typename T>
void Write(T value, void* result) {
    std::memcpy(result, &value, sizeof(value));
}

}  // namespace

bool Convert(const void* value, ge::DataType from, ge::DataType to, void* result) {
    Number number;
    if (!ReadNumber(value, from, &number)) {
        return false;
    }
    switch (to) {
        case ge::DT_BOOL:
            Write<uint8_t>(number.AsReal() != 0.0 ? 1 : 0, result);
            return true;
        case ge::DT_INT8:
            WriteInteger<int8_t>(number, result);
            return true;
        case ge::DT_INT16:
            WriteInteger<int16_t>(number, result);
            return true;
        case ge::DT_INT32:
            WriteInteger<int32_t>(number, result);
            return true;
        case ge::DT_INT64:
            WriteInteger<int64_t>(number, result);
            return true;
        case ge::DT_UINT8:
            WriteInteger<uint8_t>(number, result);
            return true;
        case ge::DT_UINT16:
            WriteInteger<uint16_t>(number, result);
            return true;
        case ge::DT_UINT32:
            WriteInteger<uint32_t>(number, result);
            return true;
        case ge::DT_UINT64:
            WriteInteger<uint64_t>(number, result);
            return true;
        case ge::DT_FLOAT:
            Write<float>(static_cast<float>(number.AsReal()), result);
            return true;
        case ge::DT_DOUBLE:
            Write<double>(number.AsReal(), result);
            return true;
        case ge::DT_FLOAT16:
            Write<uint16_t>(RealToHalf(number.AsReal()), result);
            return true;
        case ge::DT_BF16:
            Write<uint16_t>(RealToBfloat(number.AsReal()), result);
            return true;
        default:
            return false;
    }
}

}  // namespace scalar
