// What op_host tells the kernel of EmbeddingGrad.
#ifndef EMBEDDING_GRAD_TILING_H
#define EMBEDDING_GRAD_TILING_H

#include <cstdint>

struct EmbeddingGradTilingData {
    uint32_t rows;
    uint32_t width;
    int32_t weights;
    int32_t padding;
};

#endif  // EMBEDDING_GRAD_TILING_H
