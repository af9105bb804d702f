// Tensors on the host: their values in double precision, and their bytes in the device's format.
#ifndef HOST_TENSOR_H
#define HOST_TENSOR_H

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>
#include "acl/acl.h"

using Shape = std::vector<int64_t>;

// The shape of a missing optional input.
const Shape kMissing = {-1};

inline std::string ToText(const Shape& shape) {
    if (shape == kMissing) {
        return "none";
    }
    std::string text = "[";
    for (size_t i = 0; i < shape.size(); i++) {
        text += (i == 0 ? "" : ", ") + std::to_string(shape[i]);
    }
    return text + "]";
}

inline const char* ToText(aclDataType type) {
    switch (type) {
        case ACL_FLOAT:
            return "float32";
        case ACL_FLOAT16:
            return "float16";
        case ACL_BF16:
            return "bfloat16";
        case ACL_BOOL:
            return "bool";
        case ACL_INT8:
            return "int8";
        case ACL_UINT8:
            return "uint8";
        case ACL_INT16:
            return "int16";
        case ACL_INT32:
            return "int32";
        case ACL_INT64:
            return "int64";
        default:
            return "another type";
    }
}

inline size_t BytesOf(aclDataType type) {
    switch (type) {
        case ACL_DOUBLE:
        case ACL_INT64:
        case ACL_UINT64:
            return 8;
        case ACL_FLOAT:
        case ACL_INT32:
        case ACL_UINT32:
            return 4;
        case ACL_FLOAT16:
        case ACL_BF16:
        case ACL_INT16:
        case ACL_UINT16:
            return 2;
        default:
            return 1;
    }
}

inline bool IsFloating(aclDataType type) {
    return type == ACL_FLOAT || type == ACL_FLOAT16 || type == ACL_BF16 || type == ACL_DOUBLE;
}

inline bool IsSigned(aclDataType type) {
    return type == ACL_INT8 || type == ACL_INT16 || type == ACL_INT32 || type == ACL_INT64;
}

// The bits of a number, truncated if the type has fewer. All numbers of the programs are exact in every type.
inline uint64_t ToBits(double number, aclDataType type) {
    if (type == ACL_DOUBLE) {
        uint64_t wide;
        std::memcpy(&wide, &number, sizeof(wide));
        return wide;
    }
    if (!IsFloating(type)) {
        return static_cast<uint64_t>(static_cast<int64_t>(number));
    }
    const float value = static_cast<float>(number);
    uint32_t bits;
    std::memcpy(&bits, &value, sizeof(bits));
    if (type == ACL_FLOAT) {
        return bits;
    }
    if (type == ACL_BF16) {
        return bits >> 16;
    }
    const uint32_t sign = bits >> 16 & 0x8000;
    return value == 0 ? sign : sign | ((bits >> 13 & 0x3ffff) - (112 << 10));
}

inline double FromBits(uint64_t bits, aclDataType type) {
    if (type == ACL_DOUBLE) {
        double number;
        std::memcpy(&number, &bits, sizeof(number));
        return number;
    }
    if (!IsFloating(type)) {
        const int above = 64 - 8 * static_cast<int>(BytesOf(type));  // bits beyond those of the type
        return IsSigned(type) ? static_cast<double>(static_cast<int64_t>(bits << above) >> above)
                              : static_cast<double>(bits);
    }
    if (type == ACL_FLOAT16) {
        const int exponent = static_cast<int>(bits >> 10 & 0x1f);
        const double mantissa = static_cast<double>(bits & 0x3ff) / 1024.0;
        double magnitude = exponent == 0 ? std::ldexp(mantissa, -14) : std::ldexp(1 + mantissa, exponent - 15);
        if (exponent == 0x1f) {
            magnitude = mantissa == 0 ? INFINITY : NAN;
        }
        return (bits & 0x8000) != 0 ? -magnitude : magnitude;
    }
    const uint32_t wide = static_cast<uint32_t>(type == ACL_BF16 ? bits << 16 : bits);
    float value;
    std::memcpy(&value, &wide, sizeof(value));
    return static_cast<double>(value);
}

struct HostTensor {
    Shape shape;
    aclDataType type;
    std::vector<double> values;

    HostTensor(const Shape& itsShape, aclDataType itsType) : shape(itsShape), type(itsType) {
        size_t count = Missing() ? 0 : 1;
        for (size_t i = 0; i < shape.size() && !Missing(); i++) {
            count *= static_cast<size_t>(shape[i]);
        }
        values.resize(count);
    }

    bool Missing() const { return shape == kMissing; }

    // The element that is broadcast to element `index` of a result of shape `result`.
    double At(size_t index, const Shape& result) const {
        size_t offset = 0;
        size_t step = 1;
        for (size_t fromEnd = 0; fromEnd < shape.size(); fromEnd++) {
            const size_t extent = static_cast<size_t>(shape[shape.size() - 1 - fromEnd]);
            const size_t of = static_cast<size_t>(result[result.size() - 1 - fromEnd]);
            offset += (extent == 1 ? 0 : index % of) * step;
            step *= extent;
            index /= of;
        }
        return Missing() ? 0 : values[offset];
    }

    // Multiples of 1/8 from -1 to 1 except 0, in mixed order. They are exact in every floating type, and so are sums of
    // their products in float32. Integers are 8 times these, without the sign for unsigned types. bool has both values.
    void Fill(uint32_t seed) {
        for (double& value : values) {
            seed = seed * 1664525 + 1013904223;
            const double eighths = 1 + (seed >> 24 & 7);
            const bool negative = (seed >> 31) != 0;
            if (IsFloating(type)) {
                value = negative ? eighths / -8 : eighths / 8;
            } else if (type == ACL_BOOL) {
                value = negative ? 1 : 0;
            } else {
                value = negative && IsSigned(type) ? -eighths : eighths;
            }
        }
    }

    std::vector<uint8_t> Bytes() const {
        std::vector<uint8_t> bytes(values.size() * BytesOf(type));
        for (size_t i = 0; i < values.size(); i++) {
            const uint64_t bits = ToBits(values[i], type);
            std::memcpy(&bytes[i * BytesOf(type)], &bits, BytesOf(type));  // little-endian, like all hosts of CANN
        }
        return bytes;
    }

    void SetBytes(const std::vector<uint8_t>& bytes) {
        for (size_t i = 0; i < values.size(); i++) {
            uint64_t bits = 0;
            std::memcpy(&bits, &bytes[i * BytesOf(type)], BytesOf(type));
            values[i] = FromBits(bits, type);
        }
    }
};

// The smaller and the larger of two numbers; NaN if one is NaN, as in torch.
inline double Min(double a, double b) { return a < b || std::isnan(a) ? a : b; }

inline double Max(double a, double b) { return a > b || std::isnan(a) ? a : b; }

// The sum of `count` products of elements from two matrices; each step is the distance between elements of one matrix.
inline double Dot(const HostTensor& left, size_t leftStart, size_t leftStep, const HostTensor& right, size_t rightStart,
                  size_t rightStep, size_t count) {
    double sum = 0;
    for (size_t i = 0; i < count; i++) {
        sum += left.values[leftStart + i * leftStep] * right.values[rightStart + i * rightStep];
    }
    return sum;
}

#endif  // HOST_TENSOR_H
