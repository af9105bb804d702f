// sim_engine_run: what kind of launch it is, whether the device takes it, and the report of the first failure.
#include <dlfcn.h>
#include <link.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <optional>
#include <thread>

#include "cross_core.h"
#include "gm_order.h"
#include "schedule.h"

namespace sim {
namespace {

constexpr int kParameterError = 107000;  // ACL_ERROR_RT_PARAM_INVALID: the launch itself is wrong

// What the kernel object that holds `entry` says of itself; an object that says nothing is a vector kernel.
struct Declared {
    uint32_t type = SIM_KERNEL_AIV_ONLY;
    bool synchronises = false;
};

Declared Ask(const sim_launch& request, sim_kernel_entry_fn entry) {
    Declared declared;
    Dl_info info;
    link_map* object = nullptr;
    if (dladdr1(reinterpret_cast<void*>(entry), &info, reinterpret_cast<void**>(&object), RTLD_DL_LINKMAP) == 0 ||
        object == nullptr) {
        return declared;
    }
    if (const auto type = reinterpret_cast<uint32_t (*)(uint64_t)>(dlsym(object, "sim_kernel_type"))) {
        declared.type = type(request.tiling_key);
    }
    if (const auto synchronises = reinterpret_cast<uint32_t (*)()>(dlsym(object, "sim_kernel_synchronises"))) {
        declared.synchronises = synchronises() != 0;
    }
    return declared;
}

int Report(char* report, uint64_t capacity, const std::string& message, int status) {
    if (report != nullptr && capacity > 0) {
        const size_t length = std::min<uint64_t>(message.size(), capacity - 1);
        std::memcpy(report, message.data(), length);
        report[length] = '\0';
    }
    return status;
}

std::string Refusal(const sim_launch& request, const KernelType& type) {
    const std::string op = request.op_type != nullptr ? request.op_type : "?";
    if (request.soc == nullptr || (request.arg_count > 0 && request.args == nullptr) ||
        (request.region_count > 0 && request.regions == nullptr) ||
        (request.tiling_bytes > 0 && request.tiling == nullptr)) {
        return op + ": the launch lacks its SoC, arguments, regions or tiling data";
    }
    if (request.block_dim == 0) {
        return op +
               ": block dim is 0: a launch has at least one block\n  rule: block dim is 1 to the number of cores "
               "[guide/编程指南/编程模型, SetBlockDim]";
    }
    const uint32_t cores = type.cubes != 0 ? request.soc->cube_cores : request.soc->vector_cores;
    if (request.block_dim > cores) {
        std::string refusal = op + ": block dim " + std::to_string(request.block_dim) + " is above the " +
                              std::to_string(cores) + (type.cubes != 0 ? " cube cores of " : " vector cores of ") +
                              request.soc->name;
        if (type.Mix()) {
            refusal += std::string("; a block of ") + type.name + " is one AIC and " +
                       (type.vectors == 2 ? "two AIVs" : "one AIV");
        }
        return refusal + "\n  rule: block dim is 1 to the number of cores [guide/编程指南/编程模型, SetBlockDim]";
    }
    return {};
}

}  // namespace
}  // namespace sim

extern "C" __attribute__((visibility("default"))) int sim_engine_run(const sim_launch* request,
                                                                     sim_kernel_entry_fn entry, char* report,
                                                                     uint64_t reportCapacity, sim_counts* counts) {
    using namespace sim;
    const Declared declared = Ask(*request, entry);
    const KernelType* type = KernelTypeOf(declared.type);
    if (type == nullptr) {
        return Report(report, reportCapacity,
                      std::string(request->op_type) + ": tiling key " + std::to_string(request->tiling_key) +
                          " has no kernel type\n  rule: without KERNEL_TASK_TYPE_DEFAULT every tiling key has a "
                          "KERNEL_TASK_TYPE [基础API/Kernel-Tiling/设置Kernel类型]",
                      kParameterError);
    }
    const std::string refusal = Refusal(*request, *type);
    if (!refusal.empty()) {
        return Report(report, reportCapacity, refusal, kParameterError);
    }
    // 64-byte aligned, as the device's argument area is; rounded up so that the tail can be read as whole words
    const size_t tilingBytes = static_cast<size_t>((request->tiling_bytes + 63) / 64 * 64 + 64);
    std::unique_ptr<void, decltype(&std::free)> tiling(std::aligned_alloc(64, tilingBytes), std::free);
    std::memset(tiling.get(), 0, tilingBytes);
    if (request->tiling_bytes > 0) {
        std::memcpy(tiling.get(), request->tiling, request->tiling_bytes);
    }
    Launch launch;
    launch.request = request;
    launch.type = type;
    launch.checks = request->checks != SIM_CHECKS_FAST;
    std::unique_ptr<GmOrder> gmOrder;
    if (launch.checks && (declared.synchronises || type->Mix())) {
        gmOrder = std::make_unique<GmOrder>(*request);
        launch.gmOrder = gmOrder.get();
    }
    CrossCore crossCore(launch);
    launch.crossCore = &crossCore;
    launch.counts = counts;
    launch.args.assign(request->args, request->args + request->arg_count);
    if (!launch.args.empty()) {
        launch.args.back() = reinterpret_cast<uint64_t>(tiling.get());
    }

    Schedule schedule(launch, entry);
    const uint32_t threads =
        request->threads != 0 ? request->threads : std::max(1u, std::thread::hardware_concurrency());
    const bool ran = schedule.Run(threads);
    const std::optional<Failure> left = ran ? crossCore.Unpaired() : std::nullopt;
    if (!ran || left.has_value()) {
        const Failure& failure = ran ? *left : schedule.Failed();
        return Report(report, reportCapacity, failure.message, static_cast<int>(failure.status));
    }
    if (counts != nullptr) {
        counts->count = request->block_dim * type->Cores();
    }
    return Report(report, reportCapacity, "", 0);
}
