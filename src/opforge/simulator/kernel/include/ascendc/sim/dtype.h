// The data types the simulated core knows, and the test of a function's documented list.
#include "private.h"
#ifndef ASCENDC_SIM_DTYPE_H
#define ASCENDC_SIM_DTYPE_H

#include "float16.h"

namespace sim {

enum class Dtype : uint8_t {
    kHalf,
    kBfloat16,
    kFloat,
    kInt8,
    kUint8,
    kInt16,
    kUint16,
    kInt32,
    kUint32,
    kInt64,
    kUint64,
    kDouble
};

template <typename T>
struct DtypeOf;

#define ASCENDC_SIM_DTYPE(type, value)                \
    template <>                                       \
    struct DtypeOf<type> {                            \
        static constexpr Dtype kValue = Dtype::value; \
    }
ASCENDC_SIM_DTYPE(half, kHalf);
ASCENDC_SIM_DTYPE(bfloat16_t, kBfloat16);
ASCENDC_SIM_DTYPE(float, kFloat);
ASCENDC_SIM_DTYPE(int8_t, kInt8);
ASCENDC_SIM_DTYPE(uint8_t, kUint8);
ASCENDC_SIM_DTYPE(int16_t, kInt16);
ASCENDC_SIM_DTYPE(uint16_t, kUint16);
ASCENDC_SIM_DTYPE(int32_t, kInt32);
ASCENDC_SIM_DTYPE(uint32_t, kUint32);
ASCENDC_SIM_DTYPE(int64_t, kInt64);
ASCENDC_SIM_DTYPE(uint64_t, kUint64);
ASCENDC_SIM_DTYPE(double, kDouble);
#undef ASCENDC_SIM_DTYPE

template <typename T>
inline constexpr Dtype kDtype = DtypeOf<T>::kValue;

// True where T stands in a function's documented list of data types.
template <typename T, typename... Listed>
inline constexpr bool kOneOf = (std::is_same<T, Listed>::value || ...);

// A scalar operand as the instruction word carries it.
template <typename T>
uint64_t ScalarBits(const T& value) {
    uint64_t bits = 0;
    __builtin_memcpy(&bits, &value, sizeof(T));
    return bits;
}

}  // namespace sim

#endif
