// The arithmetic of reductions: sums as trees, greatest and least values.
#ifndef OPFORGE_SIM_KERNEL_VECTOR_REDUCE_NUMBERS_H
#define OPFORGE_SIM_KERNEL_VECTOR_REDUCE_NUMBERS_H

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <vector>

#include "arithmetic.h"
#include "lanewise.h"

namespace sim {

// Values of either type as floats; half is rounded after each addition, as the page's tree does.
struct Number {
    bool half;

    uint32_t Bytes() const { return half ? 2 : 4; }
    uint32_t Lanes() const { return kRepeatBytes / Bytes(); }
    float Get(const uint8_t* at) const {
        if (half) {
            uint16_t bits;
            std::memcpy(&bits, at, 2);
            return HalfValue(bits);
        }
        float value;
        std::memcpy(&value, at, 4);
        return value;
    }
    uint64_t Bits(float value) const {
        return half ? HalfBits(value) : static_cast<uint64_t>(__builtin_bit_cast(uint32_t, value));
    }
    float Rounded(float value) const { return half ? HalfValue(HalfBits(value)) : value; }
};

// The sum of the present lanes as a binary tree of neighbours.
inline float TreeSum(const Number& number, float* values, bool* present, uint32_t count) {
    while (count > 1) {
        for (uint32_t i = 0; i < (count + 1) / 2; ++i) {
            const bool right = 2 * i + 1 < count && present[2 * i + 1];
            const float a = values[2 * i];
            const float b = right ? values[2 * i + 1] : 0.0f;
            values[i] = present[2 * i] && right ? number.Rounded(a + b) : (right ? b : a);
            present[i] = present[2 * i] || right;
        }
        count = (count + 1) / 2;
    }
    return values[0];
}

inline float TreeSum(const Number& number, std::vector<float>& values) {
    bool present[128];
    while (values.size() > 1) {
        std::vector<float> sums;
        for (size_t first = 0; first < values.size(); first += number.Lanes()) {
            const uint32_t count = static_cast<uint32_t>(std::min<size_t>(number.Lanes(), values.size() - first));
            std::memset(present, 1, sizeof(present));
            sums.push_back(TreeSum(number, values.data() + first, present, count));
        }
        values.swap(sums);
    }
    return values[0];
}

struct Best {
    float value = 0.0f;
    uint64_t index = 0;
    bool any = false;

    // The first of equal values wins, and the first NaN of all.
    void Offer(float other, uint64_t at, bool greatest) {
        const bool better = !any || (value == value && (other != other || (greatest ? other > value : other < value)));
        if (better) {
            value = other;
            index = at;
            any = true;
        }
    }
};

}  // namespace sim

#endif
