// What op_host tells the kernel of SubtractMean.
#ifndef SUBTRACT_MEAN_TILING_H
#define SUBTRACT_MEAN_TILING_H

#include <cstdint>

struct SubtractMeanTilingData {
    uint32_t total;
    uint32_t tile;
    uint32_t perBlock;  // elements of each core but the last
};

#endif  // SUBTRACT_MEAN_TILING_H
