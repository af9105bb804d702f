// The data types the simulated core knows, and the test of a function's documented list.
#include "private.h"
#ifndef ASCENDC_SIM_DTYPE_H
#define ASCENDC_SIM_DTYPE_H

#include "float16.h"

namespace AscendC {

// Four bits: two elements share a byte, the first in its low half. Tensors count elements; a single element has no
// address. Documentation: SIMD-API/基础API/数据结构/内置数据类型
struct int4b_t {
    int8_t bits;

    int4b_t() = default;
    constexpr int4b_t(int32_t value) : bits(static_cast<int8_t>(value & 0xf)) {}
};

// Numbers of eight and of four bits, which only Ascend950 has: plain bytes on the chips that are simulated, so that
// headers for both compile. CANN's utils/common_types.h.
using fp8_e8m0_t = uint8_t;
using fp8_e5m2_t = uint8_t;
using fp8_e4m3fn_t = uint8_t;
using fp4x2_e2m1_t = uint8_t;
using fp4x2_e1m2_t = uint8_t;

}  // namespace AscendC

using AscendC::fp4x2_e1m2_t;
using AscendC::fp4x2_e2m1_t;
using AscendC::fp8_e4m3fn_t;
using AscendC::fp8_e5m2_t;
using AscendC::fp8_e8m0_t;

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
    kDouble,
    kInt4
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
ASCENDC_SIM_DTYPE(AscendC::int4b_t, kInt4);
#undef ASCENDC_SIM_DTYPE

template <typename T>
inline constexpr Dtype kDtype = DtypeOf<T>::kValue;

// How many bits an element of a tensor takes, and how many bytes `count` of them.
template <typename T>
inline constexpr uint32_t kBitsOf = std::is_same<T, AscendC::int4b_t>::value ? 4 : 8 * sizeof(T);
template <typename T>
constexpr uint64_t BytesOf(uint64_t count) {
    return count * kBitsOf<T> / 8;
}
template <typename T>
constexpr uint64_t ElementsIn(uint64_t bytes) {
    return bytes * 8 / kBitsOf<T>;
}

// True where T stands in a function's documented list of data types.
template <typename T, typename... Listed>
inline constexpr bool kOneOf = (std::is_same<T, Listed>::value || ...);

// A function's documented data types by product: of Atlas A2 and A3 (__NPU_ARCH__ 2201), and of the inference products
// with an M200 core (2002, ascend310p). `kListed<T, A2<half, float>, M200<half>>` asks the list of the SoC that the
// kernel is compiled for.
template <typename... Types>
struct A2 {
    template <typename T>
    static constexpr bool kHas = kOneOf<T, Types...>;
};
template <typename... Types>
struct M200 {
    template <typename T>
    static constexpr bool kHas = kOneOf<T, Types...>;
};
#if defined(__NPU_ARCH__) && __NPU_ARCH__ == 2002
inline constexpr bool kOnM200 = true;
#else
inline constexpr bool kOnM200 = false;
#endif
// Ascend950 (3510): the lists of Atlas A2, to which its own only add. What it lacks is asked for by name.
#if defined(__NPU_ARCH__) && __NPU_ARCH__ == 3510
inline constexpr bool kOn950 = true;
#else
inline constexpr bool kOn950 = false;
#endif
template <typename>
inline constexpr bool kNotOn950 = !kOn950;
// The opposite, for a static_assert that must wait until a template is used.
template <typename>
inline constexpr bool kNotOnM200 = !kOnM200;
template <typename T, typename OnA2, typename OnM200>
inline constexpr bool kListed = kOnM200 ? OnM200::template kHas<T> : OnA2::template kHas<T>;

// And and Or take 32-bit integers on Atlas A2 and A3, but their `count` counts 16 bits (逻辑计算/And): this many for
// each. On ascend950 it counts elements, which are so many halves.
template <typename T>
inline constexpr int32_t kHalves = kOneOf<T, int32_t, uint32_t> ? 2 : 1;

// Destination and source of the functions that multiply and add (复合计算/Axpy, MulAddDst), and of AddReluCast.
template <typename T, typename U>
inline constexpr bool kProductPair = kOneOf<T, half, float> && (std::is_same<T, U>::value || kOneOf<U, half>);
template <typename T, typename U>
inline constexpr bool kReluCastPair =
    kOneOf<T, int8_t> ? kOneOf<U, half, int16_t> : kOneOf<T, half> && kOneOf<U, float>;

// False, once a template is used.
template <typename T>
inline constexpr bool kNever = false;

// A scalar operand as the instruction word carries it.
template <typename T>
uint64_t ScalarBits(const T& value) {
    uint64_t bits = 0;
    __builtin_memcpy(&bits, &value, sizeof(T));
    return bits;
}

}  // namespace sim

#endif
