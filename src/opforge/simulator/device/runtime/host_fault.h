// Says why the process dies when host code touches device memory.
#pragma once

namespace sim {

// Installs the SIGSEGV handler, once. Handlers that were there before are called after it.
void WatchHostFaults();

}  // namespace sim
