// Kernels of .asc sources: what kernel<<<blocks, ubuf, stream>>>(...) has become (sim/kernel_call.h).
//
// A call returns nothing, so what goes wrong is printed, and kept for aclrtSynchronizeStream. An address among the
// arguments stands for the whole allocation that it lies in.
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <string>
#include <sys/mman.h>
#include <unistd.h>
#include <vector>

#include "capture.h"
#include "current_device.h"
#include "device_error.h"
#include "device_memory.h"
#include "error_message.h"
#include "exports.h"
#include "sim_launch.h"
#include "streams.h"

// As in sim/kernel_call.h, which is for kernels' sources alone.
struct sim_kernel_word {
    const char* name;
    uint32_t kind;
    uint64_t value;
};

struct sim_kernel_module {
    const unsigned char* begin;
    const unsigned char* end;
    const char* const* names;
    uint32_t count;
};

namespace sim {
namespace {

constexpr uint64_t kMostBlocks = 65535;  // page "SIMD-BuiltIn关键字", 核函数配置
constexpr uint32_t kAddress = 1;
constexpr uint32_t kInStruct = 2;

struct Execution {
    uint64_t blocks = 0;
    uint64_t dynamicUb = 0;
    aclrtStream stream = nullptr;
};
thread_local Execution next;

// The file that the worker loads a module from. It has no name on the disk and is gone with this process.
const std::string* FileOf(const sim_kernel_module& module) {
    static auto* mutex = new std::mutex;
    static auto* files = new std::map<const void*, std::string>;
    std::lock_guard<std::mutex> lock(*mutex);
    std::string& path = (*files)[module.begin];
    if (path.empty()) {
        const int fd = memfd_create("kernels.so", MFD_CLOEXEC);
        const size_t bytes = static_cast<size_t>(module.end - module.begin);
        for (size_t done = 0; fd >= 0 && done < bytes;) {
            const ssize_t wrote = write(fd, module.begin + done, bytes - done);
            if (wrote <= 0) {
                close(fd);
                return nullptr;
            }
            done += static_cast<size_t>(wrote);
        }
        if (fd < 0) {
            return nullptr;
        }
        path = "/proc/" + std::to_string(getpid()) + "/fd/" + std::to_string(fd);
    }
    return &path;
}

// Adds the allocation that an address lies in, if it is not there yet; false where the address is in none.
bool AddAllocation(const void* address, const char* name, int32_t device, std::vector<sim_region>* regions) {
    sim_region region = {};
    region.writable = 1;
    region.name = name;
    region.role = SIM_REGION_GIVEN;
    if (DeviceOfAddress(address) != device ||
        !MemoryOf(static_cast<uint32_t>(device)).AllocationOf(address, &region.addr, &region.bytes)) {
        return false;
    }
    for (const sim_region& other : *regions) {
        if (other.addr == region.addr) {
            return true;
        }
    }
    region.storage = region.addr;
    region.storage_bytes = region.bytes;
    regions->push_back(region);
    return true;
}

// Lists of tensors are tables of addresses in global memory: what they name belongs to the launch as well.
void AddTables(int32_t device, std::vector<sim_region>* regions) {
    constexpr uint64_t kMostBytes = 64 * 1024;  // of a table; no number that means something looks like an address
    const size_t given = regions->size();
    for (size_t i = 0; i < given; ++i) {
        const sim_region table = (*regions)[i];
        const auto* words = static_cast<const uint64_t*>(
            MemoryOf(static_cast<uint32_t>(device)).HostView(reinterpret_cast<void*>(table.addr), table.bytes));
        for (uint64_t n = 0; words != nullptr && table.bytes <= kMostBytes && n < table.bytes / sizeof(uint64_t); ++n) {
            AddAllocation(reinterpret_cast<const void*>(words[n]), "an entry of a list", device, regions);
        }
    }
}

aclError AddRegion(const char* kernel, const sim_kernel_word& word, int32_t device, std::vector<sim_region>* regions) {
    const auto* address = reinterpret_cast<const void*>(word.value);
    if (AddAllocation(address, word.name, device, regions) || word.kind != kAddress) {
        return ACL_SUCCESS;
    }
    return Fail(ACL_ERROR_RT_PARAM_INVALID,
                "%s: argument %s is %p, which is not memory of the current device (aclrtMalloc)", kernel, word.name,
                address);
}

aclError Call(const sim_kernel_module& module, const char* key, const char* kernel, const sim_kernel_word* words,
              uint32_t count, const Execution& with) {
    const int32_t device = CurrentDevice();
    if (device < 0) {
        return Fail(ACL_ERROR_RT_CONTEXT_NULL, "%s: no device was set on this thread (aclrtSetDevice)", kernel);
    }
    if (with.blocks == 0 || with.blocks > kMostBlocks) {
        return Fail(ACL_ERROR_RT_PARAM_INVALID,
                    "%s: numBlocks is %" PRIu64 "\n  rule: numBlocks is 1 to %" PRIu64
                    " [guide/编程指南/语言扩展层/SIMD-BuiltIn关键字]",
                    kernel, with.blocks, kMostBlocks);
    }
    if (with.dynamicUb > sim_current_soc()->ub_bytes) {
        return Fail(ACL_ERROR_RT_PARAM_INVALID,
                    "%s: dynUBufSize is %" PRIu64 ", the unified buffer of %s has %" PRIu64
                    " bytes\n  rule: dynUBufSize is a part of the unified buffer "
                    "[guide/编程指南/语言扩展层/SIMD-BuiltIn关键字]",
                    kernel, with.dynamicUb, sim_current_soc()->name, sim_current_soc()->ub_bytes);
    }
    uint32_t index = 0;
    while (index < module.count && std::strcmp(module.names[index], key) != 0) {
        ++index;
    }
    const std::string* path = FileOf(module);
    if (index == module.count || path == nullptr) {
        return Fail(ACL_ERROR_RT_PARAM_INVALID, "%s: %s (%s)", kernel,
                    path == nullptr ? "no memory for its device code" : "has no device code", key);
    }
    std::vector<uint64_t> args;
    std::vector<sim_region> regions;
    for (uint32_t i = 0; i < count; ++i) {
        args.push_back(words[i].value);
        if ((words[i].kind == kAddress || words[i].kind == kInStruct) && words[i].value != 0) {
            const aclError wrong = AddRegion(kernel, words[i], device, &regions);
            if (wrong != ACL_SUCCESS) {
                return wrong;
            }
        }
    }
    AddTables(device, &regions);
    args.push_back(0);  // tiling data of an operator: these launches have none
    const char* const threads = std::getenv("OPFORGE_SIM_THREADS");
    sim_launch launch = {};
    launch.op_type = kernel;
    launch.object_path = path->c_str();
    launch.block_dim = static_cast<uint32_t>(with.blocks);
    launch.logical_blocks = 1;
    launch.tiling_key = index;
    launch.checks = static_cast<uint32_t>(sim_checks_named(std::getenv("OPFORGE_SIM_CHECKS")));
    launch.rules = static_cast<uint32_t>(sim_rules_named(std::getenv("OPFORGE_SIM_RULES"), SIM_RULES_DOCUMENTED));
    launch.threads = threads == nullptr ? 0 : static_cast<uint32_t>(std::strtoul(threads, nullptr, 10));
    launch.soc = sim_current_soc();
    launch.arg_count = static_cast<uint32_t>(args.size());
    launch.args = args.data();
    launch.region_count = static_cast<uint32_t>(regions.size());
    launch.regions = regions.data();
    return sim_device_launch(&launch);
}

aclError CallOrRecord(const sim_kernel_module& module, const char* key, const char* kernel,
                      const sim_kernel_word* words, uint32_t count, const Execution& with) {
    if (const aclError wrong = CheckStream(kernel, with.stream); wrong != ACL_SUCCESS) {
        return wrong;
    }
    if (!Captures(with.stream)) {
        return Call(module, key, kernel, words, count, with);
    }
    // The module, its keys and the names are constants of the program; the values are this call's.
    const std::vector<sim_kernel_word> kept(words, words + count);
    return Record(with.stream, kernel, [&module, key, kernel, kept, count, with] {
        return Call(module, key, kernel, kept.data(), count, with);
    });
}

}  // namespace
}  // namespace sim

SIM_EXPORT void sim_kernel_configure(uint64_t blocks, uint64_t dynamicUb, void* stream) {
    sim::next = {blocks, dynamicUb, stream};
}

SIM_EXPORT void sim_kernel_call(const sim_kernel_module* module, const char* key, const char* kernel,
                                const sim_kernel_word* words, uint32_t count) {
    const sim::Execution with = sim::next;
    sim::next = {};
    const aclError status = sim::CallOrRecord(*module, key, kernel, words, count, with);
    if (status != ACL_SUCCESS) {
        std::fprintf(stderr, "%s\n", aclGetRecentErrMsg());
        const int32_t device = sim::CurrentDevice();
        sim::KeepFault(device < 0 ? 0 : static_cast<uint32_t>(device), status, kernel);
    }
}
