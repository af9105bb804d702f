// Functions on int32_t tiles for which the vector unit has no instruction. They are exact for all integers:
// where something passes through float, which has 24 bits, its rounding does not matter.
//
// `x` and `y` are operands, and `result` may be one of them. Others must be other tensors. `compareCount`: see Compare.
#ifndef INTEGER_MATH_H
#define INTEGER_MATH_H

#include <cstdint>
#include "kernel_operator.h"

namespace integer_math {

using Tile = AscendC::LocalTensor<int32_t>;
using Floats = AscendC::LocalTensor<float>;
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

// The integer nearest to the quotient of two integers, which may be a few hundred off, as float has 24 bits. One beyond
// int32_t becomes the largest or the least one.
__aicore__ inline void NearestQuotient(const Tile& result, const Tile& x, const Floats& divisor, uint32_t count) {
    const Floats quotient = result.ReinterpretCast<float>();
    AscendC::Cast(quotient, x, AscendC::RoundMode::CAST_RINT, count);
    AscendC::Div(quotient, quotient, divisor, count);
    AscendC::Cast(result, quotient, AscendC::RoundMode::CAST_RINT, count);
}

// -1 where one is negative and the other one positive, else 0.
__aicore__ inline void OppositeSigns(const Tile& result, const Tile& x, const Floats& y, uint32_t count) {
    const Floats product = result.ReinterpretCast<float>();
    AscendC::Cast(product, x, AscendC::RoundMode::CAST_RINT, count);
    AscendC::Mul(product, product, y, count);
    AscendC::Mins(product, product, 0.0f, count);
    AscendC::Maxs(product, product, -1.0f, count);
    AscendC::Cast(result, product, AscendC::RoundMode::CAST_RINT, count);
}

// x / y, rounded down, and 0 where y is 0. The first quotient leaves at most |y| / 2 and a few hundred, which fits in
// int32_t, and the second one, of the rest, about |y| / 2. Where the last rest and y have different signs, the sum of
// both is one too large. Products and differences wrap around, so the rests are exact.
__aicore__ inline void FloorDivideIntegers(const Tile& result, const Tile& x, const Tile& y, const Floats& divisor,
                                           const Floats& work0, const Floats& work1, const Floats& work2,
                                           uint32_t count) {
    const Tile quotient = work0.ReinterpretCast<int32_t>();
    const Tile rest = work1.ReinterpretCast<int32_t>();
    const Tile part = work2.ReinterpretCast<int32_t>();
    AscendC::Cast(divisor, y, AscendC::RoundMode::CAST_RINT, count);
    NearestQuotient(quotient, x, divisor, count);
    AscendC::Mul(part, quotient, y, count);
    AscendC::Sub(rest, x, part, count);

    NearestQuotient(part, rest, divisor, count);
    AscendC::Add(quotient, quotient, part, count);
    AscendC::Mul(part, part, y, count);
    AscendC::Sub(rest, rest, part, count);

    OppositeSigns(part, rest, divisor, count);
    AscendC::Add(quotient, quotient, part, count);

    // 1 where y is not 0.
    AscendC::Mul(divisor, divisor, divisor, count);
    AscendC::Mins(divisor, divisor, 1.0f, count);
    AscendC::Cast(part, divisor, AscendC::RoundMode::CAST_RINT, count);
    AscendC::Mul(result, quotient, part, count);
}

// What is left of x after whole multiples of y, at most about |y| / 2, and x where y is 0. See FloorDivideIntegers.
__aicore__ inline void NearestRest(const Tile& rest, const Tile& x, const Tile& y, const Floats& divisor,
                                   const Tile& part, uint32_t count) {
    AscendC::Cast(divisor, y, AscendC::RoundMode::CAST_RINT, count);
    NearestQuotient(part, x, divisor, count);
    AscendC::Mul(part, part, y, count);
    AscendC::Sub(rest, x, part, count);

    NearestQuotient(part, rest, divisor, count);
    AscendC::Mul(part, part, y, count);
    AscendC::Sub(rest, rest, part, count);
}

// What is left of x after the multiple of y below it, with the sign of y; x where y is 0.
__aicore__ inline void RemainderIntegers(const Tile& result, const Tile& x, const Tile& y, const Floats& divisor,
                                         const Floats& work0, const Floats& work1, uint32_t count) {
    const Tile rest = work0.ReinterpretCast<int32_t>();
    const Tile part = work1.ReinterpretCast<int32_t>();
    NearestRest(rest, x, y, divisor, part, count);
    OppositeSigns(part, rest, divisor, count);
    AscendC::Mul(part, part, y, count);
    AscendC::Sub(result, rest, part, count);
}

// What is left of x after the multiple of y that is nearer to 0, with the sign of x; x where y is 0.
__aicore__ inline void FmodIntegers(const Tile& result, const Tile& x, const Tile& y, const Floats& divisor,
                                    const Floats& work0, const Floats& work1, const Floats& work2, uint32_t count) {
    const Tile rest = work0.ReinterpretCast<int32_t>();
    const Tile part = work1.ReinterpretCast<int32_t>();
    NearestRest(rest, x, y, divisor, part, count);
    // 1 where the rest and y have the same sign, -1 where they have different ones.
    AscendC::Cast(work1, rest, AscendC::RoundMode::CAST_RINT, count);
    AscendC::Mul(divisor, divisor, work1, count);
    AscendC::Maxs(divisor, divisor, -1.0f, count);
    AscendC::Mins(divisor, divisor, 1.0f, count);
    // Where the rest and x have different signs, y or -y is added, whichever has the sign of x.
    AscendC::Cast(work2, x, AscendC::RoundMode::CAST_RINT, count);
    AscendC::Mul(work2, work2, work1, count);
    AscendC::Mins(work2, work2, 0.0f, count);
    AscendC::Maxs(work2, work2, -1.0f, count);
    AscendC::Mul(work2, work2, divisor, count);
    AscendC::Cast(part, work2, AscendC::RoundMode::CAST_RINT, count);
    AscendC::Mul(part, part, y, count);
    AscendC::Add(result, rest, part, count);
}

// The bits of a tile as numbers of 16 bits, which And, Or and Not take.
using Halves = AscendC::LocalTensor<uint16_t>;

__aicore__ inline void AndIntegers(const Tile& result, const Tile& x, const Tile& y, uint32_t count) {
    const Halves halves = result.ReinterpretCast<uint16_t>();
    AscendC::And(halves, x.ReinterpretCast<uint16_t>(), y.ReinterpretCast<uint16_t>(), 2 * count);
}

__aicore__ inline void OrIntegers(const Tile& result, const Tile& x, const Tile& y, uint32_t count) {
    const Halves halves = result.ReinterpretCast<uint16_t>();
    AscendC::Or(halves, x.ReinterpretCast<uint16_t>(), y.ReinterpretCast<uint16_t>(), 2 * count);
}

__aicore__ inline void NotIntegers(const Tile& result, const Tile& x, uint32_t count) {
    AscendC::Not(result.ReinterpretCast<uint16_t>(), x.ReinterpretCast<uint16_t>(), 2 * count);
}

// The bits that one of the two has: those of either without those of both.
__aicore__ inline void XorIntegers(const Tile& result, const Tile& x, const Tile& y, const Floats& rest,
                                   uint32_t count) {
    const Tile both = rest.ReinterpretCast<int32_t>();
    AndIntegers(both, x, y, count);
    OrIntegers(result, x, y, count);
    AscendC::Sub(result, result, both, count);
}

// A shift of uint32_t, since that of int32_t keeps the sign bit where it is.
__aicore__ inline void ShiftLeftIntegers(const Tile& result, const Tile& x, uint32_t bits, uint32_t count) {
    AscendC::ShiftLeft(result.ReinterpretCast<uint32_t>(), x.ReinterpretCast<uint32_t>(), bits, count);
}

// x where the mask is set, else y. Select moves floats and changes no bit of them.
__aicore__ inline void SelectIntegers(const Tile& result, const Mask& mask, const Tile& x, const Tile& y,
                                      uint32_t count) {
    AscendC::Select(result.ReinterpretCast<float>(), mask, x.ReinterpretCast<float>(), y.ReinterpretCast<float>(),
                    AscendC::SELMODE::VSEL_TENSOR_TENSOR_MODE, count);
}

}  // namespace integer_math

#endif  // INTEGER_MATH_H
