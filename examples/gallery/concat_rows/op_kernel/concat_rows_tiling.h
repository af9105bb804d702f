// What op_host tells the kernel of ConcatRows.
#ifndef CONCAT_ROWS_TILING_H
#define CONCAT_ROWS_TILING_H

#include <cstdint>

struct ConcatRowsTilingData {
    uint32_t count;  // tensors
};

#endif  // CONCAT_ROWS_TILING_H
