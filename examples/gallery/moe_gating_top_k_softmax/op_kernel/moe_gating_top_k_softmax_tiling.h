// What op_host tells the kernel of MoeGatingTopKSoftmax.
#ifndef MOE_GATING_TOP_K_SOFTMAX_TILING_H
#define MOE_GATING_TOP_K_SOFTMAX_TILING_H

#include <cstdint>

struct MoeGatingTopKSoftmaxTilingData {
    uint32_t rows;  // tokens
    uint32_t n;     // experts
    uint32_t k;
};

#endif  // MOE_GATING_TOP_K_SOFTMAX_TILING_H
