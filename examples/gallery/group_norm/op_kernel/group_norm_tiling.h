// What op_host tells the kernel of GroupNorm.
#ifndef GROUP_NORM_TILING_H
#define GROUP_NORM_TILING_H

#include <cstdint>

struct GroupNormTilingData {
    uint32_t groups;  // of all samples
    uint32_t groupsPerSample;
    uint32_t channels;  // of a group
    uint32_t length;    // of a channel
    uint32_t tile;
    float epsilon;
};

#endif  // GROUP_NORM_TILING_H
