// Functions on int32_t tiles for which the vector unit has no instruction. They are exact for all integers, since
// nothing passes through float, which has 24 bits.
//
// `x` and `y` are operands, and `result` may be one of them. `rest` must be another tensor. `compareCount`: see Compare.
#ifndef INTEGER_MATH_H
#define INTEGER_MATH_H

#include <cstdint>
#include "kernel_operator.h"

namespace integer_math {

using Tile = AscendC::LocalTensor<int32_t>;
using Mask = AscendC::LocalTensor<uint8_t>;

// The type whose right shift copies the sign bit or not, as T has one or not.
template <typename T>
struct Shifted {
    using Type = int32_t;
};
template <>
struct Shifted<uint8_t> {
    using Type = uint32_t;
};

// The lowest bits, as many as T has, as a number of T: 128 becomes -128 in int8_t. The shift to the left is one of
// uint32_t, since that of int32_t keeps the sign bit where it is.
template <typename T>
__aicore__ inline void Wrap(const Tile& result, const Tile& x, uint32_t count) {
    using Right = typename Shifted<T>::Type;
    constexpr uint32_t kOthers = 8 * (sizeof(int32_t) - sizeof(T));
    const AscendC::LocalTensor<Right> moved = result.ReinterpretCast<Right>();
    AscendC::ShiftLeft(result.ReinterpretCast<uint32_t>(), x.ReinterpretCast<uint32_t>(), kOthers, count);
    AscendC::ShiftRight(moved, moved, static_cast<Right>(kOthers), count);
}

// Compares two tiles. Compare tells only whether integers are equal. x >= y if x is the larger one. x > y if the larger
// one minus y is not 0, which the float of an integer shows even if it is rounded.
template <AscendC::CMPMODE mode>
__aicore__ inline void CompareIntegers(const Mask& mask, const Tile& x, const Tile& y,
                                       const AscendC::LocalTensor<float>& rest, uint32_t count, uint32_t compareCount) {
    const Tile part = rest.ReinterpretCast<int32_t>();
    if constexpr (mode == AscendC::CMPMODE::GE || mode == AscendC::CMPMODE::GT) {
        AscendC::Max(part, x, y, count);
    } else if constexpr (mode == AscendC::CMPMODE::LE || mode == AscendC::CMPMODE::LT) {
        AscendC::Min(part, x, y, count);
    }
    if constexpr (mode == AscendC::CMPMODE::EQ) {
        AscendC::Compare(mask, x, y, AscendC::CMPMODE::EQ, compareCount);
    } else if constexpr (mode == AscendC::CMPMODE::GE || mode == AscendC::CMPMODE::LE) {
        AscendC::Compare(mask, part, x, AscendC::CMPMODE::EQ, compareCount);
    } else {
        if constexpr (mode == AscendC::CMPMODE::NE) {
            AscendC::Sub(part, x, y, count);
        } else {
            AscendC::Sub(part, part, y, count);
        }
        AscendC::Cast(rest, part, AscendC::RoundMode::CAST_RINT, count);
        AscendC::CompareScalar(mask, rest, 0.0f, AscendC::CMPMODE::NE, compareCount);
    }
}

// x where the mask is set, else y. Select moves floats and changes no bit of them.
__aicore__ inline void SelectIntegers(const Tile& result, const Mask& mask, const Tile& x, const Tile& y,
                                      uint32_t count) {
    AscendC::Select(result.ReinterpretCast<float>(), mask, x.ReinterpretCast<float>(), y.ReinterpretCast<float>(),
                    AscendC::SELMODE::VSEL_TENSOR_TENSOR_MODE, count);
}

}  // namespace integer_math

#endif  // INTEGER_MATH_H
