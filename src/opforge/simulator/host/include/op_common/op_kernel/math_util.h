// Ops::Base in kernels: divisions and alignments of integers.
#ifndef OPFORGE_OP_COMMON_OP_KERNEL_MATH_UTIL_H
#define OPFORGE_OP_COMMON_OP_KERNEL_MATH_UTIL_H

#include <cstdint>
#include <type_traits>

#include "kernel_operator.h"

namespace Ops {
namespace Base {

// Sums of narrow integers are computed in 32 bits, others in 64, without a sign.
template <typename T>
using UnsignedSum = typename std::conditional<(sizeof(T) <= sizeof(uint16_t)), uint32_t, uint64_t>::type;

template <typename T>
__aicore__ inline T CeilDiv(T a, T b) {
    using Wide = UnsignedSum<T>;
    return static_cast<T>((static_cast<Wide>(a) + static_cast<Wide>(b) - 1) / static_cast<Wide>(b));
}

template <typename T>
__aicore__ inline T FloorDiv(T a, T b) {
    return a / b;
}

template <typename T>
__aicore__ inline T CeilAlign(T a, T b) {
    return static_cast<T>(CeilDiv<UnsignedSum<T>>(a, b) * static_cast<UnsignedSum<T>>(b));
}

template <typename T>
__aicore__ inline T FloorAlign(T a, T b) {
    return a / b * b;
}

}  // namespace Base
}  // namespace Ops
#endif
