#include "kernel_cache.h"

#include <cerrno>
#include <cstring>
#include <dlfcn.h>

namespace sim {
namespace {

bool SameFile(const struct stat& a, const struct stat& b) {
    return a.st_dev == b.st_dev && a.st_ino == b.st_ino && a.st_size == b.st_size &&
           a.st_mtim.tv_sec == b.st_mtim.tv_sec && a.st_mtim.tv_nsec == b.st_mtim.tv_nsec;
}

}  // namespace

KernelCache::Result KernelCache::Find(const std::string& path, sim_kernel_entry_fn* entry, std::string* why) {
    struct stat file{};
    if (stat(path.c_str(), &file) != 0) {
        *why = "no kernel object " + path + ": " + std::strerror(errno);
        return Result::kFailed;
    }
    if (const auto found = kernels_.find(path); found != kernels_.end()) {
        *entry = found->second.entry;
        return SameFile(found->second.file, file) ? Result::kFound : Result::kStale;
    }
    void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) {
        *why = "the kernel object does not load: " + std::string(dlerror());
        return Result::kFailed;
    }
    *entry = reinterpret_cast<sim_kernel_entry_fn>(dlsym(library, "sim_kernel_entry"));
    if (*entry == nullptr) {
        dlclose(library);
        *why = path + " is not a simulated kernel: it has no sim_kernel_entry (was it built for hardware?)";
        return Result::kFailed;
    }
    kernels_.emplace(path, Kernel{file, *entry});
    return Result::kFound;
}

}  // namespace sim
