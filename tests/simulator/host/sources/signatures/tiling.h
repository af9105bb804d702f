// Tiling data that op_host fills and the kernels read.
#ifndef SIGNATURES_TILING_H
#define SIGNATURES_TILING_H
#include <cstdint>

struct ListTiling {
    uint32_t count;
    uint32_t padding;
    uint64_t elements;
};

struct DependTiling {
    int32_t counts[3];  // -1: absent
    float seen[3];      // the first value; -1: not on the host
};

struct AttrTiling {
    int32_t counts[3];
    float sums[4];
};
#endif
