#include "engine.h"

#include <climits>
#include <cstdlib>
#include <dlfcn.h>

namespace sim {

bool Engine::Load(std::string* why) {
    char self[PATH_MAX];
    if (realpath("/proc/self/exe", self) == nullptr) {
        *why = "cannot find its own place (/proc/self/exe)";
        return false;
    }
    std::string root(self);        // <root>/bin/sim_device_worker
    root.resize(root.rfind('/'));  // <root>/bin
    root.resize(root.rfind('/'));  // <root>
    const std::string path = root + "/lib64/libascendc_sim.so";
    void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_GLOBAL);
    run_ = library == nullptr ? nullptr : reinterpret_cast<decltype(run_)>(dlsym(library, "sim_engine_run"));
    if (run_ == nullptr) {
        *why = "no kernel engine: " + std::string(dlerror());
        return false;
    }
    standing_ = reinterpret_cast<decltype(standing_)>(dlsym(library, "sim_engine_standing"));
    beforeSandbox_ = reinterpret_cast<decltype(beforeSandbox_)>(dlsym(library, "sim_engine_before_sandbox"));
    return true;
}

}  // namespace sim
