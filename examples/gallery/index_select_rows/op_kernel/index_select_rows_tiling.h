// What op_host tells the kernel of IndexSelectRows.
#ifndef INDEX_SELECT_ROWS_TILING_H
#define INDEX_SELECT_ROWS_TILING_H

#include <cstdint>

struct IndexSelectRowsTilingData {
    uint32_t rows;  // of y
    uint32_t n;     // elements of a row
};

#endif  // INDEX_SELECT_ROWS_TILING_H
