// What op_host tells the kernel of MatmulIntrinsics.
#ifndef MATMUL_INTRINSICS_TILING_H
#define MATMUL_INTRINSICS_TILING_H

#include <cstdint>

struct MatmulIntrinsicsTilingData {
    uint32_t m;
    uint32_t k;
    uint32_t n;
};

#endif  // MATMUL_INTRINSICS_TILING_H
