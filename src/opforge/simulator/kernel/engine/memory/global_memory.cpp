#include "global_memory.h"

#include <algorithm>
#include <cinttypes>
#include <cstdio>

#include "launch/loaded_part.h"

namespace sim {
namespace {

constexpr const char* kInside = "a kernel may touch only the tensors, workspace and tiling data of its launch";
constexpr const char* kInsidePage = "基础API/数据结构/GlobalTensor/SetGlobalBuffer";
constexpr const char* kTailHint =
    "the last tile of the last block is often shorter: compute its length from the tiling data";
constexpr Rule kBounds = {"gm-bounds", kInside, kInsidePage, kTailHint};
constexpr DeviceRule kTail = {
    {"gm-tail", kInside, kInsidePage, kTailHint},
    "allocations end at least 32 bytes behind what was asked for, those of torch_npu at the end of the 512 bytes in "
    "which these lie, and nobody looks where a tensor ends in its storage",
    "CANN runtime 9.1.0, docs/zh/api_ref/11-01_device_memory_malloc_and_free.md:63; Ascend/pytorch 0045d0d, "
    "torch_npu/csrc/core/npu/NPUCachingAllocator.cpp (round_size)"};
constexpr uint64_t kRoomBehind = 32;
constexpr uint64_t kTorchBlock = 512;
constexpr DeviceRule kReadOnly = {
    {"input-written", "inputs and tiling data are read-only", "基础API/数据结构/GlobalTensor/SetGlobalBuffer"},
    "an input is an address as an output is: its tensor has the new values afterwards",
    "CANN 8.1, op_impl/ai_core/tbe/impl/ascendc/foreach_zero_inplace/foreach_zero_inplace.cpp:26 (its definition has "
    "no "
    "output)"};
constexpr Rule kCopyWritten = {
    "input-copy-written", kReadOnly.rule.text, kReadOnly.rule.page,
    "call it with a contiguous tensor; an input and an output of one name make the op in place"};
constexpr Rule kWorkspace = {
    "workspace-size",
    "the tiling function asks for a workspace of GetLibApiWorkSpaceSize() and the kernel's own part behind it",
    "基础API/资源管理/workspace/SetSysWorkSpace"};
constexpr Rule kGmOrder = {
    "gm-order", "transfers over the same global memory are ordered only by SetFlag/WaitFlag, queues or PipeBarrier",
    "基础API/同步控制/核内同步/PipeBarrier(ISASI)",
    "SetFlag and WaitFlag an event of the two pipes between the transfers, or PipeBarrier<PIPE_ALL>"};

// More than this many unordered transfers are not remembered; the oldest go first.
constexpr size_t kMostFlying = 256;

// Set in what is not an address: no memory of a process lies there.
constexpr uint64_t kNoAddress = uint64_t{1} << 62;

// The bytes that an allocation surely has from where the region's storage begins, or the region, if that is not known.
uint64_t RoomOf(const sim_region& region) {
    const uint64_t bytes = (region.storage_bytes != 0 ? region.storage_bytes : region.bytes) + kRoomBehind;
    const bool isTensor = region.role == SIM_REGION_INPUT || region.role == SIM_REGION_OUTPUT;
    return region.storage_bytes != 0 && isTensor ? (bytes + kTorchBlock - 1) / kTorchBlock * kTorchBlock : bytes;
}

}  // namespace

void GlobalMemory::Begin(const sim_launch& launch, uint64_t tiling) {
    launch_ = &launch;
    tiling_ = sim_region{};
    tiling_.addr = tiling;
    tiling_.bytes = (launch.tiling_bytes + kRoomBehind - 1) / kRoomBehind * kRoomBehind;
    tiling_.name = "the tiling data";
    tiling_.role = SIM_REGION_MEMORY;
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

const sim_region* GlobalMemory::RegionAt(uint64_t addr) const {
    const sim_region* const end = launch_->regions + launch_->region_count;
    const sim_region* const found = std::find_if(
        launch_->regions, end, [&](const sim_region& region) { return addr - region.addr < region.bytes; });
    return found == end ? nullptr : found;
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
        for (uint32_t i = 0; i < launch_->region_count; ++i) {
            const sim_region& region = launch_->regions[i];
            if (inside(region) && (last_ == nullptr || region.writable != 0)) {
                last_ = &region;
            }
        }
        if (last_ == nullptr && inside(tiling_)) {
            last_ = &tiling_;
        }
        if (last_ == nullptr && FindData(addr) && inside(data_) && (!write || data_.writable != 0)) {
            last_ = &data_;
        }
        if (last_ == nullptr) {
            CheckAround(call, verb, addr, bytes);
        }
    }
    if (write && last_->writable == 0) {
        constexpr const char* kSays = "%s %" PRIu64 " bytes at offset %" PRIu64 " of %s, which is an input";
        const uint64_t offset = addr - last_->addr;
        if (last_->role == SIM_REGION_MEMORY) {
            Fail(call, kReadOnly.rule, kSays, verb, bytes, offset, last_->name);
        }
        if (last_->role == SIM_REGION_COPY) {
            Fail(call, kCopyWritten,
                 "%s %" PRIu64 " bytes at offset %" PRIu64
                 " of %s, an input with gaps, whose elements were copied: the "
                 "tensor would keep its values",
                 verb, bytes, offset, last_->name);
        }
        LetPass(call, kReadOnly, kSays, verb, bytes, offset, last_->name);
    }
    touched.Add(addr, bytes, write);
}

bool GlobalMemory::FindData(uint64_t addr) {
    const LoadedPart part = KernelDataOf(addr);
    data_ = sim_region{};
    data_.addr = part.begin;
    data_.bytes = part.end - part.begin;
    data_.writable = part.writable ? 1 : 0;
    data_.role = SIM_REGION_MEMORY;
    return part.end != 0;
}

// Devices let it pass where the tensor's storage is, and where its allocation has some room behind it.
void GlobalMemory::CheckAround(const Call& call, const char* verb, uint64_t addr, uint64_t bytes) {
    const sim_region* nearest = nullptr;  // the region the access starts in or just behind
    const sim_region* stored = nullptr;   // one whose storage it lies in, with the room behind that
    for (uint32_t i = 0; i < launch_->region_count; ++i) {
        const sim_region& region = launch_->regions[i];
        if (region.addr <= addr && (nearest == nullptr || region.addr > nearest->addr)) {
            nearest = &region;
        }
        const uint64_t begin = region.storage_bytes != 0 ? region.storage : region.addr;
        const uint64_t room = RoomOf(region);
        const bool within = addr >= begin && bytes <= room && addr - begin <= room - bytes;
        // where several tensors share a storage, the one it begins in
        const auto begins = [&](const sim_region& in) { return addr - in.addr < in.bytes; };
        if (within && region.bytes != 0 && (stored == nullptr || (begins(region) && !begins(*stored)))) {
            stored = &region;
        }
    }
    if (nearest == nullptr && stored == nullptr) {
        Fail(call, kBounds, "%s %" PRIu64 " bytes at address 0x%" PRIx64 ", which is not memory of this launch", verb,
             bytes, addr);
    }
    const sim_region& from = stored != nullptr ? *stored : *nearest;
    const bool before = addr < from.addr;
    const uint64_t offset = before ? from.addr - addr : addr - from.addr;
    const uint64_t many = before ? std::min(offset, bytes) : offset + bytes - from.bytes;
    char says[512];
    std::snprintf(
        says, sizeof(says),
        before ? "%s %" PRIu64 " bytes %" PRIu64 " before %s, which has %" PRIu64 " bytes (%" PRIu64 " too many)"
               : "%s %" PRIu64 " bytes at offset %" PRIu64 " of %s, which has %" PRIu64 " bytes (%" PRIu64 " too many)",
        verb, bytes, offset, from.name, from.bytes, many);
    const bool known = from.storage_bytes != 0;
    const bool device = launch_->rules == SIM_RULES_DEVICE;
    const char* const unknown = known || !device ? "" : "; where its storage ends is not known";
    if (stored == nullptr) {
        Fail(call, kBounds, "%s%s", says, unknown);
    }
    for (uint32_t i = 0; i < launch_->region_count; ++i) {
        const sim_region& other = launch_->regions[i];
        const bool meets = other.addr < addr + bytes && addr < other.addr + other.bytes;
        if (&other != stored && meets && other.addr != stored->addr) {
            Fail(call, kBounds, device ? "%s, where %s lies" : "%s", says, other.name);
        }
    }
    if (launch_->gm_bytes != 0 && (addr < launch_->gm_begin || addr + bytes > launch_->gm_begin + launch_->gm_bytes)) {
        Fail(call, kBounds, "%s", says);
    }
    const bool behind = known && addr + bytes > from.storage + from.storage_bytes;
    LetPass(call, kTail, "%s%s", says,
            !device  ? ""
            : !known ? unknown
            : behind ? ", behind its storage, where its allocation goes on"
                     : ", inside of its storage");
    last_ = stored;
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
    if (last_ == nullptr || (last_->writable == 0 && !MayWriteInputs(*launch_))) {
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
