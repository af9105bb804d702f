// What op_host tells the kernel of AddFlags.
#ifndef ADD_FLAGS_TILING_H
#define ADD_FLAGS_TILING_H

#include <cstdint>

struct AddFlagsTilingData {
    uint32_t total;     // elements
    uint32_t perBlock;  // elements of each core but the last, whole tiles
    uint32_t tile;      // elements
};

#endif  // ADD_FLAGS_TILING_H
