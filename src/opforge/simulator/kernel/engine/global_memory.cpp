#include "global_memory.h"

#include <algorithm>
#include <cinttypes>

namespace sim {
namespace {

constexpr Rule kBounds = {"a kernel may touch only the tensors, workspace and tiling data of its launch",
                          "基础API/数据结构/GlobalTensor/SetGlobalBuffer",
                          "the last tile of the last block is often shorter: compute its length from the tiling data"};
constexpr Rule kReadOnly = {"inputs and tiling data are read-only", "基础API/数据结构/GlobalTensor/SetGlobalBuffer"};
constexpr Rule kWorkspace = {
    "the tiling function asks for a workspace of GetLibApiWorkSpaceSize() and the kernel's own part behind it",
    "基础API/资源管理/workspace/SetSysWorkSpace"};
constexpr Rule kGmOrder = {
    "transfers over the same global memory are ordered only by SetFlag/WaitFlag, queues or PipeBarrier",
    "基础API/同步控制/核内同步/PipeBarrier(ISASI)",
    "SetFlag and WaitFlag an event of the two pipes between the transfers, or PipeBarrier<PIPE_ALL>"};

// More than this many unordered transfers are not remembered; the oldest go first.
constexpr size_t kMostFlying = 256;

// Set in what is no address: no memory of a process lies there.
constexpr uint64_t kNoAddress = uint64_t{1} << 62;

}  // namespace

void GlobalMemory::Begin(const sim_launch& launch) {
    launch_ = &launch;
    last_ = nullptr;
    flying_.clear();
    out_ = Pipe::kMte3;
}

uint64_t GlobalMemory::NoUserWorkspace(uint64_t workspace, uint64_t room, uint64_t system) {
    workspaceRoom_ = room;
    systemBytes_ = system;
    return workspace | kNoAddress;
}

void GlobalMemory::FailWorkspace(const Call& call, uint64_t room, uint64_t system) {
    Fail(call, kWorkspace,
         "the workspace has %" PRIu64 " bytes, of which the first %" PRIu64
         " are the system's: the host has not asked for GetLibApiWorkSpaceSize()",
         room, system);
}

bool GlobalMemory::Has(uint64_t addr) const {
    return std::any_of(launch_->regions, launch_->regions + launch_->region_count,
                       [&](const sim_region& region) { return addr - region.addr < region.bytes; });
}

std::string GlobalMemory::Place(uint64_t addr) const {
    for (uint32_t i = 0; i < launch_->region_count; ++i) {
        const sim_region& region = launch_->regions[i];
        if (addr >= region.addr && addr - region.addr < region.bytes) {
            return "offset " + std::to_string(addr - region.addr) + " of " + region.name;
        }
    }
    return "global memory";
}

void GlobalMemory::Check(const Call& call, const char* verb, uint64_t addr, uint64_t bytes, bool write) {
    const auto inside = [&](const sim_region& region) {
        return addr >= region.addr && bytes <= region.bytes && addr - region.addr <= region.bytes - bytes;
    };
    if (last_ == nullptr || !inside(*last_) || (write && last_->writable == 0)) {
        last_ = nullptr;
        if ((addr & kNoAddress) != 0) {
            FailWorkspace(call, workspaceRoom_, systemBytes_);
        }
        const sim_region* nearest = nullptr;
        for (uint32_t i = 0; i < launch_->region_count; ++i) {
            const sim_region& region = launch_->regions[i];
            if (inside(region) && (last_ == nullptr || region.writable != 0)) {
                last_ = &region;
            }
            // the region the access starts in or just behind
            if (region.addr <= addr && (nearest == nullptr || region.addr > nearest->addr)) {
                nearest = &region;
            }
        }
        if (last_ == nullptr && nearest == nullptr) {
            Fail(call, kBounds, "%s %" PRIu64 " bytes at address 0x%" PRIx64 ", which is no memory of this launch",
                 verb, bytes, addr);
        }
        if (last_ == nullptr) {
            Fail(call, kBounds,
                 "%s %" PRIu64 " bytes at offset %" PRIu64 " of %s, which has %" PRIu64 " bytes (%" PRIu64 " too many)",
                 verb, bytes, addr - nearest->addr, nearest->name, nearest->bytes,
                 addr - nearest->addr + bytes - nearest->bytes);
        }
    }
    if (write && last_->writable == 0) {
        Fail(call, kReadOnly, "%s %" PRIu64 " bytes at offset %" PRIu64 " of %s, which is an input", verb, bytes,
             addr - last_->addr, last_->name);
    }
}

void GlobalMemory::Meet(PipeClocks& clocks, Pipe pipe, uint64_t begin, uint64_t end, const char* verb, bool write,
                        bool atomic, const Call& call) {
    const Clock& known = clocks.Known(pipe);
    for (const Transfer& transfer : flying_) {
        const bool conflict = write || transfer.pipe != Pipe::kMte2;
        if (!conflict || transfer.end <= begin || end <= transfer.begin ||
            transfer.number <= known[Index(transfer.pipe)] || (atomic && transfer.atomic)) {
            continue;
        }
        const Call* earlier = clocks.CallOf(Index(transfer.pipe), transfer.number);
        Fail(call, kGmOrder,
             "pipe %s %s %" PRIu64 " bytes of global memory that %s on pipe %s %s at %s:%d, without a synchronisation",
             Name(pipe), verb, std::min(end, transfer.end) - std::max(begin, transfer.begin),
             earlier != nullptr ? earlier->api : "an earlier transfer", Name(transfer.pipe),
             transfer.pipe != Pipe::kMte2 ? "wrote" : "reads", earlier != nullptr ? earlier->site.file : "?",
             earlier != nullptr ? earlier->site.line : 0);
    }
}

void GlobalMemory::Remember(const PipeClocks& clocks, const Transfer& transfer) {
    // a core writes by one pipe: MTE3, or FIX where it has a cube unit
    const Pipe out = transfer.pipe == Pipe::kMte2 ? out_ : (out_ = transfer.pipe);
    const auto settled = [&](const Transfer& earlier) {
        return earlier.number <= clocks.Known(Pipe::kMte2)[Index(earlier.pipe)] &&
               earlier.number <= clocks.Known(out)[Index(earlier.pipe)];
    };
    flying_.erase(std::remove_if(flying_.begin(), flying_.end(), settled), flying_.end());
    if (flying_.size() == kMostFlying) {
        flying_.erase(flying_.begin());
    }
    flying_.push_back(transfer);
}

void GlobalMemory::Read(PipeClocks& clocks, uint32_t number, uint64_t addr, uint64_t bytes, const Call& call) {
    // an input may be the output's own memory
    Meet(clocks, Pipe::kMte2, addr, addr + bytes, "reads", false, false, call);
    if (last_ == nullptr || last_->writable == 0) {
        return;  // nobody writes there by this name
    }
    Remember(clocks, {addr, addr + bytes, number, Pipe::kMte2, false});
}

void GlobalMemory::Write(PipeClocks& clocks, uint32_t number, uint64_t addr, uint64_t bytes, bool atomic,
                         const Call& call, Pipe pipe) {
    Meet(clocks, pipe, addr, addr + bytes, "overwrites", true, atomic, call);
    Remember(clocks, {addr, addr + bytes, number, pipe, atomic});
}

void GlobalMemory::Scalar(PipeClocks& clocks, uint64_t addr, uint64_t bytes, bool write, const Call& call) {
    if (!clocks.AutoSync()) {
        Meet(clocks, Pipe::kScalar, addr, addr + bytes, write ? "overwrites" : "reads", write, false, call);
        return;
    }
    for (const Transfer& transfer : flying_) {
        if (transfer.begin < addr + bytes && addr < transfer.end) {
            clocks.JoinAll(transfer.pipe, transfer.number);
        }
    }
}

}  // namespace sim
