// What is known of the memory that one core touches: which bytes lie in its buffers, have a value, are in flight.
#ifndef OPFORGE_SIM_KERNEL_MEMORY_CORE_MEMORY_H
#define OPFORGE_SIM_KERNEL_MEMORY_CORE_MEMORY_H

#include "buffers.h"
#include "data_cache.h"
#include "global_memory.h"
#include "ub_shadow.h"

namespace sim {

struct CoreMemory {
    explicit CoreMemory(uint32_t ubBytes) : shadow(ubBytes) {}

    UbShadow shadow;
    GlobalMemory gm;
    DataCache cache;
    Buffers buffers;
};

}  // namespace sim

#endif
