// The matrix product on plain memory: half, bfloat16 or float operands, float32 sums, as the cube unit accumulates
// (基础API/矩阵计算（ISASI）/Mmad计算/Mmad), and the rounding of the sums on their way out.
#ifndef OPFORGE_SIM_KERNEL_CUBE_GEMM_H
#define OPFORGE_SIM_KERNEL_CUBE_GEMM_H

#include <cstdint>

#include "kernel_api.h"
#include "sim/cube.h"

namespace sim {

// A row-major matrix as it lies in memory; `transposed` says that the product takes its columns for rows.
struct GemmOperand {
    const void* data;
    Dtype type;      // kHalf, kBfloat16 or kFloat; kInt8 for GemmIntegers
    int64_t stride;  // elements between the starts of two rows in memory
    bool transposed;
    Hf32 hf32 = Hf32::kOff;  // of kFloat: rounded to that first
};

// c[i * stride + j] = sum over k of a[i, k] * b[k, j], added to what is there where `accumulate` says so. The order of
// the sum is not specified. Any size may be 0.
void Gemm(int64_t m, int64_t n, int64_t k, const GemmOperand& a, const GemmOperand& b, bool accumulate, float* c,
          int64_t stride);

// The same of int8_t, with int32_t sums that stay at their limits.
void GemmIntegers(int64_t m, int64_t n, int64_t k, const GemmOperand& a, const GemmOperand& b, bool accumulate,
                  int32_t* c, int64_t stride);

// What a write does with the value that is there. The values are those of enAtomic.
enum class Combine : uint8_t { kReplace, kAdd, kMax, kMin };

// `count` sums into `to`, rounded to nearest even.
void StoreSums(const float* from, int64_t count, Dtype type, Combine combine, void* to);

// `count` values to the 11 bits of mantissa of HF32; infinities and NaN stay.
void RoundToHf32(float* values, int64_t count, Hf32 ties);

// `count` values of a row, widened.
void WidenRow(const void* from, Dtype type, int64_t count, float* to);

}  // namespace sim

#endif
