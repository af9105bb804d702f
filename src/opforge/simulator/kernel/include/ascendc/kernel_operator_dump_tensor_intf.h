// printf and ASCENDC_ASSERT in a kernel.
// Documentation: SIMD-API/基础API/调试接口
#ifndef ASCENDC_KERNEL_OPERATOR_DUMP_TENSOR_INTF_H
#define ASCENDC_KERNEL_OPERATOR_DUMP_TENSOR_INTF_H

#ifndef ASCENDC_SIM_PUBLIC_HEADER
#define ASCENDC_SIM_PUBLIC_HEADER
#endif
#include "kernel_type.h"

namespace sim {

// What C's variadic printf takes: floating-point arguments as double.
template <typename T>
auto PrintArgument(T value) {
    if constexpr (std::is_same<T, float>::value || std::is_same<T, half>::value || std::is_same<T, bfloat16_t>::value) {
        return static_cast<double>(static_cast<float>(value));
    } else {
        return value;
    }
}

}  // namespace sim

namespace AscendC {

template <typename... Args>
void PRINTF(const char* format, Args... args) {
    sim::Print(format, sim::PrintArgument(args)...);
}
template <typename... Args>
void printf(const char* format, Args... args) {
    sim::Print(format, sim::PrintArgument(args)...);
}

}  // namespace AscendC

// The second argument, where given, is the text of the failure (a format of the device's printf, shown as written).
#define ascendc_assert(...) ASCENDC_ASSERT(__VA_ARGS__)
#define ASCENDC_ASSERT(condition, ...)                                         \
    do {                                                                       \
        if (!(condition)) {                                                    \
            sim::AssertFailed(#condition, "" #__VA_ARGS__, sim::Site::Here()); \
        }                                                                      \
    } while (false)

#endif
