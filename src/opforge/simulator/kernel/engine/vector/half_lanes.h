// Eight float16 lanes at a time to float and back: by the F16C instructions where the compiler may use them.
#ifndef OPFORGE_SIM_KERNEL_VECTOR_HALF_LANES_H
#define OPFORGE_SIM_KERNEL_VECTOR_HALF_LANES_H

#include <cstddef>
#include <cstdint>

#ifdef __F16C__
#include <immintrin.h>
#endif

#include "kernel_api.h"

namespace sim {

inline void HalfToFloat(const uint16_t* from, float* to, size_t count) {
    size_t i = 0;
#ifdef __F16C__
    for (; i + 8 <= count; i += 8) {
        _mm256_storeu_ps(to + i, _mm256_cvtph_ps(_mm_loadu_si128(reinterpret_cast<const __m128i*>(from + i))));
    }
#endif
    for (; i < count; ++i) {
        to[i] = HalfValue(from[i]);
    }
}

inline void FloatToHalf(const float* from, uint16_t* to, size_t count) {
    size_t i = 0;
#ifdef __F16C__
    for (; i + 8 <= count; i += 8) {
        const __m128i half = _mm256_cvtps_ph(_mm256_loadu_ps(from + i), _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
        _mm_storeu_si128(reinterpret_cast<__m128i*>(to + i), half);
    }
#endif
    for (; i < count; ++i) {
        to[i] = HalfBits(from[i]);
    }
}

// How many lanes are converted at once: two vectors of eight floats.
inline constexpr size_t kHalfLanes = 16;

// How many lanes a loop that mixes half and float handles between its conversions.
inline constexpr size_t kHalfChunk = 64;

}  // namespace sim

#endif
