// What gathers and sorts leave behind in a core for the scalar unit to ask.
#ifndef OPFORGE_SIM_KERNEL_VECTOR_INDEX_REGISTERS_H
#define OPFORGE_SIM_KERNEL_VECTOR_INDEX_REGISTERS_H

#include <cstdint>

namespace sim {

struct IndexRegisters {
    uint64_t gathered = 0;    // what the last GatherMask has kept
    uint16_t merged[4] = {};  // how much of each list the last MrgSort has taken
    bool suspended = false;   // whether that MrgSort stops where a list is exhausted
};

}  // namespace sim

#endif
