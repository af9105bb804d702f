// A tensor in device memory with its aclTensor, for the programs in this folder.
#ifndef DEVICE_TENSOR_H
#define DEVICE_TENSOR_H

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>
#include "acl/acl.h"
#include "aclnn/acl_meta.h"

// Ends the program with the runtime's own words when a call fails.
inline void Check(int status, const char* call) {
    if (status != 0) {
        const char* reason = aclGetRecentErrMsg();
        std::fprintf(stderr, "%s failed with %d: %s\n", call, status, reason == nullptr ? "" : reason);
        std::exit(1);
    }
}

// The bits of a float in a 16-bit type; exact for the numbers that these programs use.
inline uint16_t ToBits(float value, aclDataType type) {
    uint32_t bits;
    std::memcpy(&bits, &value, sizeof(bits));
    if (type == ACL_BF16) {
        return static_cast<uint16_t>(bits >> 16);
    }
    const uint32_t sign = bits >> 16 & 0x8000;
    return static_cast<uint16_t>(value == 0 ? sign : sign | ((bits >> 13 & 0x3ffff) - (112 << 10)));
}

inline float FromBits(uint16_t bits, aclDataType type) {
    if (type == ACL_BF16) {
        const uint32_t wide = static_cast<uint32_t>(bits) << 16;
        float value;
        std::memcpy(&value, &wide, sizeof(value));
        return value;
    }
    const int exponent = bits >> 10 & 0x1f;
    const float mantissa = static_cast<float>(bits & 0x3ff) / 1024;
    float magnitude = exponent == 0 ? std::ldexp(mantissa, -14) : std::ldexp(1 + mantissa, exponent - 15);
    if (exponent == 0x1f) {
        magnitude = mantissa == 0 ? INFINITY : NAN;
    }
    return (bits & 0x8000) != 0 ? -magnitude : magnitude;
}

class DeviceTensor {
public:
    DeviceTensor(const std::vector<int64_t>& shape, aclDataType type) : type_(type), count_(1) {
        std::vector<int64_t> strides(shape.size(), 1);
        for (size_t i = shape.size(); i-- > 0;) {
            strides[i] = static_cast<int64_t>(count_);
            count_ *= static_cast<size_t>(shape[i]);
        }
        Check(aclrtMalloc(&memory_, Bytes(), ACL_MEM_MALLOC_HUGE_FIRST), "aclrtMalloc");
        tensor_ = aclCreateTensor(shape.data(), shape.size(), type, strides.data(), 0, ACL_FORMAT_ND, shape.data(),
                                  shape.size(), memory_);
        Check(tensor_ == nullptr ? 1 : 0, "aclCreateTensor");
    }

    ~DeviceTensor() {
        aclDestroyTensor(tensor_);
        aclrtFree(memory_);
    }

    DeviceTensor(const DeviceTensor&) = delete;
    DeviceTensor& operator=(const DeviceTensor&) = delete;

    // Fills it with start, start + step, start + 2 step and so on.
    void Fill(float start, float step) {
        std::vector<uint8_t> bytes(Bytes());
        for (size_t i = 0; i < count_; i++) {
            const float value = start + step * static_cast<float>(i);
            if (type_ == ACL_FLOAT) {
                std::memcpy(bytes.data() + i * sizeof(value), &value, sizeof(value));
            } else {
                const uint16_t bits = ToBits(value, type_);
                std::memcpy(bytes.data() + i * sizeof(bits), &bits, sizeof(bits));
            }
        }
        Check(aclrtMemcpy(memory_, bytes.size(), bytes.data(), bytes.size(), ACL_MEMCPY_HOST_TO_DEVICE), "aclrtMemcpy");
    }

    void Print(const char* name) const {
        std::vector<uint8_t> bytes(Bytes());
        Check(aclrtMemcpy(bytes.data(), bytes.size(), memory_, bytes.size(), ACL_MEMCPY_DEVICE_TO_HOST), "aclrtMemcpy");
        std::printf("%s =", name);
        for (size_t i = 0; i < count_; i++) {
            float value;
            uint16_t bits;
            if (type_ == ACL_FLOAT) {
                std::memcpy(&value, bytes.data() + i * sizeof(value), sizeof(value));
            } else {
                std::memcpy(&bits, bytes.data() + i * sizeof(bits), sizeof(bits));
                value = FromBits(bits, type_);
            }
            std::printf(" %g", static_cast<double>(value));
        }
        std::printf("\n");
    }

    aclTensor* Get() const { return tensor_; }

private:
    size_t Bytes() const { return count_ * (type_ == ACL_FLOAT ? sizeof(float) : sizeof(uint16_t)); }

    aclDataType type_;
    size_t count_;
    void* memory_ = nullptr;
    aclTensor* tensor_ = nullptr;
};

#endif  // DEVICE_TENSOR_H
