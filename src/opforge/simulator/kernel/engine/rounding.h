// Lengths rounded up to whole blocks, fractals and the like, and how many of those there are.
#ifndef OPFORGE_SIM_KERNEL_ROUNDING_H
#define OPFORGE_SIM_KERNEL_ROUNDING_H

#include <cstdint>
#include <type_traits>

namespace sim {

// In 64 bits, whatever the value has: what is rounded are sizes that a kernel has passed.
template <typename T>
using Wide = std::conditional_t<std::is_signed<T>::value, int64_t, uint64_t>;

template <typename T>
constexpr Wide<T> CeilDiv(T value, Wide<T> by) {
    return (value + by - 1) / by;
}

template <typename T>
constexpr Wide<T> RoundUp(T value, Wide<T> to) {
    return CeilDiv(value, to) * to;
}

}  // namespace sim

#endif
