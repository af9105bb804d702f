// Loop shapes: a function of one, two or three values, over lanes of one type, or of half through float.
#ifndef OPFORGE_SIM_KERNEL_VECTOR_LOOPS_H
#define OPFORGE_SIM_KERNEL_VECTOR_LOOPS_H

#include <algorithm>
#include <cstring>

#include "arithmetic.h"
#include "half_lanes.h"

namespace sim {

template <typename T>
T ScalarOf(uint64_t bits) {
    T value;
    std::memcpy(&value, &bits, sizeof(T));
    return value;
}

// The accumulating functions read dst too; F is a stateless function object F()(old, a, b, scalar).
template <typename T, typename F>
void PlainLoop(const Lanes& lanes) {
    T* dst = static_cast<T*>(lanes.dst);
    const T* a = static_cast<const T*>(lanes.src0);
    const T* b = lanes.src1 != nullptr ? static_cast<const T*>(lanes.src1) : a;
    const T scalar = ScalarOf<T>(lanes.scalar);
    for (size_t i = 0; i < lanes.count; ++i) {
        dst[i] = F()(dst[i], a[i], b[i], scalar);
    }
}

// `count` lanes, which is a constant for all but the last of a loop: then everything stays in registers.
template <typename F>
inline __attribute__((always_inline)) void HalfLanes(uint16_t* dst, const uint16_t* a, const uint16_t* b, float scalar,
                                                     size_t count) {
    float x[kHalfLanes], y[kHalfLanes], z[kHalfLanes];
    HalfToFloat(a, x, count);
    HalfToFloat(b, y, count);
    if (F::kReadsDst) {
        HalfToFloat(dst, z, count);
    }
    for (size_t i = 0; i < count; ++i) {
        z[i] = F()(F::kReadsDst ? z[i] : 0.0f, x[i], y[i], scalar);
    }
    FloatToHalf(z, dst, count);
}

template <typename F>
void HalfLoop(const Lanes& lanes) {
    uint16_t* dst = static_cast<uint16_t*>(lanes.dst);
    const uint16_t* a = static_cast<const uint16_t*>(lanes.src0);
    const uint16_t* b = lanes.src1 != nullptr ? static_cast<const uint16_t*>(lanes.src1) : a;
    const float scalar = HalfValue(static_cast<uint16_t>(lanes.scalar));
    size_t done = 0;
    for (; done + kHalfLanes <= lanes.count; done += kHalfLanes) {
        HalfLanes<F>(dst + done, a + done, b + done, scalar, kHalfLanes);
    }
    if (done < lanes.count) {
        HalfLanes<F>(dst + done, a + done, b + done, scalar, lanes.count - done);
    }
}

// half sources into a float destination.
template <typename F>
void WideningLoop(const Lanes& lanes) {
    float* dst = static_cast<float*>(lanes.dst);
    const uint16_t* a = static_cast<const uint16_t*>(lanes.src0);
    const uint16_t* b = static_cast<const uint16_t*>(lanes.src1);
    const float scalar = HalfValue(static_cast<uint16_t>(lanes.scalar));
    float x[kHalfChunk], y[kHalfChunk];
    for (size_t done = 0; done < lanes.count; done += kHalfChunk) {
        const size_t n = std::min(kHalfChunk, lanes.count - done);
        HalfToFloat(a + done, x, n);
        if (b != nullptr) {
            HalfToFloat(b + done, y, n);
        }
        for (size_t i = 0; i < n; ++i) {
            dst[done + i] = F()(dst[done + i], x[i], b != nullptr ? y[i] : 0.0f, scalar);
        }
    }
}

}  // namespace sim

#endif
