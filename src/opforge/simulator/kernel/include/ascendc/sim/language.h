// The language extensions of the device compiler, as far as host C++ needs them to read a kernel.
// Documentation: guide/编程指南/语言扩展层/SIMD-BuiltIn关键字
#include "private.h"
#ifndef ASCENDC_SIM_LANGUAGE_H
#define ASCENDC_SIM_LANGUAGE_H

#include <stddef.h>
#include <stdint.h>
#include <type_traits>

#define __aicore__
#define __global__
#define __gm__
#define __ubuf__
#define __vector__
#define __inout_pipe__(pipe)
#define __forceinline__ inline __attribute__((always_inline))

#ifndef GM_ADDR
#define GM_ADDR __gm__ uint8_t*
#endif

#ifndef ASCENDC_SIM
#define ASCENDC_SIM 1
#endif

#ifndef likely
#define likely(x) __builtin_expect(!!(x), 1)
#endif
#ifndef unlikely
#define unlikely(x) __builtin_expect(!!(x), 0)
#endif

// The device compiler has the scalar unit's square root without a header. A template, so that it is neither ambiguous
// nor declared twice where a kernel includes <math.h> after all.
template <typename T, typename = std::enable_if_t<std::is_same<T, float>::value>>
inline T sqrt(T value) {
    return __builtin_sqrtf(value);
}

// So it has the absolute value of a number.
template <typename T, typename = std::enable_if_t<std::is_same<T, float>::value || std::is_integral<T>::value>>
inline T abs(T value) {
    return value < 0 ? static_cast<T>(-value) : value;
}

#endif
