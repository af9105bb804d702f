// What the headers of Pad, UnPad, DropOut, TransData and Transpose ask of libascendc_sim.
// Pages: SIMD-API/高阶API/张量变换, 数据过滤
#include "private.h"
#ifndef ASCENDC_SIM_ADV_PAD_H
#define ASCENDC_SIM_ADV_PAD_H

#include "adv.h"

namespace sim {

// A matrix of 2-byte or 4-byte elements gets columns, or loses them.
struct PadOperands {
    uint32_t element;                     // bytes
    uint32_t rows, columns, usedColumns;  // of the tiling; UnPad has no usedColumns
    uint32_t left, right;                 // columns
    uint32_t value;                       // the bits of an added element
    Ub dst, src;
    const Ub* room;
};
ASCENDC_SIM_API void Pad(const VectorCall& call, const PadOperands& operands);
ASCENDC_SIM_API void UnPad(const VectorCall& call, const PadOperands& operands);

// src / keepProb where the mask keeps it, else 0. Mode 0 is one of the others, by the shapes.
struct DropOutOperands {
    Dtype type;
    uint32_t mode;
    uint32_t rows, columns, maskColumns;
    double keepProb;
    Ub dst, src, mask;
    const Ub* room;
};
ASCENDC_SIM_API void DropOut(const VectorCall& call, const DropOutOperands& operands);

// Between NCDHW, whose planes H * W take whole blocks, and a format of sixteens: NDC1HWC0 or FRACTAL_Z_3D.
struct TransDataOperands {
    uint32_t element;  // bytes
    bool fractal;      // FRACTAL_Z_3D
    bool back;         // to NCDHW
    uint32_t n, c, d, h, w;
    const uint32_t* sixteens;  // the dims of the other format
    Ub dst, src;
    const Ub* room;
};
ASCENDC_SIM_API void TransData(const VectorCall& call, const TransDataOperands& operands);

// A scene of Transpose, by its number. `rows` is S and `columns` H/N; scene 7 has its matrix in batches and heads.
struct TransposeOperands {
    uint32_t element;   // bytes
    uint32_t scene;     // a TransposeType
    uint32_t perBlock;  // elements of 32 bytes, by the tiling
    uint32_t batches, heads, rows, columns;
    uint32_t roomElements;  // that scenes 1 and 2 use
    Ub dst, src;
    const Ub* room;
};
ASCENDC_SIM_API void TransposeScene(const VectorCall& call, const TransposeOperands& operands);

}  // namespace sim

#endif
