// What op_host tells the kernel of LengthNormTwoPass.
#ifndef LENGTH_NORM_TWO_PASS_TILING_H
#define LENGTH_NORM_TWO_PASS_TILING_H

#include <cstdint>

struct LengthNormTwoPassTilingData {
    uint32_t total;
    uint32_t perBlock;  // elements of each core but the last, whole tiles
    uint32_t tile;
    float eps;
};

#endif  // LENGTH_NORM_TWO_PASS_TILING_H
