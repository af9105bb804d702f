// What op_host tells the kernel of TopKRows.
#ifndef TOP_K_ROWS_TILING_H
#define TOP_K_ROWS_TILING_H

#include <cstdint>

struct TopKRowsTilingData {
    uint32_t rows;
    uint32_t n;  // elements of a row
    uint32_t k;
};

#endif  // TOP_K_ROWS_TILING_H
