// What op_host tells the kernel of ArgmaxRows.
#ifndef ARGMAX_ROWS_TILING_H
#define ARGMAX_ROWS_TILING_H

#include <cstdint>

struct ArgmaxRowsTilingData {
    uint32_t rows;
    uint32_t cols;
    uint32_t perCore;  // rows of each core but the last
};

#endif  // ARGMAX_ROWS_TILING_H
