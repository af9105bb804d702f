// Launches that name a kernel and its arguments and nothing else: what ACLRT_LAUNCH_KERNEL's functions call.
//
// An address stands for the whole allocation that it lies in: the kernel may touch no more, and reads from anywhere
// else are found as in a launch through aclnn.
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "capture.h"
#include "current_device.h"
#include "device_memory.h"
#include "error_message.h"
#include "exports.h"
#include "sim_launch.h"
#include "streams.h"

// As in the stubs that kernel_library.py writes.
struct sim_kernel_argument {
    const char* name;
    uint32_t isAddress;
    uint64_t value;
};

namespace sim {
namespace {

// $OPFORGE_SIM_CHECKS and $OPFORGE_SIM_THREADS, as aclnn's launches read them.
uint32_t ChecksWanted() { return static_cast<uint32_t>(sim_checks_named(std::getenv("OPFORGE_SIM_CHECKS"))); }

// $OPFORGE_SIM_RULES; such a launch has no package that could say anything else.
uint32_t RulesWanted() {
    return static_cast<uint32_t>(sim_rules_named(std::getenv("OPFORGE_SIM_RULES"), SIM_RULES_DOCUMENTED));
}

uint32_t ThreadsWanted() {
    const char* text = std::getenv("OPFORGE_SIM_THREADS");
    return text == nullptr ? 0u : static_cast<uint32_t>(std::strtoul(text, nullptr, 10));
}

aclError Launch(const char* kernel, const char* objectPath, uint32_t blocks, const sim_kernel_argument* arguments,
                uint32_t count) {
    const int32_t device = CurrentDevice();
    std::vector<uint64_t> args;
    std::vector<sim_region> regions;
    for (uint32_t i = 0; i < count; ++i) {
        const sim_kernel_argument& argument = arguments[i];
        args.push_back(argument.value);
        if (argument.isAddress == 0 || argument.value == 0) {
            continue;
        }
        const auto* address = reinterpret_cast<const void*>(argument.value);
        sim_region region = {};
        region.writable = 1;
        region.name = argument.name;
        region.role = SIM_REGION_GIVEN;
        if (device < 0 || DeviceOfAddress(address) != device ||
            !MemoryOf(static_cast<uint32_t>(device)).AllocationOf(address, &region.addr, &region.bytes)) {
            return Fail(ACL_ERROR_RT_PARAM_INVALID,
                        "%s: argument %s is %p, which is not memory of the current device (aclrtMalloc)", kernel,
                        argument.name, address);
        }
        region.storage = region.addr;
        region.storage_bytes = region.bytes;
        bool known = false;
        for (const sim_region& other : regions) {
            known = known || other.addr == region.addr;
        }
        if (!known) {
            regions.push_back(region);
        }
    }
    args.push_back(0);  // tiling data: these launches have none
    sim_launch launch = {};
    launch.op_type = kernel;
    launch.object_path = objectPath;
    launch.block_dim = blocks;
    launch.checks = ChecksWanted();
    launch.rules = RulesWanted();
    launch.threads = ThreadsWanted();
    launch.soc = sim_current_soc();
    launch.arg_count = static_cast<uint32_t>(args.size());
    launch.args = args.data();
    launch.region_count = static_cast<uint32_t>(regions.size());
    launch.regions = regions.data();
    return sim_device_launch(&launch);
}

}  // namespace
}  // namespace sim

SIM_EXPORT int sim_kernel_launch(const char* kernel, const char* objectPath, uint32_t blocks, aclrtStream stream,
                                 const sim_kernel_argument* arguments, uint32_t count) {
    if (const aclError wrong = sim::CheckStream(kernel, stream); wrong != ACL_SUCCESS) {
        return wrong;
    }
    if (!sim::Captures(stream)) {
        return sim::Launch(kernel, objectPath, blocks, arguments, count);
    }
    const std::vector<sim_kernel_argument> kept(arguments, arguments + count);
    return sim::Record(stream, kernel, [kernel, path = std::string(objectPath), blocks, kept, count] {
        return sim::Launch(kernel, path.c_str(), blocks, kept.data(), count);
    });
}
