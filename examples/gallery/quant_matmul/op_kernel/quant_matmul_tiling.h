// What op_host tells the kernel of QuantMatmul.
#ifndef QUANT_MATMUL_TILING_H
#define QUANT_MATMUL_TILING_H

#include <cstdint>

struct QuantMatmulTilingData {
    uint32_t m;
    uint32_t k;
    uint32_t n;
    float scale;
};

#endif  // QUANT_MATMUL_TILING_H
