// What op_host tells the kernel of PerSocConfig.
#ifndef PER_SOC_CONFIG_TILING_H
#define PER_SOC_CONFIG_TILING_H

#include <cstdint>

struct PerSocConfigTilingData {
    uint32_t total;
    uint32_t tile;
};

#endif  // PER_SOC_CONFIG_TILING_H
