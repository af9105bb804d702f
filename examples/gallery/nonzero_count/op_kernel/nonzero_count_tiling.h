// What op_host tells the kernel of NonzeroCount.
#ifndef NONZERO_COUNT_TILING_H
#define NONZERO_COUNT_TILING_H

#include <cstdint>

struct NonzeroCountTilingData {
    uint32_t total;
    uint32_t perBlock;
};

#endif  // NONZERO_COUNT_TILING_H
