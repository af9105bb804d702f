// Functions on float32 tiles for which the vector unit has no instruction.
//
// tanh and erf have two ranges, as in C libraries: a polynomial near 0, and beyond that 1 minus a small number, for
// which exp is accurate enough. AscendC::Tanh and AscendC::Erf are not used for three reasons: they guarantee no
// precision, a Tanh made from exponentials loses all precision near 0, and they need a buffer whose size op_host must
// request. The coefficients are minimax fits made for this file.
//
// `x` and `y` are operands, and `result` may be one of them. `work` and `mask` must be other tensors. `blocks` hold
// coefficients. `compareCount`: see Compare. `Stored` is the type in which the result is stored, alone or in a product:
// shorter quotients are exact enough for 16 bits.
#ifndef VECTOR_MATH_H
#define VECTOR_MATH_H

#include <cstdint>
#include "kernel_operator.h"

namespace vector_math {

using Tile = AscendC::LocalTensor<float>;
using Mask = AscendC::LocalTensor<uint8_t>;

// Whether a type is a float of 16 bits. An integer needs all digits: it may be cut off just below the next one.
template <typename Stored>
constexpr bool kFloatOf16Bits = sizeof(Stored) == 2;
template <>
constexpr bool kFloatOf16Bits<int16_t> = false;

// Coefficients of polynomials, from that of the highest power down. Monic: that one is 1, and is not listed.
constexpr float kTanhNear[] = {-0.005088329f, 0.020024449f, -0.053526007f, 0.13328415f, -0.33333132f, 1.0f};
constexpr float kTanhUpper16[] = {25.400084f, 1809.6061f, 15517.9362f};
constexpr float kTanhLower16[] = {284.0129f, 6982.009f, 15517.968f};  // monic
constexpr float kErfFar[] = {-1.04331675e-05f, 0.00031485863f, -0.003610344f, 0.02369457f,
                             -0.106159054f,    -0.63519806f,   -1.1286371f};
constexpr float kErfNear[] = {-0.0006090357f, 0.0050119623f, -0.026778908f, 0.11282141f, -0.37612525f, 0.12837915f};
constexpr float kErfUpper16[] = {0.080833f, 4.6393568f, 16.503597f, 120.948626f};
constexpr float kErfLower16[] = {10.16315f, 50.359305f, 107.18776f};  // monic
constexpr float kGeluUpper[] = {0.0041162972f, 0.040633414f, 0.18323609f, 0.43829685f, 0.5f};
constexpr float kGeluLower[] = {0.010317907f, 0.1018593f, 0.46947303f, 1.2025081f, 1.6744787f, 1.0f};
constexpr float kGeluUpper16[] = {0.3997349f, 1.856005f, 3.4903924f};
constexpr float kGeluLower16[] = {4.7019296f, 9.28451f, 6.980716f};  // monic
constexpr float kLog1p[] = {-0.31443766f, -0.39893204f, -0.66667783f};
constexpr float kLog1pUpTo1[] = {-0.28030592f, -0.27997991f, -0.40021762f, -0.66666412f};
constexpr float kExpm1UpTo0[] = {0.007379477f, 0.04142996f, 0.16664319f, 0.49999925f};
// atan(x) = x + x * z * P(z) with z = x^2 up to 1; asin(x) with z up to 1/4.
constexpr float kAtan[] = {-0.0017936203f, 0.0109146f,   -0.031177834f, 0.057957582f, -0.084034495f,
                           0.10952186f,    -0.14264242f, 0.19998549f,   -0.33333299f};
constexpr float kAsin[] = {0.042166308f, 0.02417952f, 0.045470376f, 0.074952975f, 0.16666752f};
// erfc(x) = exp(-x^2) * upper / lower.
constexpr float kErfcUpper[] = {0.041599074f, 0.26554709f, 0.80297966f, 1.301253f, 1.0000052f};
constexpr float kErfcLower[] = {0.07373211f, 0.47068356f, 1.4598652f, 2.5443166f, 2.4296885f, 1.0f};
// erfinv(x) = x * P(v) with w = -ln(1 - x^2): v = w - 2.5 up to w = 5, and v = sqrt(w) - 3 from there on.
constexpr float kErfinvNear[] = {-8.7910381e-09f, 2.3232635e-08f, 4.661704e-07f,  -3.4627046e-06f, -4.9633468e-06f,
                                 0.00021834444f,  -0.0012527419f, -0.0041773869f, 0.24664028f,     1.5014094f};
constexpr float kErfinvFar[] = {-0.00015997574f, 8.2517748e-05f, 0.0012922421f, -0.0036565408f, 0.0057655438f,
                                -0.0076262439f,  0.009435038f,   1.0016742f,    2.8329771f};
constexpr float kWave[] = {-2.3874092e-08f, 2.7524557e-06f, -0.00019840852f, 0.008333331f, -0.16666667f};

// A block of 32 bytes for each coefficient that FusedMulAdd adds to tiles. A kernel fills those of its functions when
// it begins, by FillTanh, FillErf and so on. The coefficients of a polynomial's first instructions have no block.
constexpr uint32_t kBlockFloats = 8;
constexpr uint32_t kRepeatFloats = 64;

template <const auto& coefficients>
constexpr uint32_t kCount = sizeof(coefficients) / sizeof(float);
// The floats in the blocks of a polynomial.
template <const auto& coefficients>
constexpr uint32_t kFloats = (kCount<coefficients> - 2) * kBlockFloats;

// Fills the blocks of the coefficients from index `first` on.
template <const auto& coefficients, uint32_t first>
__aicore__ inline void Fill(const Tile& blocks) {
    if constexpr (first < kCount<coefficients>) {
        AscendC::Duplicate(blocks, coefficients[first], kBlockFloats);
        Fill<coefficients, first + 1>(blocks[kBlockFloats]);
    }
}

// (result * x + first) * x + ..., for `number` coefficients in `blocks`: one instruction each. The operand that stays
// where it is is read once. `count` is at most 255 * 64.
__aicore__ inline void MulAddEach(const Tile& result, const Tile& x, const Tile& blocks, uint32_t number,
                                  uint32_t count) {
    const uint8_t repeats = static_cast<uint8_t>((count + kRepeatFloats - 1) / kRepeatFloats);
    for (uint32_t i = 0; i < number; i++) {
        AscendC::FusedMulAdd(result, x, blocks[i * kBlockFloats], kRepeatFloats, repeats, {1, 1, 0, 8, 8, 0});
    }
}

// (highest * x + next) * x + ..., by Horner's rule.
template <const auto& coefficients>
__aicore__ inline void Polynomial(const Tile& result, const Tile& x, const Tile& blocks, uint32_t count) {
    AscendC::Muls(result, x, coefficients[0], count);
    AscendC::Adds(result, result, coefficients[1], count);
    MulAddEach(result, x, blocks, kCount<coefficients> - 2, count);
}

// ((x + next) * x + ...) * x + ..., the same for a highest coefficient of 1.
template <const auto& coefficients>
__aicore__ inline void MonicPolynomial(const Tile& result, const Tile& x, const Tile& blocks, uint32_t count) {
    AscendC::Adds(result, x, coefficients[0], count);
    MulAddEach(result, x, blocks, kCount<coefficients> - 1, count);
}

// x between -`most` and `most`, and its square.
__aicore__ inline void Clamp(const Tile& result, const Tile& square, const Tile& x, float most, uint32_t count) {
    AscendC::Mins(result, x, most, count);
    AscendC::Maxs(result, result, -most, count);
    AscendC::Mul(square, result, result, count);
}

// `size` with the sign of x; `negative` is -size.
__aicore__ inline void Signed(const Tile& size, const Tile& negative, const Tile& x, const Mask& mask, uint32_t count,
                              uint32_t compareCount) {
    AscendC::CompareScalar(mask, x, 0.0f, AscendC::CMPMODE::GT, compareCount);
    AscendC::Select(size, mask, size, negative, AscendC::SELMODE::VSEL_TENSOR_TENSOR_MODE, count);
}

template <typename Stored = float>
__aicore__ inline void FillTanh(const Tile& blocks) {
    if constexpr (kFloatOf16Bits<Stored>) {
        Fill<kTanhUpper16, 2>(blocks);
        Fill<kTanhLower16, 1>(blocks[kFloats<kTanhUpper16>]);
    } else {
        Fill<kTanhNear, 2>(blocks);
    }
}

// Hyperbolic tangent, accurate to 2 units in the last place, or to 2.3e-6 of its size if it is stored in 16 bits. From
// |x| = 0.7 on it is 1 - 2e / (1 + e) with e = exp(-2 |x|).
template <typename Stored = float>
__aicore__ inline void Tanh(const Tile& result, const Tile& x, const Tile& size, const Tile& square, const Tile& work,
                            const Mask& mask, const Tile& blocks, uint32_t count, uint32_t compareCount) {
    if constexpr (kFloatOf16Bits<Stored>) {
        Clamp(size, square, x, 5.0f, count);
        Polynomial<kTanhUpper16>(work, square, blocks, count);
        AscendC::Mul(size, size, work, count);
        MonicPolynomial<kTanhLower16>(work, square, blocks[kFloats<kTanhUpper16>], count);
        AscendC::Div(result, size, work, count);
        return;
    }
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
    Polynomial<kTanhNear>(work, square, blocks, count);
    AscendC::Mul(work, work, x, count);
    AscendC::CompareScalar(mask, square, 0.49f, AscendC::CMPMODE::GE, compareCount);
    AscendC::Select(result, mask, size, work, AscendC::SELMODE::VSEL_TENSOR_TENSOR_MODE, count);
}

template <typename Stored = float>
__aicore__ inline void FillErf(const Tile& blocks) {
    if constexpr (kFloatOf16Bits<Stored>) {
        Fill<kErfUpper16, 2>(blocks);
        Fill<kErfLower16, 1>(blocks[kFloats<kErfUpper16>]);
    } else {
        Fill<kErfFar, 2>(blocks);
        Fill<kErfNear, 2>(blocks[kFloats<kErfFar>]);
    }
}

// The error function, accurate to 2 units in the last place, or to 6.2e-6 of its size if it is stored in 16 bits. From
// |x| = 0.9 on it is 1 - exp(t * g(t)) with t = |x|, and from 4 on it is 1. Near 0 a polynomial is added to x, so that
// the rounding of the first coefficient has little effect.
template <typename Stored = float>
__aicore__ inline void Erf(const Tile& result, const Tile& x, const Tile& size, const Tile& square, const Tile& work,
                           const Mask& mask, const Tile& blocks, uint32_t count, uint32_t compareCount) {
    if constexpr (kFloatOf16Bits<Stored>) {
        Clamp(size, square, x, 3.2f, count);
        Polynomial<kErfUpper16>(work, square, blocks, count);
        AscendC::Mul(size, size, work, count);
        MonicPolynomial<kErfLower16>(work, square, blocks[kFloats<kErfUpper16>], count);
        AscendC::Div(result, size, work, count);
        return;
    }
    AscendC::Abs(size, x, count);
    AscendC::Mins(size, size, 4.0f, count);
    Polynomial<kErfFar>(work, size, blocks, count);
    AscendC::Mul(size, size, work, count);
    AscendC::Exp(size, size, count);
    AscendC::Adds(work, size, -1.0f, count);
    AscendC::Muls(size, work, -1.0f, count);
    Signed(size, work, x, mask, count, compareCount);

    AscendC::Mul(square, x, x, count);
    Polynomial<kErfNear>(work, square, blocks[kFloats<kErfFar>], count);
    AscendC::Mul(work, work, x, count);
    AscendC::Add(work, work, x, count);
    AscendC::CompareScalar(mask, square, 0.81f, AscendC::CMPMODE::GE, compareCount);
    AscendC::Select(result, mask, size, work, AscendC::SELMODE::VSEL_TENSOR_TENSOR_MODE, count);
}

template <typename Stored = float>
__aicore__ inline void FillGelu(const Tile& blocks) {
    if constexpr (kFloatOf16Bits<Stored>) {
        Fill<kGeluUpper16, 2>(blocks);
        Fill<kGeluLower16, 1>(blocks[kFloats<kGeluUpper16>]);
    } else {
        Fill<kGeluUpper, 2>(blocks);
        Fill<kGeluLower, 2>(blocks[kFloats<kGeluUpper>]);
    }
}

// x * Phi(x), where Phi is the normal distribution. It is computed as max(x, 0) - |x| * Phi(-|x|), with Phi(-a) as
// exp(-a^2 / 2) * g(a) and g(a) as a quotient of polynomials. This keeps the digits of negative x, which 1 + erf(x /
// sqrt(2)) would cancel. The error is 5 units in the last place for x > -2, and a^2 / 2 more below; if it is stored in
// 16 bits, 1.3e-5 of its size, and 8e-5 from a = 4.5 on. From a = 14.5 on, the subtracted term is 0.
template <typename Stored = float>
__aicore__ inline void Gelu(const Tile& result, const Tile& x, const Tile& size, const Tile& below, const Tile& work,
                            const Tile& blocks, uint32_t count) {
    AscendC::Abs(size, x, count);
    AscendC::Mins(size, size, 14.5f, count);
    AscendC::Mul(below, size, size, count);
    AscendC::Muls(below, below, -0.5f, count);
    AscendC::Exp(below, below, count);
    AscendC::Mul(below, below, size, count);
    if constexpr (kFloatOf16Bits<Stored>) {
        Polynomial<kGeluUpper16>(work, size, blocks, count);
        AscendC::Mul(below, below, work, count);
        MonicPolynomial<kGeluLower16>(work, size, blocks[kFloats<kGeluUpper16>], count);
    } else {
        Polynomial<kGeluUpper>(work, size, blocks, count);
        AscendC::Mul(below, below, work, count);
        Polynomial<kGeluLower>(work, size, blocks[kFloats<kGeluUpper>], count);
    }
    AscendC::Div(below, below, work, count);
    AscendC::Relu(result, x, count);
    AscendC::Sub(result, result, below, count);
}

template <typename Stored = float>
__aicore__ inline void FillLog1p(const Tile& blocks) {
    if constexpr (!kFloatOf16Bits<Stored>) {
        Fill<kLog1p, 2>(blocks);
    }
}

// ln(1 + x), accurate to 2 units in the last place. Near 0 it is x - s * (x - R), with s = x / (x + 2) and a polynomial
// R in s^2, such that s * (2 + R) is 2 * artanh(s). From |s| = 1/4 on, 1 + x loses no digits that matter. For 16 bits
// it is x - x^2 / 2 up to |x| = 0.008, accurate to 2.2e-5 of its size.
template <typename Stored = float>
__aicore__ inline void Log1p(const Tile& result, const Tile& x, const Tile& size, const Tile& square, const Tile& work,
                             const Mask& mask, const Tile& blocks, uint32_t count, uint32_t compareCount) {
    if constexpr (kFloatOf16Bits<Stored>) {
        AscendC::Mul(square, x, x, count);
        AscendC::Muls(work, square, -0.5f, count);
        AscendC::Add(work, work, x, count);
    } else {
        AscendC::Adds(work, x, 2.0f, count);
        AscendC::Div(size, x, work, count);
        AscendC::Mul(square, size, size, count);
        Polynomial<kLog1p>(work, square, blocks, count);
        AscendC::FusedMulAdd(work, square, x, count);
        AscendC::Mul(work, work, size, count);
        AscendC::Sub(work, x, work, count);
    }
    AscendC::Adds(size, x, 1.0f, count);
    AscendC::Ln(size, size, count);
    constexpr float kNear = kFloatOf16Bits<Stored> ? 6.4e-5f : 0.0625f;
    AscendC::CompareScalar(mask, square, kNear, AscendC::CMPMODE::LE, compareCount);
    AscendC::Select(result, mask, work, size, AscendC::SELMODE::VSEL_TENSOR_TENSOR_MODE, count);
}

template <typename Stored = float>
__aicore__ inline void FillLog1pUpTo1(const Tile& blocks) {
    if constexpr (!kFloatOf16Bits<Stored>) {
        Fill<kLog1pUpTo1, 2>(blocks);
    }
}

// ln(1 + x) for x from 0 to 1. The formula of Log1p near 0 holds everywhere.
template <typename Stored = float>
__aicore__ inline void Log1pUpTo1(const Tile& result, const Tile& x, const Tile& size, const Tile& square,
                                  const Tile& work, const Mask& mask, const Tile& blocks, uint32_t count,
                                  uint32_t compareCount) {
    if constexpr (kFloatOf16Bits<Stored>) {
        AscendC::Muls(work, x, -0.5f, count);
        AscendC::FusedMulAdd(work, x, x, count);
        AscendC::Adds(size, x, 1.0f, count);
        AscendC::Ln(size, size, count);
        AscendC::CompareScalar(mask, x, 0.008f, AscendC::CMPMODE::LE, compareCount);
        AscendC::Select(result, mask, work, size, AscendC::SELMODE::VSEL_TENSOR_TENSOR_MODE, count);
        return;
    }
    AscendC::Adds(work, x, 2.0f, count);
    AscendC::Div(size, x, work, count);
    AscendC::Mul(square, size, size, count);
    Polynomial<kLog1pUpTo1>(work, square, blocks, count);
    AscendC::FusedMulAdd(work, square, x, count);
    AscendC::Mul(work, work, size, count);
    AscendC::Sub(result, x, work, count);
}

// exp(x) - 1, accurate to 2 units in the last place. Up to |x| = 0.41 it is x + x * c / (2 - c), where c is x plus a
// polynomial in x^2. For 16 bits it is x + x^2 / 2 up to |x| = 0.01, accurate to 1.7e-5 of its size.
template <typename Stored = float>
__aicore__ inline void Expm1(const Tile& result, const Tile& x, const Tile& size, const Tile& work, const Mask& mask,
                             uint32_t count, uint32_t compareCount) {
    constexpr float kNear = kFloatOf16Bits<Stored> ? 1e-4f : 0.17f;
    AscendC::Mul(work, x, x, count);
    AscendC::CompareScalar(mask, work, kNear, AscendC::CMPMODE::LE, compareCount);
    if constexpr (kFloatOf16Bits<Stored>) {
        AscendC::Muls(work, work, 0.5f, count);
        AscendC::Add(work, work, x, count);
    } else {
        AscendC::Muls(size, work, 0.0027620201f, count);
        AscendC::Adds(size, size, -0.16666582f, count);
        AscendC::FusedMulAdd(size, work, x, count);
        AscendC::Muls(work, size, -1.0f, count);
        AscendC::Adds(work, work, 2.0f, count);
        AscendC::Div(work, size, work, count);
        AscendC::FusedMulAdd(work, x, x, count);
    }
    AscendC::Exp(size, x, count);
    AscendC::Adds(size, size, -1.0f, count);
    AscendC::Select(result, mask, work, size, AscendC::SELMODE::VSEL_TENSOR_TENSOR_MODE, count);
}

template <typename Stored = float>
__aicore__ inline void FillExpm1UpTo0(const Tile& blocks) {
    if constexpr (!kFloatOf16Bits<Stored>) {
        Fill<kExpm1UpTo0, 2>(blocks);
    }
}

// exp(x) - 1 for x up to 0, as exact as Expm1. From -0.3 on it is x plus x^2 times a polynomial; below that, exp(x) - 1
// loses no digits that matter. For 16 bits it is x + x^2 / 2 from -0.01 on.
template <typename Stored = float>
__aicore__ inline void Expm1UpTo0(const Tile& result, const Tile& x, const Tile& size, const Tile& work,
                                  const Mask& mask, const Tile& blocks, uint32_t count, uint32_t compareCount) {
    constexpr float kNear = kFloatOf16Bits<Stored> ? -0.01f : -0.3f;
    AscendC::CompareScalar(mask, x, kNear, AscendC::CMPMODE::GE, compareCount);
    if constexpr (kFloatOf16Bits<Stored>) {
        AscendC::Muls(work, x, 0.5f, count);
    } else {
        Polynomial<kExpm1UpTo0>(work, x, blocks, count);
        AscendC::Mul(work, work, x, count);
    }
    AscendC::FusedMulAdd(work, x, x, count);
    AscendC::Exp(size, x, count);
    AscendC::Adds(size, size, -1.0f, count);
    AscendC::Select(result, mask, work, size, AscendC::SELMODE::VSEL_TENSOR_TENSOR_MODE, count);
}

// The logarithm to base 2, accurate to 3 units in the last place, and exact for powers of 2: a value beside an integer
// becomes that integer. Adding 1.5 * 2^23 and subtracting it again rounds to an integer.
__aicore__ inline void Log2(const Tile& result, const Tile& x, const Tile& size, const Tile& nearest, const Tile& work,
                            const Mask& mask, uint32_t count, uint32_t compareCount) {
    AscendC::Ln(size, x, count);
    AscendC::Muls(size, size, 1.442695f, count);
    AscendC::Adds(nearest, size, 12582912.0f, count);
    AscendC::Adds(nearest, nearest, -12582912.0f, count);
    AscendC::Sub(work, size, nearest, count);
    AscendC::Abs(work, work, count);
    AscendC::Abs(result, nearest, count);
    AscendC::Muls(result, result, 1.4e-7f, count);
    AscendC::Compare(mask, work, result, AscendC::CMPMODE::LE, compareCount);
    AscendC::Select(result, mask, nearest, size, AscendC::SELMODE::VSEL_TENSOR_TENSOR_MODE, count);
}

// 2 to the power of x, accurate to 3 units in the last place. It is exp(n * C) * exp(r) with the integer n nearest to
// x. C is near ln 2 and has 9 bits, so that n * C is exact; r is the small rest of x * ln 2. exp(x * ln 2) would
// multiply the rounding error of x * ln 2 by its size.
__aicore__ inline void Exp2(const Tile& result, const Tile& x, const Tile& whole, const Tile& rest, uint32_t count) {
    AscendC::Maxs(rest, x, -200.0f, count);
    AscendC::Mins(rest, rest, 200.0f, count);
    AscendC::Adds(whole, rest, 12582912.0f, count);
    AscendC::Adds(whole, whole, -12582912.0f, count);
    AscendC::Mins(whole, whole, 127.0f, count);
    AscendC::Sub(rest, rest, whole, count);
    AscendC::Muls(rest, rest, 0.6931472f, count);
    AscendC::Axpy(rest, whole, -0.00021219444f, count);
    AscendC::Exp(rest, rest, count);
    AscendC::Muls(whole, whole, 0.69335938f, count);
    AscendC::Exp(whole, whole, count);
    AscendC::Mul(result, rest, whole, count);
}

__aicore__ inline void FillWave(const Tile& blocks) { Fill<kWave, 2>(blocks); }

// sin(x), or cos(x) as sin(x + pi / 2), accurate to 3 units in the last place for |x| up to 10000; for larger angles
// the error grows with |x|. It is sin(x - k * pi) for the nearest k * pi, with a sign that depends on whether k is
// even. Pi is a sum of numbers with so few bits that their products with k are exact. For the cosine, k ends in 1/2.
template <bool cosine>
__aicore__ inline void Wave(const Tile& result, const Tile& x, const Tile& rest, const Tile& square, const Tile& turns,
                            const Tile& blocks, uint32_t count) {
    AscendC::Muls(turns, x, 0.31830987f, count);
    if constexpr (cosine) {
        AscendC::Adds(turns, turns, -0.5f, count);
    }
    AscendC::Adds(turns, turns, 12582912.0f, count);
    AscendC::Adds(turns, turns, -12582912.0f, count);
    if constexpr (cosine) {
        AscendC::Adds(turns, turns, 0.5f, count);
    }

    AscendC::Muls(rest, turns, -3.140625f, count);
    AscendC::Add(rest, rest, x, count);
    AscendC::Axpy(rest, turns, -0.00096702576f, count);
    AscendC::Axpy(rest, turns, -6.277114e-07f, count);
    AscendC::Axpy(rest, turns, -1.2164492e-10f, count);
    AscendC::Axpy(rest, turns, 1.0291767e-13f, count);

    // The sign: 1 if the number of turns is even, else -1; the reverse for the cosine.
    if constexpr (cosine) {
        AscendC::Adds(turns, turns, -0.5f, count);
    }
    AscendC::Muls(square, turns, 0.5f, count);
    AscendC::Adds(square, square, 12582912.0f, count);
    AscendC::Adds(square, square, -12582912.0f, count);
    AscendC::Axpy(turns, square, -2.0f, count);
    AscendC::Mul(turns, turns, turns, count);
    AscendC::Muls(turns, turns, cosine ? 2.0f : -2.0f, count);
    AscendC::Adds(result, turns, cosine ? -1.0f : 1.0f, count);

    AscendC::Mul(square, rest, rest, count);
    Polynomial<kWave>(turns, square, blocks, count);
    AscendC::Mul(turns, turns, square, count);
    AscendC::FusedMulAdd(turns, rest, rest, count);
    AscendC::Mul(result, result, turns, count);
    AscendC::Mins(result, result, 1.0f, count);
    AscendC::Maxs(result, result, -1.0f, count);
}

__aicore__ inline void Sin(const Tile& result, const Tile& x, const Tile& rest, const Tile& square, const Tile& turns,
                           const Tile& blocks, uint32_t count) {
    Wave<false>(result, x, rest, square, turns, blocks, count);
}

__aicore__ inline void Cos(const Tile& result, const Tile& x, const Tile& rest, const Tile& square, const Tile& turns,
                           const Tile& blocks, uint32_t count) {
    Wave<true>(result, x, rest, square, turns, blocks, count);
}

{% if coupled %}
// No Power and no Fmod: at least one SoC of this project has no ShiftRight and no casts between float and int32_t.
{% else %}
// x to the power of y, with IEEE's values for zeros, infinities and 1. It is NaN for a finite negative x if y is not an
// integer. The value is exp(y * ln|x|), accurate to 2 + 2 * |y * ln|x|| units in the last place. For an odd integer y,
// it has the sign of x.
__aicore__ inline void Power(const Tile& result, const Tile& x, const Tile& y, const Tile& size, const Tile& sign,
                             const Tile& work, const Mask& mask, const Mask& other, uint32_t count,
                             uint32_t compareCount) {
    AscendC::Abs(work, x, count);
    AscendC::Ln(size, work, count);
    AscendC::Mul(size, size, y, count);
    AscendC::Exp(size, size, count);
    // 1 if |x| is 1 or y is 0, for any other operand. Without this, infinity times zero would give NaN.
    AscendC::CompareScalar(mask, work, 1.0f, AscendC::CMPMODE::NE, compareCount);
    AscendC::Select(size, mask, size, 1.0f, AscendC::SELMODE::VSEL_TENSOR_SCALAR_MODE, count);
    AscendC::CompareScalar(mask, y, 0.0f, AscendC::CMPMODE::NE, compareCount);
    AscendC::Select(size, mask, size, 1.0f, AscendC::SELMODE::VSEL_TENSOR_SCALAR_MODE, count);

    // The sign for negative x and an integer y: 1 if y / 2 is an integer as well, else -1.
    AscendC::Muls(sign, y, 0.5f, count);
    AscendC::Cast(work, sign, AscendC::RoundMode::CAST_TRUNC, count);
    AscendC::Compare(mask, work, sign, AscendC::CMPMODE::EQ, compareCount);
    AscendC::Duplicate(sign, 1.0f, count);
    AscendC::Select(sign, mask, sign, -1.0f, AscendC::SELMODE::VSEL_TENSOR_SCALAR_MODE, count);
    // For any other y: NaN, like the square root of x, but 1 if x is zero or infinite.
    AscendC::Cast(work, y, AscendC::RoundMode::CAST_TRUNC, count);
    AscendC::Compare(mask, work, y, AscendC::CMPMODE::EQ, compareCount);
    AscendC::Sqrt(work, x, count);
    AscendC::Muls(work, work, 0.0f, count);
    AscendC::Adds(work, work, 1.0f, count);
    AscendC::CompareScalar(other, x, -3.4028235e+38f, AscendC::CMPMODE::GE, compareCount);
    AscendC::Select(work, other, work, 1.0f, AscendC::SELMODE::VSEL_TENSOR_SCALAR_MODE, count);
    AscendC::Select(sign, mask, sign, work, AscendC::SELMODE::VSEL_TENSOR_TENSOR_MODE, count);
    // 1 if x has no minus sign. Zero may have one.
    const AscendC::LocalTensor<int32_t> signBits = work.ReinterpretCast<int32_t>();
    AscendC::ShiftRight(signBits, x.ReinterpretCast<int32_t>(), 31, count);
    AscendC::Cast(work, signBits, AscendC::RoundMode::CAST_RINT, count);
    AscendC::CompareScalar(mask, work, 0.0f, AscendC::CMPMODE::LT, compareCount);
    AscendC::Select(sign, mask, sign, 1.0f, AscendC::SELMODE::VSEL_TENSOR_SCALAR_MODE, count);
    AscendC::Mul(result, size, sign, count);
}

// The upper 12 of the 24 bits of a number.
__aicore__ inline void UpperBits(const Tile& result, const Tile& x, uint32_t count) {
    const AscendC::LocalTensor<int32_t> bits = result.ReinterpretCast<int32_t>();
    AscendC::ShiftRight(bits, x.ReinterpretCast<int32_t>(), 12, count);
    AscendC::ShiftLeft(bits, bits, 12, count);
}

// What is left of x after whole multiples of y, with the sign of x: exact, however large the quotient is. A quotient of
// 277 bits, the most there are, is divided out in 12 steps of 24 bits, beginning with the divisor |y| * 2^264. Quotient
// and divisor are sums of two numbers with 12 bits each, so that their products are exact, and so are the differences
// in this order. NaN if x is infinite or y is 0.
__aicore__ inline void Fmod(const Tile& result, const Tile& x, const Tile& y, const Tile& rest, const Tile& divisor,
                            const Tile& upper, const Tile& lower, const Tile& quotient, const Tile& part,
                            const Mask& mask, uint32_t count, uint32_t compareCount) {
    AscendC::Abs(rest, x, count);
    for (float scale = 3.0948501e+26f; scale >= 1.0f; scale *= 0.00390625f) {  // 2^88, 2^80, ... 1
        AscendC::Abs(divisor, y, count);
        AscendC::Muls(divisor, divisor, scale, count);
        AscendC::Muls(divisor, divisor, scale, count);
        AscendC::Muls(divisor, divisor, scale, count);
        AscendC::Div(quotient, rest, divisor, count);  // 0 where the divisor is infinite
        AscendC::Cast(quotient, quotient, AscendC::RoundMode::CAST_TRUNC, count);
        AscendC::Mins(divisor, divisor, 3.4028235e+38f, count);

        UpperBits(upper, divisor, count);
        AscendC::Sub(lower, divisor, upper, count);
        AscendC::Muls(part, quotient, 0.00024414062f, count);
        AscendC::Cast(part, part, AscendC::RoundMode::CAST_TRUNC, count);
        AscendC::Muls(part, part, 4096.0f, count);
        AscendC::Sub(quotient, quotient, part, count);

        AscendC::Mul(divisor, part, upper, count);
        AscendC::Sub(rest, rest, divisor, count);
        AscendC::Mul(part, part, lower, count);
        AscendC::Sub(rest, rest, part, count);
        AscendC::Mul(divisor, quotient, upper, count);
        AscendC::Sub(rest, rest, divisor, count);
        AscendC::Mul(quotient, quotient, lower, count);
        AscendC::Sub(rest, rest, quotient, count);
    }
    AscendC::Abs(divisor, y, count);
    AscendC::Add(divisor, rest, divisor, count);
    AscendC::CompareScalar(mask, rest, 0.0f, AscendC::CMPMODE::LT, compareCount);
    AscendC::Select(rest, mask, divisor, rest, AscendC::SELMODE::VSEL_TENSOR_TENSOR_MODE, count);
    // The sign of x, which zero has, too.
    const AscendC::LocalTensor<uint32_t> signBits = part.ReinterpretCast<uint32_t>();
    AscendC::ShiftRight(signBits, x.ReinterpretCast<uint32_t>(), 31u, count);
    AscendC::ShiftLeft(signBits, signBits, 31u, count);
    AscendC::Or(result.ReinterpretCast<uint16_t>(), rest.ReinterpretCast<uint16_t>(), part.ReinterpretCast<uint16_t>(),
                2 * count);
}

{% endif %}
}  // namespace vector_math

#endif  // VECTOR_MATH_H
