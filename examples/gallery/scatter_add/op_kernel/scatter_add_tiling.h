// What op_host tells the kernel of ScatterAdd.
#ifndef SCATTER_ADD_TILING_H
#define SCATTER_ADD_TILING_H

#include <cstdint>

struct ScatterAddTilingData {
    uint32_t rows;  // of x
    uint32_t n;     // elements of a row
    uint32_t size;  // rows of y
};

#endif  // SCATTER_ADD_TILING_H
