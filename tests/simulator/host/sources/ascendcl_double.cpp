// A stand-in for libascendcl: host memory is device memory, a launch runs at once and is written down.
#include <dlfcn.h>

#include <cstdlib>
#include <cstring>
#include <mutex>
#include <string>
#include <vector>

#include "sim_capture.h"
#include "sim_launch.h"

#define EXPORT extern "C" __attribute__((visibility("default")))

namespace {
thread_local std::string g_message;
std::mutex g_launch_mutex;
std::string g_launch;  // the last launch, described
}  // namespace

EXPORT const char* aclGetRecentErrMsg() { return g_message.c_str(); }

EXPORT const char* double_last_launch() { return g_launch.c_str(); }

EXPORT void sim_set_error_message(const char* message) { g_message = message; }

// No stream is captured here, so nothing is recorded or refused.
EXPORT int sim_stream_captures(void*) { return 0; }
EXPORT int sim_capture_record(void*, const sim_task*) { return -1; }
EXPORT int sim_capture_refuse(void*, int, const char*) { return -1; }

// Addresses below a page are no memory.
EXPORT void* sim_host_view(const void* address) {
    return reinterpret_cast<uint64_t>(address) < 4096 ? nullptr : const_cast<void*>(address);
}

EXPORT const sim_soc* sim_current_soc() {
    static const sim_soc soc = [] {
        sim_soc value = {};
        const char* name = std::getenv("OPFORGE_SOC");
        std::strcpy(value.name, name == nullptr ? "Ascend910B1" : name);
        const bool is_93 = std::strncmp(value.name, "Ascend910_93", 12) == 0;
        const bool is_310p = std::strncmp(value.name, "Ascend310P", 10) == 0;
        std::strcpy(value.short_name, is_93 ? "ascend910_93" : is_310p ? "ascend310p" : "ascend910b");
        return value;
    }();
    return &soc;
}

// What each region is to the kernel: its role, the bytes of an element, where its storage begins and its bytes.
static std::string Roles(const sim_launch& launch) {
    std::string text = ", 'roles': {";
    for (uint32_t i = 0; i < launch.region_count; ++i) {
        const sim_region& region = launch.regions[i];
        text += "'" + std::string(region.name) + "': (" + std::to_string(region.role) + ", " +
                std::to_string(region.element) + ", " + std::to_string(region.storage) + ", " +
                std::to_string(region.storage_bytes) + "), ";
    }
    return text + "}";
}

// What a launch is, as Python literals.
static std::string Described(const sim_launch& launch) {
    std::string text =
        "{'op': '" + std::string(launch.op_type) + "', 'block_dim': " + std::to_string(launch.block_dim) +
        ", 'tiling_key': " + std::to_string(launch.tiling_key) + ", 'checks': " + std::to_string(launch.checks) +
        ", 'tiling_bytes': " + std::to_string(launch.tiling_bytes) + Roles(launch) + ", 'args': [";
    for (uint32_t i = 0; i < launch.arg_count; ++i) {
        text += std::to_string(launch.args[i]) + ", ";
    }
    text += "], 'regions': [";
    for (uint32_t i = 0; i < launch.region_count; ++i) {
        const sim_region& region = launch.regions[i];
        text += "('" + std::string(region.name) + "', " + std::to_string(region.addr) + ", " +
                std::to_string(region.bytes) + ", " + std::to_string(region.writable) + "), ";
    }
    text += "], 'unset': [";  // bytes of the tiling data
    for (uint64_t i = 0; launch.tiling_set != nullptr && i < launch.tiling_bytes; ++i) {
        text += launch.tiling_set[i] == 0 ? std::to_string(i) + ", " : "";
    }
    text += "], 'rules': " + std::to_string(launch.rules) + ", 'project': " + std::to_string(launch.project);
    text += ", 'allow': [";
    for (uint32_t i = 0; i < launch.allow_count; ++i) {
        const sim_allow& allow = launch.allow[i];
        text += "('" + std::string(allow.rule) + "', '" + allow.file + "', " + std::to_string(allow.warn) + "), ";
    }
    return text + "]}";
}

// Threads launch side by side, as they do on a device.
EXPORT int sim_device_launch(const sim_launch* launch) {
    {
        const std::lock_guard<std::mutex> guard(g_launch_mutex);
        g_launch = Described(*launch);
    }
    if (std::getenv("TEST_RUNS_NO_KERNEL") != nullptr) {
        return 0;  // a kernel of the kernel API needs the engine
    }
    void* kernel = dlopen(launch->object_path, RTLD_NOW | RTLD_LOCAL);
    if (kernel == nullptr) {
        g_message = dlerror();
        return 507000;
    }
    std::vector<uint64_t> args(launch->args, launch->args + launch->arg_count);
    std::vector<char> tiling(static_cast<const char*>(launch->tiling),
                             static_cast<const char*>(launch->tiling) + launch->tiling_bytes);
    args.back() = reinterpret_cast<uint64_t>(tiling.data());
    reinterpret_cast<sim_kernel_entry_fn>(dlsym(kernel, "sim_kernel_entry"))(args.data());
    return 0;
}
