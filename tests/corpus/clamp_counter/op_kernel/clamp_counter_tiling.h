// What op_host tells the kernel of ClampCounter.
#ifndef CLAMP_COUNTER_TILING_H
#define CLAMP_COUNTER_TILING_H

#include <cstdint>

struct ClampCounterTilingData {
    uint32_t total;  // elements
    uint32_t tile;   // elements
    float low;
    float high;
};

#endif  // CLAMP_COUNTER_TILING_H
