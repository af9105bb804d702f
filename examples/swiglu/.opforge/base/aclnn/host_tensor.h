// Tensors on the host: their values in double precision, and their bytes as the device stores them.
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

// The shape of an optional input that is not given.
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
    return type == ACL_FLOAT ? "float32" : type == ACL_FLOAT16 ? "float16" : "bfloat16";
}

inline size_t BytesOf(aclDataType type) { return type == ACL_FLOAT ? 4 : 2; }

// The bits of a number, cut off where the type has fewer. What the programs pass is exact in every type.
inline uint32_t ToBits(float value, aclDataType type) {
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

inline double FromBits(uint32_t bits, aclDataType type) {
    if (type == ACL_FLOAT16) {
        const int exponent = static_cast<int>(bits >> 10 & 0x1f);
        const double mantissa = (bits & 0x3ff) / 1024.0;
        double magnitude = exponent == 0 ? std::ldexp(mantissa, -14) : std::ldexp(1 + mantissa, exponent - 15);
        if (exponent == 0x1f) {
            magnitude = mantissa == 0 ? INFINITY : NAN;
        }
        return (bits & 0x8000) != 0 ? -magnitude : magnitude;
    }
    const uint32_t wide = type == ACL_BF16 ? bits << 16 : bits;
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

    // Its element for element `index` of a result that it is broadcast to along leading dimensions.
    double At(size_t index) const { return values.empty() ? 0 : values[index % values.size()]; }

    // Eighths from -1 to 1 but 0, in no order: exact in every type, and so are sums of their products in float32.
    void Fill(uint32_t seed) {
        for (double& value : values) {
            seed = seed * 1664525 + 1013904223;
            value = (1 + (seed >> 24 & 7)) / ((seed >> 31) != 0 ? -8.0 : 8.0);
        }
    }

    std::vector<uint8_t> Bytes() const {
        std::vector<uint8_t> bytes(values.size() * BytesOf(type));
        for (size_t i = 0; i < values.size(); i++) {
            const uint32_t bits = ToBits(static_cast<float>(values[i]), type);
            std::memcpy(&bytes[i * BytesOf(type)], &bits, BytesOf(type));  // little-endian, as every host of CANN
        }
        return bytes;
    }

    void SetBytes(const std::vector<uint8_t>& bytes) {
        for (size_t i = 0; i < values.size(); i++) {
            uint32_t bits = 0;
            std::memcpy(&bits, &bytes[i * BytesOf(type)], BytesOf(type));
            values[i] = FromBits(bits, type);
        }
    }
};

// The smaller and the larger of two numbers; not a number where one is none, as in torch.
inline double Min(double a, double b) { return a < b || std::isnan(a) ? a : b; }

inline double Max(double a, double b) { return a > b || std::isnan(a) ? a : b; }

// The sum of `count` products: of elements that lie a step apart in one matrix, with such elements of another.
inline double Dot(const HostTensor& left, size_t leftStart, size_t leftStep, const HostTensor& right, size_t rightStart,
                  size_t rightStep, size_t count) {
    double sum = 0;
    for (size_t i = 0; i < count; i++) {
        sum += left.values[leftStart + i * leftStep] * right.values[rightStart + i * rightStep];
    }
    return sum;
}

#endif  // HOST_TENSOR_H
