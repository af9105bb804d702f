// What op_host tells the kernel of AdamInPlace.
#ifndef ADAM_IN_PLACE_TILING_H
#define ADAM_IN_PLACE_TILING_H

#include <cstdint>

struct AdamInPlaceTilingData {
    uint32_t total;
    uint32_t tile;
    float lr;
    float beta1;
    float beta2;
    float eps;
};

#endif  // ADAM_IN_PLACE_TILING_H
