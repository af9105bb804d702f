// What op_host tells the kernel of SiluMul.
#ifndef SILU_MUL_TILING_H
#define SILU_MUL_TILING_H

#include <cstdint>

struct SiluMulTilingData {
    uint32_t total;
    uint32_t tile;
};

#endif  // SILU_MUL_TILING_H
