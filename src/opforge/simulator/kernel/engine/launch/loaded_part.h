// Where a shared object has been loaded: a kernel's code, and the data that it brings along.
#ifndef OPFORGE_SIM_KERNEL_LAUNCH_LOADED_PART_H
#define OPFORGE_SIM_KERNEL_LAUNCH_LOADED_PART_H

#include <cstdint>

namespace sim {

struct LoadedPart {
    uintptr_t begin = 0;
    uintptr_t end = 0;  // 0: the address is in no object
    bool writable = false;
};

LoadedPart LoadedPartOf(uintptr_t address);

// The part that holds an address in a kernel's own data: a table that it declares as __gm__ lies in global memory.
LoadedPart KernelDataOf(uintptr_t address);

}  // namespace sim

#endif
