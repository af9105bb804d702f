// What op_host tells the kernel of CumsumRows.
#ifndef CUMSUM_ROWS_TILING_H
#define CUMSUM_ROWS_TILING_H

#include <cstdint>

struct CumsumRowsTilingData {
    uint32_t rows;
    uint32_t cols;
    uint32_t stripe;  // columns that one core sums up
    uint32_t rowsPerTile;
};

#endif  // CUMSUM_ROWS_TILING_H
