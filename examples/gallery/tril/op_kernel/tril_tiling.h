// What op_host tells the kernel of Tril.
#ifndef TRIL_TILING_H
#define TRIL_TILING_H

#include <cstdint>

struct TrilTilingData {
    uint32_t lines;  // rows of all matrices
    uint32_t rows;   // of a matrix
    uint32_t cols;
    int32_t diagonal;
};

#endif  // TRIL_TILING_H
