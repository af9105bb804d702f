// Finds and loads the library that runs ATen operators of the simulated device on the CPU.
#pragma once

#include "acl/acl_base.h"

namespace sim {

// Does nothing in a process without torch_npu. Refuses, with the command to type, when the toolkit has no such library
// for the PyTorch of this process.
aclError LoadAtenLibrary();

// Waits until PyTorch's own threads have let go of Python, before the interpreter ends.
void SettleAtenThreads();

}  // namespace sim
