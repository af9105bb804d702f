// Functions of float32 tiles that the vector unit has no instruction for.
//
// tanh and erf have two ranges, as the C libraries' have: near 0 a polynomial, and beyond what is 1 less a small
// number, for which exp is exact enough. AscendC::Tanh and AscendC::Erf would do as well, but promise no precision, and
// a Tanh made of exponentials has none left near 0; they also take a buffer whose size op_host has to ask for. The
// coefficients are minimax fits of our own.
//
// `x` and `y` are operands, `result` may be one of them; `work` and `mask` must be other tensors.
// `compareCount`: see Compare.
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

// `size` with the sign of x, for a `negative` that is -size.
__aicore__ inline void Signed(const Tile& size, const Tile& negative, const Tile& x, const Mask& mask, uint32_t count,
                              uint32_t compareCount) {
    AscendC::CompareScalar(mask, x, 0.0f, AscendC::CMPMODE::GT, compareCount);
    AscendC::Select(size, mask, size, negative, AscendC::SELMODE::VSEL_TENSOR_TENSOR_MODE, count);
}

// Hyperbolic tangent, to 2 units in the last place: 1 - 2e / (1 + e) with e = exp(-2 |x|) from |x| = 0.7 on.
__aicore__ inline void Tanh(const Tile& result, const Tile& x, const Tile& size, const Tile& square, const Tile& work,
                            const Mask& mask, uint32_t count, uint32_t compareCount) {
    AscendC::Abs(size, x, count);
    AscendC::Muls(size, size, -2.0f, count);
    AscendC::Exp(size, size, count);
    AscendC::Adds(work, size, 1.0f, count);
    AscendC::Muls(size, size, -2.0f, count);
    AscendC::Div(size, size, work, count);
    AscendC::Adds(size, size, 1.0f, count);
    AscendC::Muls(work, size, -1.0f, count);
    Signed(size, work, x, mask, count, compareCount);

    AscendC::Mul(square, x, x, count);
    Polynomial(work, square, count, -0.005088329f, 0.020024449f, -0.053526007f, 0.13328415f, -0.33333132f, 1.0f);
    AscendC::Mul(work, work, x, count);
    AscendC::CompareScalar(mask, square, 0.49f, AscendC::CMPMODE::GE, compareCount);
    AscendC::Select(result, mask, size, work, AscendC::SELMODE::VSEL_TENSOR_TENSOR_MODE, count);
}

// The error function, to 2 units in the last place: 1 - exp(t * g(t)) with t = |x| from 0.9 on, and 1 from 4 on. Near 0
// what is added to x is a polynomial, so that the first coefficient's rounding counts for little.
__aicore__ inline void Erf(const Tile& result, const Tile& x, const Tile& size, const Tile& square, const Tile& work,
                           const Mask& mask, uint32_t count, uint32_t compareCount) {
    AscendC::Abs(size, x, count);
    AscendC::Mins(size, size, 4.0f, count);
    Polynomial(work, size, count, -1.04331675e-05f, 0.00031485863f, -0.003610344f, 0.02369457f, -0.106159054f,
               -0.63519806f, -1.1286371f);
    AscendC::Mul(size, size, work, count);
    AscendC::Exp(size, size, count);
    AscendC::Adds(work, size, -1.0f, count);
    AscendC::Muls(size, work, -1.0f, count);
    Signed(size, work, x, mask, count, compareCount);

    AscendC::Mul(square, x, x, count);
    Polynomial(work, square, count, -0.0006090357f, 0.0050119623f, -0.026778908f, 0.11282141f, -0.37612525f,
               0.12837915f);
    AscendC::Mul(work, work, x, count);
    AscendC::Add(work, work, x, count);
    AscendC::CompareScalar(mask, square, 0.81f, AscendC::CMPMODE::GE, compareCount);
    AscendC::Select(result, mask, size, work, AscendC::SELMODE::VSEL_TENSOR_TENSOR_MODE, count);
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

{% if coupled %}
// No Power: some SoC of this project has no ShiftRight, and no casts between float and int32_t.
{% else %}
// x to the power of y, with IEEE's values for zeros, infinities and 1; NaN for a finite negative x and a y that is no
// integer. It is exp(y * ln|x|), within 2 + 2 * |y * ln|x|| units in the last place, with the sign that an odd integer
// y takes from x.
__aicore__ inline void Power(const Tile& result, const Tile& x, const Tile& y, const Tile& size, const Tile& sign,
                             const Tile& work, const Mask& mask, const Mask& other, uint32_t count,
                             uint32_t compareCount) {
    AscendC::Abs(work, x, count);
    AscendC::Ln(size, work, count);
    AscendC::Mul(size, size, y, count);
    AscendC::Exp(size, size, count);
    // 1 where |x| is 1 or y is 0, for any other operand: an infinity times zero would be NaN.
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

{% endif %}
}  // namespace vector_math

#endif  // VECTOR_MATH_H
