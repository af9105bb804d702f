// What op_host tells the kernel of MaskedRows.
#ifndef MASKED_ROWS_TILING_H
#define MASKED_ROWS_TILING_H

#include <cstdint>

struct MaskedRowsTilingData {
    uint32_t rows;
    uint32_t columns;
    uint32_t perBlock;  // rows of a core
    uint32_t tile;      // elements that are copied at once
};

#endif  // MASKED_ROWS_TILING_H
