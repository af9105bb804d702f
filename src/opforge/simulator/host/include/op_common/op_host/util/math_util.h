// Ops::Base: divisions and alignments of integers, for tiling functions. A divisor of 0 gives the dividend.
#ifndef OPFORGE_OP_COMMON_OP_HOST_UTIL_MATH_UTIL_H
#define OPFORGE_OP_COMMON_OP_HOST_UTIL_MATH_UTIL_H

#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

namespace Ops {
namespace Base {

template <typename T>
typename std::enable_if<std::is_integral<T>::value, T>::type FloorDiv(T x, T y) {
    return y == 0 ? x : x / y;
}

template <typename T>
typename std::enable_if<std::is_integral<T>::value, T>::type FloorAlign(T x, T align) {
    return align == 0 ? 0 : x / align * align;
}

// Rounds away from zero only where the quotient is positive, as the name says.
template <typename T>
typename std::enable_if<std::is_integral<T>::value, T>::type CeilDiv(T x, T y) {
    if (y == 0) {
        return x;
    }
    return static_cast<T>(x / y + (x % y != 0 && (x < 0) == (y < 0) ? 1 : 0));
}

// 0 for an alignment of 0, the largest number where the result does not fit.
template <typename T>
typename std::enable_if<std::is_integral<T>::value, T>::type CeilAlign(T x, T align) {
    if (align == 0) {
        return 0;
    }
    const T times = CeilDiv(x, align);
    return times > std::numeric_limits<T>::max() / align ? std::numeric_limits<T>::max() : times * align;
}

template <typename T>
typename std::enable_if<std::is_floating_point<T>::value, bool>::type IsFloatEqual(T a, T b) {
    if (std::isinf(a) || std::isinf(b)) {
        return a == b;
    }
    return std::fabs(a - b) <= std::numeric_limits<T>::epsilon();
}

}  // namespace Base
}  // namespace Ops
#endif
