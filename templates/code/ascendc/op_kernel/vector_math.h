// Functions of float32 tiles that the vector unit has no instruction for.
//
// tanh and erf are quotients of polynomials, to at most 7 units in the last place everywhere. AscendC::Tanh and
// AscendC::Erf would do as well, but promise no precision, and a Tanh made of exponentials has none left near 0; they
// also take a buffer whose size op_host has to ask for. The coefficients are minimax fits of our own.
//
// `x` and `y` are operands, `result` may be one of them, and what is called `work` or `mask` is neither.
#ifndef VECTOR_MATH_H
#define VECTOR_MATH_H

#include <cstdint>
#include "kernel_operator.h"

namespace vector_math {

using Tile = AscendC::LocalTensor<float>;
using Mask = AscendC::LocalTensor<uint8_t>;

// (highest * x + next) * x + ..., by Horner's rule.
template <typename... Coefficients>
__aicore__ inline void Polynomial(const Tile& result, const Tile& x, uint32_t count, float highest, float next,
                                  Coefficients... others) {
    AscendC::Muls(result, x, highest, count);
    AscendC::Adds(result, result, next, count);
    ((AscendC::Mul(result, result, x, count), AscendC::Adds(result, result, others, count)), ...);
}

// Rounding must not lead past the limits of a function: its relatives are 0 or have no value there.
__aicore__ inline void Clamp(const Tile& result, const Tile& x, float limit, uint32_t count) {
    AscendC::Mins(result, x, limit, count);
    AscendC::Maxs(result, result, -limit, count);
}

// Hyperbolic tangent; 1 from 9.02 on.
__aicore__ inline void Tanh(const Tile& result, const Tile& x, const Tile& work, const Tile& square, uint32_t count) {
    Clamp(work, x, 9.02f, count);
    AscendC::Mul(square, work, work, count);
    Polynomial(result, square, count, 1.33176625e-08f, 2.058254e-05f, 0.0034939814f, 0.13379675f, 1.0f);
    AscendC::Mul(result, result, work, count);
    Polynomial(work, square, count, 7.761464e-07f, 0.0003283003f, 0.025870875f, 0.4671299f, 1.0f);
    AscendC::Div(result, result, work, count);
    Clamp(result, result, 1.0f, count);
}

// The error function; 1 from 3.93 on.
__aicore__ inline void Erf(const Tile& result, const Tile& x, const Tile& work, const Tile& square, uint32_t count) {
    Clamp(work, x, 3.93f, count);
    AscendC::Mul(square, work, work, count);
    Polynomial(result, square, count, 2.0416699e-06f, 0.0002847828f, 0.0037794732f, 0.05278976f, 0.19078378f,
               1.1283791f);
    AscendC::Mul(result, result, work, count);
    Polynomial(work, square, count, 3.799961e-05f, 0.0011651379f, 0.014997171f, 0.11425703f, 0.5024105f, 1.0f);
    AscendC::Div(result, result, work, count);
    Clamp(result, result, 1.0f, count);
}

// x * Phi(x), with the normal distribution Phi, as max(x, 0) - |x| * Phi(-|x|), and Phi(-a) as exp(-a^2 / 2) * g(a)
// with g(a) a quotient of polynomials. So negative x keep their digits, which 1 + erf(x / sqrt(2)) would cancel: 5
// units in the last place for x > -2, a^2 / 2 more below. From 14.5 on, what is subtracted is 0.
__aicore__ inline void Gelu(const Tile& result, const Tile& x, const Tile& size, const Tile& below, const Tile& work,
                            uint32_t count) {
    AscendC::Abs(size, x, count);
    AscendC::Mins(size, size, 14.5f, count);
    AscendC::Mul(below, size, size, count);
    AscendC::Muls(below, below, -0.5f, count);
    AscendC::Exp(below, below, count);
    AscendC::Mul(below, below, size, count);
    Polynomial(work, size, count, 0.0041162972f, 0.040633414f, 0.18323609f, 0.43829685f, 0.5f);
    AscendC::Mul(below, below, work, count);
    Polynomial(work, size, count, 0.010317907f, 0.1018593f, 0.46947303f, 1.2025081f, 1.6744787f, 1.0f);
    AscendC::Div(below, below, work, count);
    AscendC::Relu(result, x, count);
    AscendC::Sub(result, result, below, count);
}

// x to the power of y, with IEEE's values for zeros, infinities and 1; NaN for a finite negative x and a y that is no
// integer. It is exp(y * ln|x|), within 2 + 2 * |y * ln|x|| units in the last place, with the sign that an odd integer
// y takes from x. `compareCount`: see Compare.
__aicore__ inline void Power(const Tile& result, const Tile& x, const Tile& y, const Tile& size, const Tile& sign,
                             const Tile& work, const Mask& mask, const Mask& other, uint32_t count,
                             uint32_t compareCount) {
    AscendC::Abs(work, x, count);
    AscendC::Ln(size, work, count);
    AscendC::Mul(size, size, y, count);
    AscendC::Exp(size, size, count);
    // 1 where |x| is 1 or y is 0, whatever the other is: an infinity times zero is no number.
    AscendC::CompareScalar(mask, work, 1.0f, AscendC::CMPMODE::NE, compareCount);
    AscendC::Select(size, mask, size, 1.0f, AscendC::SELMODE::VSEL_TENSOR_SCALAR_MODE, count);
    AscendC::CompareScalar(mask, y, 0.0f, AscendC::CMPMODE::NE, compareCount);
    AscendC::Select(size, mask, size, 1.0f, AscendC::SELMODE::VSEL_TENSOR_SCALAR_MODE, count);

    // Below zero, for an integer y: 1 where y / 2 is an integer too, else -1.
    AscendC::Muls(sign, y, 0.5f, count);
    AscendC::Cast(work, sign, AscendC::RoundMode::CAST_TRUNC, count);
    AscendC::Compare(mask, work, sign, AscendC::CMPMODE::EQ, compareCount);
    AscendC::Duplicate(sign, 1.0f, count);
    AscendC::Select(sign, mask, sign, -1.0f, AscendC::SELMODE::VSEL_TENSOR_SCALAR_MODE, count);
    // For any other y: NaN, as the root of x is, but 1 where x is a zero or infinite.
    AscendC::Cast(work, y, AscendC::RoundMode::CAST_TRUNC, count);
    AscendC::Compare(mask, work, y, AscendC::CMPMODE::EQ, compareCount);
    AscendC::Sqrt(work, x, count);
    AscendC::Muls(work, work, 0.0f, count);
    AscendC::Adds(work, work, 1.0f, count);
    AscendC::CompareScalar(other, x, -3.4028235e+38f, AscendC::CMPMODE::GE, compareCount);
    AscendC::Select(work, other, work, 1.0f, AscendC::SELMODE::VSEL_TENSOR_SCALAR_MODE, count);
    AscendC::Select(sign, mask, sign, work, AscendC::SELMODE::VSEL_TENSOR_TENSOR_MODE, count);
    // Where x has no minus sign, which zero may have: 1.
    const AscendC::LocalTensor<int32_t> signBits = work.ReinterpretCast<int32_t>();
    AscendC::ShiftRight(signBits, x.ReinterpretCast<int32_t>(), 31, count);
    AscendC::Cast(work, signBits, AscendC::RoundMode::CAST_RINT, count);
    AscendC::CompareScalar(mask, work, 0.0f, AscendC::CMPMODE::LT, compareCount);
    AscendC::Select(sign, mask, sign, 1.0f, AscendC::SELMODE::VSEL_TENSOR_SCALAR_MODE, count);
    AscendC::Mul(result, size, sign, count);
}

}  // namespace vector_math

#endif  // VECTOR_MATH_H
