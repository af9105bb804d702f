// The registers of a core's cube unit: what Set... calls leave for LoadData, Mmad and Fixpipe.
#ifndef OPFORGE_SIM_KERNEL_CUBE_REGISTERS_H
#define OPFORGE_SIM_KERNEL_CUBE_REGISTERS_H

#include <cstdint>
#include <vector>

#include "kernel_api.h"
#include "sim/cube.h"

namespace sim {

struct CubeRegisters {
    // LoadData of an image
    bool hasShape = false;
    ImageShape shape{};
    uint64_t padding = 0;
    uint32_t boundary = 0;
    uint16_t repeatStride = 0;
    uint8_t repeatTimes = 1;
    uint8_t repeatMode = 0;
    // Mmad
    bool hf32 = false;
    Hf32 ties = Hf32::kEven;
    // Fixpipe
    bool hasMatrices = false;
    uint16_t matrices = 1;
    uint16_t srcMatrix = 0;
    uint16_t dstMatrix = 0;
    bool hasScale = false;
    uint64_t scale = 0;
    bool hasScales = false;
    Ub scales{};
    // a flag for each 512 bytes of L0C: 1 while a result waits there for Fixpipe
    std::vector<bool> unitFlags;
};

}  // namespace sim

#endif
