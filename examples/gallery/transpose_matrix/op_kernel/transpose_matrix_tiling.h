// What op_host tells the kernel of TransposeMatrix.
#ifndef TRANSPOSE_MATRIX_TILING_H
#define TRANSPOSE_MATRIX_TILING_H

#include <cstdint>

struct TransposeMatrixTilingData {
    uint32_t rows;     // of x
    uint32_t columns;  // of x
};

#endif  // TRANSPOSE_MATRIX_TILING_H
