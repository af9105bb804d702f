// What op_host tells the kernel of MoeTokenPermute.
#ifndef MOE_TOKEN_PERMUTE_TILING_H
#define MOE_TOKEN_PERMUTE_TILING_H

#include <cstdint>

struct MoeTokenPermuteTilingData {
    uint32_t rows;  // of y
    uint32_t n;     // elements of a token
};

#endif  // MOE_TOKEN_PERMUTE_TILING_H
