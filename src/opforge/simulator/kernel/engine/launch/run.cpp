// sim_engine_run: what kind of launch it is, whether the device takes it, and the report of the first failure.
#include <dlfcn.h>
#include <link.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <optional>
#include <thread>

#include "order/cross_core.h"
#include "memory/gm_marks.h"
#include "order/gm_order.h"
#include "memory/raw_access.h"
#include "report/report.h"
#include "schedule.h"

namespace sim {
namespace {

constexpr Rule kKernelType = {
    "kernel-type",
    "Atlas A2, A3 and Ascend950 have KERNEL_TYPE_AIV_ONLY, AIC_ONLY and MIX_*_*_*, ascend310p has "
    "KERNEL_TYPE_AICORE and MIX_VECTOR_CORE",
    "基础API/Kernel-Tiling/设置Kernel类型"};
constexpr Rule kTaskType = {"kernel-task-type",
                            "without KERNEL_TASK_TYPE_DEFAULT every tiling key has a KERNEL_TASK_TYPE",
                            "基础API/Kernel-Tiling/设置Kernel类型"};
constexpr Rule kBlockDim = {"block-dim", "block dim is 1 to the number of cores",
                            "guide/编程指南/编程模型, SetBlockDim"};
constexpr Rule kSelected = {"tiling-key",
                            "a template kernel is compiled for the combinations of ASCENDC_TPL_SEL, each with the key "
                            "of GET_TPL_TILING_KEY",
                            "Utils-API/Tiling模板编程/模板参数定义"};

constexpr int kParameterError = 107000;  // ACL_ERROR_RT_PARAM_INVALID: the launch itself is wrong

// Whether an AI Core has both units. Documentation: guide/编程指南/高级编程/硬件实现/基本架构
bool Coupled(const sim_soc& soc) {
    constexpr const char* kCoupled[] = {"ascend310p", "ascend310b", "ascend910"};
    return std::any_of(std::begin(kCoupled), std::end(kCoupled),
                       [&](const char* name) { return std::strcmp(soc.short_name, name) == 0; });
}

// What the kernel object that holds `entry` says of itself; an object that says nothing has the SoC's ordinary type.
struct Declared {
    uint32_t type = SIM_KERNEL_AIV_ONLY;
    bool synchronises = false;
    bool autoSync = true;
};

Declared Ask(const sim_launch& request, sim_kernel_entry_fn entry) {
    Declared declared;
    if (request.soc != nullptr && Coupled(*request.soc)) {
        declared.type = SIM_KERNEL_AICORE;
    }
    Dl_info info;
    link_map* object = nullptr;
    if (dladdr1(reinterpret_cast<void*>(entry), &info, reinterpret_cast<void**>(&object), RTLD_DL_LINKMAP) == 0 ||
        object == nullptr) {
        return declared;
    }
    if (const auto type = reinterpret_cast<uint32_t (*)(uint64_t)>(dlsym(object, "sim_kernel_type"))) {
        declared.type = type(request.tiling_key);
    }
    if (const auto synchronises = reinterpret_cast<uint32_t (*)(uint64_t)>(dlsym(object, "sim_kernel_synchronises"))) {
        declared.synchronises = synchronises(request.tiling_key) != 0;
    }
    if (const auto autoSync = reinterpret_cast<uint32_t (*)()>(dlsym(object, "sim_kernel_auto_sync"))) {
        declared.autoSync = autoSync() != 0;
    }
    return declared;
}

void Write(char* to, uint64_t capacity, const std::string& text) {
    const size_t length = std::min<uint64_t>(text.size(), capacity - 1);
    std::memcpy(to, text.data(), length);
    to[length] = '\0';
}

int Say(char* report, uint64_t capacity, const std::string& message, int status) {
    if (report != nullptr && capacity > 0) {
        Write(report, capacity, message);
    }
    return status;
}

// How many blocks can run at once, and on what.
std::pair<uint32_t, const char*> CoresOf(const KernelType& type, const sim_soc& soc) {
    if (type.value == SIM_KERNEL_MIX_VECTOR_CORE) {
        return {soc.cube_cores + soc.vector_cores, "AI Cores and Vector Cores"};
    }
    if (type.coupled) {
        return {soc.cube_cores, "AI Cores"};
    }
    return type.cubes != 0 ? std::pair{soc.cube_cores, "cube cores"} : std::pair{soc.vector_cores, "vector cores"};
}

std::string Refusal(const sim_launch& request, const KernelType& type, bool synchronises) {
    const std::string op = request.op_type != nullptr ? request.op_type : "?";
    if (request.soc == nullptr || (request.arg_count > 0 && request.args == nullptr) ||
        (request.region_count > 0 && request.regions == nullptr) ||
        (request.tiling_bytes > 0 && request.tiling == nullptr)) {
        return op + ": the launch lacks its SoC, arguments, regions or tiling data";
    }
    if (type.coupled != Coupled(*request.soc)) {
        return op + ": " + type.name + " is not a kernel type of " + request.soc->name + ", whose AI Cores are " +
               (type.coupled ? "cube and vector cores" : "one core with both units") + LineOf(kKernelType);
    }
    if (request.block_dim == 0) {
        return op + ": block dim is 0: a launch has at least one block" + LineOf(kBlockDim);
    }
    const auto [cores, kind] = CoresOf(type, *request.soc);
    // Blocks that do not wait for each other may run one after the other on a core.
    const bool together = request.logical_blocks == 0 || type.Mix() || synchronises;
    if (request.block_dim > cores && together) {
        std::string refusal = op + ": block dim " + std::to_string(request.block_dim) + " is above the " +
                              std::to_string(cores) + " " + kind + " of " + request.soc->name;
        if (type.Mix()) {
            refusal += std::string("; a block of ") + type.name + " is one AIC and " +
                       (type.vectors == 2 ? "two AIVs" : "one AIV");
        }
        return refusal + LineOf(kBlockDim);
    }
    return {};
}

}  // namespace
}  // namespace sim

namespace sim {
namespace {

// A run of a launch that is run again if it divides by zero, with another result.
struct Again {
    uint64_t result;
    const char* division = nullptr;   // behind the first of them
    std::vector<uint64_t> scratch{};  // the addresses of what the launch has used as workspace
};

int RunOnce(const sim_launch* request, sim_kernel_entry_fn entry, char* report, uint64_t reportCapacity,
            sim_counts* counts, Again* again = nullptr) {
    const Declared declared = Ask(*request, entry);
    if (declared.type == SIM_KERNEL_NOT_SELECTED) {
        return Say(report, reportCapacity,
                   std::string(request->op_type) + ": the kernel has no instance for tiling key " +
                       std::to_string(request->tiling_key) + LineOf(kSelected),
                   kParameterError);
    }
    const KernelType* type = KernelTypeOf(declared.type);
    if (type == nullptr) {
        return Say(report, reportCapacity,
                   std::string(request->op_type) + ": tiling key " + std::to_string(request->tiling_key) +
                       " has no kernel type" + LineOf(kTaskType),
                   kParameterError);
    }
    const std::string refusal = Refusal(*request, *type, declared.synchronises);
    if (!refusal.empty()) {
        return Say(report, reportCapacity, refusal, kParameterError);
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
    launch.checks = request->checks == SIM_CHECKS_ALL;
    launch.autoSync = declared.autoSync;
    launch.limits = request->checks != SIM_CHECKS_OFF;
    launch.divisions.silent = again != nullptr;
    if (again != nullptr) {
        launch.divisions.result = again->result;
    }
    WatchDivisions();
    const Findings findings(*request, counts, reinterpret_cast<const void*>(entry));
    launch.findings = &findings;
    std::optional<GmMarks> gmMarks;
    if (launch.checks) {
        gmMarks.emplace(*request);
        gmMarks->HoldTiling(reinterpret_cast<uint64_t>(tiling.get()), request->tiling_bytes);
        launch.gmMarks = &*gmMarks;
    }
    std::unique_ptr<GmOrder> gmOrder;
    launch.together = declared.synchronises || type->Mix();
    const uint32_t cores = request->block_dim * type->Cores();
    if (launch.checks && cores > 1) {
        gmOrder = std::make_unique<GmOrder>(*request, cores, launch.together);
        launch.gmOrder = gmOrder.get();
    }
    CrossCore crossCore(launch);
    launch.crossCore = &crossCore;
    launch.counts = counts;
    launch.trace = launch.checks && counts != nullptr && counts->timed != 0 && counts->trace != nullptr;
    launch.traces.resize(launch.trace ? size_t{request->block_dim} * type->Cores() : 0);
    if (counts != nullptr && counts->timed != 0) {
        launch.times = &TimeConstantsOf(request->soc->name);
        const uint32_t blocks = request->block_dim;
        launch.rates = TransferRatesOf(*launch.times, blocks * (type->coupled ? 1 : type->vectors),
                                       blocks * type->cubes, request->soc->cube_cores);
        launch.touched.resize(cores);
    }
    launch.args.assign(request->args, request->args + request->arg_count);
    if (!launch.args.empty()) {
        launch.args.back() = reinterpret_cast<uint64_t>(tiling.get());
    }

    const WatchedMemory watched(*request);
    Schedule schedule(launch, entry);
    const uint32_t threads =
        request->threads != 0 ? request->threads : std::max(1u, std::thread::hardware_concurrency());
    const bool ran = schedule.Run(threads);
    if (again != nullptr) {
        again->division = launch.divisions.first.load();
        again->scratch = gmMarks.has_value() ? gmMarks->ReadBack() : std::vector<uint64_t>();
    }
    std::optional<Failure> left = ran ? crossCore.Unpaired() : std::nullopt;
    if (ran && !left.has_value() && gmMarks.has_value()) {
        left = gmMarks->Missing(*request, launch.origins, findings);
    }
    if (!ran || left.has_value()) {
        const Failure& failure = ran ? *left : schedule.Failed();
        const Report found = ReportOf(*request, failure, reinterpret_cast<const void*>(entry));
        if (counts != nullptr && counts->defect != nullptr) {
            Write(counts->defect, counts->defect_capacity, found.json);
        }
        return Say(report, reportCapacity, found.text, static_cast<int>(failure.status));
    }
    if (launch.times != nullptr) {
        Touched::Sum(launch.touched, &counts->gm_read_once, &counts->gm_written_once);
    }
    if (launch.trace) {
        const std::string line = TraceOf(launch);
        counts->trace(counts->trace_context, line.data(), line.size());
    }
    if (counts != nullptr) {
        counts->count = request->block_dim * type->Cores();
    }
    return Say(report, reportCapacity, "", 0);
}

// "0 to 3, 8 to 15"
std::string UnsetBytes(const sim_launch& request) {
    std::string text;
    for (uint64_t begin = 0; begin < request.tiling_bytes; ++begin) {
        uint64_t end = begin;
        while (end < request.tiling_bytes && request.tiling_set[end] == 0) {
            ++end;
        }
        if (end != begin) {
            text += (text.empty() ? "" : ", ") + std::to_string(begin) + " to " + std::to_string(end - 1);
            begin = end;
        }
    }
    return text;
}

// What the launch may write and somebody looks at afterwards.
class Written {
public:
    explicit Written(const sim_launch& request) : request_(request) {
        for (uint32_t i = 0; i < request.region_count; ++i) {
            const sim_region& region = request.regions[i];
            if (region.writable != 0 || (MayWriteInputs(request) && region.role == SIM_REGION_INPUT)) {
                const auto* data = reinterpret_cast<const uint8_t*>(region.addr);
                bytes_.emplace_back(i, std::vector<uint8_t>(data, data + region.bytes));
            }
        }
    }
    void Restore() const {
        for (const auto& [i, bytes] : bytes_) {
            std::copy(bytes.begin(), bytes.end(), reinterpret_cast<uint8_t*>(request_.regions[i].addr));
        }
    }
    // `workspaces`: the addresses of regions that nobody looks at.
    bool Is(const Written& other, const std::vector<uint64_t>& workspaces) const {
        for (size_t n = 0; n < bytes_.size(); ++n) {
            const sim_region& region = request_.regions[bytes_[n].first];
            const bool scratch = std::strcmp(region.name, "workspace") == 0 ||
                                 std::find(workspaces.begin(), workspaces.end(), region.addr) != workspaces.end();
            if (!scratch && bytes_[n].second != other.bytes_[n].second) {
                return false;
            }
        }
        return true;
    }

private:
    const sim_launch& request_;
    std::vector<std::pair<uint32_t, std::vector<uint8_t>>> bytes_;
};

constexpr Rule kUnset = {"tiling-unset",
                         "the tiling function sets every member of the tiling data that the kernel uses",
                         "Utils-API/Tiling数据结构注册/TilingData结构定义"};

int Refuse(const sim_launch& request, const std::string& message, char* report, uint64_t capacity, sim_counts* counts) {
    if (counts != nullptr && counts->defect != nullptr) {
        Write(counts->defect, counts->defect_capacity,
              ReportOf(request, {Status::kVectorException, message}, nullptr).json);
    }
    return Say(report, capacity, message, static_cast<int>(Status::kVectorException));
}

// A member that the tiling function has not set has any value. Whether the kernel uses it shows where it does something
// else when the value is another one, so the launch runs once more with zeros there.
int RunWithUnset(const sim_launch& request, sim_kernel_entry_fn entry, char* report, uint64_t capacity,
                 sim_counts* counts) {
    sim_launch launch = request;
    launch.threads = 1;  // the same order of additions in both
    std::string texts[2] = {std::string(16 * 1024, '\0'), std::string(16 * 1024, '\0')};
    const Written before(request);
    const int first = RunOnce(&launch, entry, texts[0].data(), texts[0].size(), counts);
    const Written after(request);
    before.Restore();
    std::vector<uint8_t> tiling(static_cast<const uint8_t*>(request.tiling),
                                static_cast<const uint8_t*>(request.tiling) + request.tiling_bytes);
    for (size_t i = 0; i < tiling.size(); ++i) {
        tiling[i] = request.tiling_set[i] != 0 ? tiling[i] : uint8_t{0};
    }
    launch.tiling = tiling.data();
    const int second = RunOnce(&launch, entry, texts[1].data(), texts[1].size(), nullptr);
    const bool same = first == second && texts[0] == texts[1] && (first != 0 || after.Is(Written(request), {}));
    if (same) {
        return Say(report, capacity, texts[0].c_str(), first);
    }
    return Refuse(request,
                  std::string(request.op_type) + ": the tiling function has left bytes " + UnsetBytes(request) +
                      " of the " + std::to_string(request.tiling_bytes) +
                      " of the tiling data unset, and the kernel does something else when they have another value" +
                      LineOf(kUnset),
                  report, capacity, counts);
}

// Of a launch whose memory nobody has declared. It may divide by zero where it does not use the result, as devices let
// pass: whether it uses one shows where it does something else with another result.
int RunDividing(const sim_launch& request, sim_kernel_entry_fn entry, char* report, uint64_t capacity,
                sim_counts* counts) {
    static const sim_launch none{};
    const Written before(request.checks == SIM_CHECKS_ALL ? request : none);
    Again runs[2] = {{0x5a5a5a5a5a5a5a5a}, {0}};
    int first = RunOnce(&request, entry, report, capacity, counts, &runs[0]);
    if (runs[0].division == nullptr || request.checks != SIM_CHECKS_ALL) {
        return first;
    }
    sim_launch launch = request;
    launch.threads = 1;  // the same order of additions in both
    std::string texts[2] = {std::string(16 * 1024, '\0'), std::string(16 * 1024, '\0')};
    before.Restore();
    first = RunOnce(&launch, entry, texts[0].data(), texts[0].size(), nullptr, &runs[0]);
    const Written after(request);
    before.Restore();
    const int second = RunOnce(&launch, entry, texts[1].data(), texts[1].size(), nullptr, &runs[1]);
    if (first == second && texts[0] == texts[1] && (first != 0 || after.Is(Written(request), runs[0].scratch))) {
        return Say(report, capacity, texts[0].c_str(), first);
    }
    return Refuse(request, std::string(request.op_type) + ": " + UsesDivision(runs[0].division), report, capacity,
                  counts);
}

// Whether the launch is of allocations that may be anything, which are small enough to be kept.
bool MayBeRunAgain(const sim_launch& request) {
    constexpr uint64_t kMostKept = uint64_t{256} << 20;
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < request.region_count; ++i) {
        if (request.regions[i].role != SIM_REGION_GIVEN) {
            return false;
        }
        bytes += request.regions[i].bytes;
    }
    return request.checks != SIM_CHECKS_ALL || bytes <= kMostKept;
}

}  // namespace
}  // namespace sim

extern "C" __attribute__((visibility("default"))) int sim_engine_run(const sim_launch* request,
                                                                     sim_kernel_entry_fn entry, char* report,
                                                                     uint64_t reportCapacity, sim_counts* counts) {
    const bool unset = request->tiling_set != nullptr && request->checks == SIM_CHECKS_ALL;
    if (unset) {
        return sim::RunWithUnset(*request, entry, report, reportCapacity, counts);
    }
    return sim::MayBeRunAgain(*request) ? sim::RunDividing(*request, entry, report, reportCapacity, counts)
                                        : sim::RunOnce(request, entry, report, reportCapacity, counts);
}
