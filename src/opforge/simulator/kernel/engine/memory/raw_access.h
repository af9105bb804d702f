// The kernel's accesses to global memory by plain pointers.
#ifndef OPFORGE_SIM_KERNEL_MEMORY_RAW_ACCESS_H
#define OPFORGE_SIM_KERNEL_MEMORY_RAW_ACCESS_H

#include "sim_launch.h"

namespace sim {

// For as long as it lives, accesses to the launch's global memory are looked at. A process has one launch at a time.
class WatchedMemory {
public:
    explicit WatchedMemory(const sim_launch& launch);
    ~WatchedMemory();
    WatchedMemory(const WatchedMemory&) = delete;
    WatchedMemory& operator=(const WatchedMemory&) = delete;
};

}  // namespace sim

#endif
