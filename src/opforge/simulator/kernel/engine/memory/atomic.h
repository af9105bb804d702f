// What a transfer with SetAtomicAdd, SetAtomicMax or SetAtomicMin does to the bytes it meets.
#ifndef OPFORGE_SIM_KERNEL_MEMORY_ATOMIC_H
#define OPFORGE_SIM_KERNEL_MEMORY_ATOMIC_H

#include "core.h"

namespace sim {

// Combines `bytes` bytes of `src` into global memory at `dst`; a plain copy unless the core has an atomic operation
// set. Refuses a length that is not a multiple of the operation's type. `marks` say which bytes have no value
// (GmMarks); null: all have one.
void StoreGm(Core& core, uint64_t dst, const uint8_t* src, uint64_t bytes, const Call& call,
             const Origin* marks = nullptr);

}  // namespace sim

#endif
