// Kernel objects that this worker has loaded.
#pragma once

#include <sys/stat.h>

#include <string>
#include <unordered_map>

#include "sim_launch.h"

namespace sim {

class KernelCache {
public:
    enum class Result { kFound, kFailed, kStale };

    // The entry of a kernel object. kStale: the file is another than the one loaded from this path before; a process
    // cannot be sure to get rid of a loaded object, so a new worker has to load it.
    Result Find(const std::string& path, sim_kernel_entry_fn* entry, std::string* why);

private:
    struct Kernel {
        struct stat file;
        sim_kernel_entry_fn entry;
    };
    std::unordered_map<std::string, Kernel> kernels_;
};

}  // namespace sim
