#ifndef MATMUL_LEAKY_MIX_TILING_H
#define MATMUL_LEAKY_MIX_TILING_H
#include <cstdint>

struct MatmulLeakyMixTilingData {
    uint32_t m;
    uint32_t n;
    uint32_t k;
    float slope;
};

#endif
