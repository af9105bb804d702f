// What op_host tells the kernel.
#ifndef {{ guard }}_TILING_H
#define {{ guard }}_TILING_H

#include <cstdint>

struct {{ op_type }}TilingData {
    int64_t rows;
    int64_t rowsPerBlock;  // of each core but the last
    int64_t columns;
};

#endif  // {{ guard }}_TILING_H
