// What the vector instructions compute, on plain memory: one loop per function and data type.
// half computes in float and rounds to nearest even, as the vector unit does.
#ifndef OPFORGE_SIM_KERNEL_VECTOR_ARITHMETIC_H
#define OPFORGE_SIM_KERNEL_VECTOR_ARITHMETIC_H

#include <cstddef>
#include <cstdint>

#include "kernel_api.h"
#include "sim/vector.h"

namespace sim {

struct Lanes {
    void* dst;
    const void* src0;
    const void* src1;
    uint64_t scalar;
    size_t count;
};

using Loop = void (*)(const Lanes&);

// The loop of a function, or null where the vector unit has none for the type.
Loop UnaryLoop(UnaryOp op, Dtype type);
Loop BinaryLoop(BinaryOp op, Dtype type, Dtype from);
Loop ScalarLoop(ScalarOp op, Dtype type, Dtype from);
// ShiftRight with roundEn.
Loop RoundedShiftLoop(Dtype type);
// `m200`: the table of the inference products (ascend310p), else that of Atlas A2 and A3.
Loop CastLoop(Dtype type, Dtype from, AscendC::RoundMode mode, bool m200);
Loop CopyLoop(uint32_t bytes);
// Writes one bit per element; count is a multiple of 8. With a scalar, src1 is null.
Loop CompareLoop(AscendC::CMPMODE mode, Dtype type);
Loop CompareScalarLoop(AscendC::CMPMODE mode, Dtype type);
Loop FillLoop(Dtype type);

uint32_t BytesOf(Dtype type);
uint32_t BitsOf(Dtype type);
// As the cube unit's speed goes: half is 2; float is a quarter as fast.
float CubeBytesOf(Dtype type);
const char* Name(Dtype type);

}  // namespace sim

#endif
