// What op_host tells the kernel of ForeachAdd.
#ifndef FOREACH_ADD_TILING_H
#define FOREACH_ADD_TILING_H

#include <cstdint>

constexpr uint32_t kForeachAddMostTensors = 32;

struct ForeachAddTilingData {
    uint32_t count;  // tensors
    uint32_t tile;
    uint64_t sizes[kForeachAddMostTensors];
};

#endif  // FOREACH_ADD_TILING_H
